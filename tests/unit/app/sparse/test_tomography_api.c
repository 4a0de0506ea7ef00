// SPDX-License-Identifier: Apache-2.0
// Tests koine/tomography.h: the geometry as an operator in every format, on a device and on the host, against
// a projector that works ray by ray; its matrix; the phantom and its sinogram; counts; refusals.
#include "sparse_api_support.h"

#include <koine/koine.h>

#include "support/compare.h"

#include "unit/app/sparse/host/parallel_support.h"

// The error of a weight computed on a device, in roundings (koine/tomography.h).
static const double weight_error = 5 * 1.4143;
// In double precision, for both the weights and the test's own: positions of up to 64 pixels, with some
// roundings each.
static const double double_error = 256;

// A geometry of the tests, and its dense matrix, from the definitions.
struct problem {
    kn_tomography_geometry geometry;
    struct sparse_parallel parallel;
    double *dense;
    size_t rays, pixels;
};

static struct problem make_problem(const char *text, bool give_angles, uint64_t *state)
{
    struct problem p = {.parallel = test_geometry(text)};

    if (give_angles)
        test_give_angles(&p.parallel, state);
    p.geometry = KN_INIT(kn_tomography_geometry, .angles = p.parallel.angles,
                         .detectors = p.parallel.detectors, .size = p.parallel.size,
                         .axis_offset = p.parallel.axis - ((double)p.parallel.detectors - 1) / 2,
                         .theta = p.parallel.theta);
    p.dense = test_dense(&p.parallel);
    p.rays = p.parallel.angles * p.parallel.detectors;
    p.pixels = p.parallel.size * p.parallel.size;
    return p;
}

static void free_problem(struct problem *p)
{
    ki_sparse_parallel_free(&p->parallel);
    free(p->dense);
}

// ---- operators ----

static void check(const struct problem *p, kn_queue *on, kn_sparse_operator_options options, uint64_t *state)
{
    kn_tomography_geometry geometry = p->geometry;
    double *theta = test_allocate(p->parallel.angles * sizeof *theta);
    kn_operator *a = NULL;
    kn_sparse_memory memory = {1, 1};
    bool computes, stored;
    double error;

    for (size_t t = 0; t < p->parallel.angles && geometry.theta; t++)
        theta[t] = geometry.theta[t];
    geometry.theta = geometry.theta ? theta : NULL;
    EXPECT_OK(kn_tomography_operator_create(on, &geometry, &options, &a, &err));
    EXPECT_OK(kn_tomography_estimate_memory(on, &geometry, &memory, &options, &err));
    expect_memory(a, memory, on && options.format == KN_SPARSE_AUTO);
    free(theta); // it was copied
    ck_assert_uint_eq(kn_operator_get_rows(a), p->rays);
    ck_assert_uint_eq(kn_operator_get_columns(a), p->pixels);
    computes = is_on_the_fly(kn_sparse_operator_get_format(a, false));
    stored = options.format != KN_SPARSE_AUTO && !is_on_the_fly(options.format);
    ck_assert(options.format == KN_SPARSE_AUTO ? computes != (!on && options.type == KN_F32)
                                               : computes != stored);
    if (options.format != KN_SPARSE_AUTO)
        ck_assert_int_eq(kn_sparse_operator_get_format(a, true), options.format);
    error = kn_operator_get_type(a) == KN_F64 ? double_error : computes ? weight_error : 4;
    expect_dense(a, on, p->dense, error, on ? "a device" : "the host", state);
    expect_adjoint(a, on, p->dense, error, state);
    kn_operator_free(a);
}

START_TEST(on_a_device)
{
    uint64_t state = test_seed("on_a_device");

    for (size_t g = 0; g < (test_is_slow() ? 4 : 2 * TEST_GEOMETRIES); g++) {
        struct problem p = make_problem(test_geometries[g / 2], g % 2, &state);

        check(&p, queue, KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_ON_THE_FLY), &state);
        check(&p, queue, KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_ON_THE_FLY_LOCAL), &state);
        if (g % 8 == 5)
            for (kn_sparse_format format = 0; format <= KN_SPARSE_MERGE; format++)
                check(&p, queue, KN_INIT(kn_sparse_operator_options, .format = format), &state);
        if (g == 5)
            check(&p, queue,
                  KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_ON_THE_FLY, .group = 64, .lanes = 8,
                          .items = 3, .chunk = 700),
                  &state);
        free_problem(&p);
    }
}
END_TEST

START_TEST(on_the_host)
{
    static const kn_sparse_format formats[] = {KN_SPARSE_AUTO, KN_SPARSE_ON_THE_FLY, KN_SPARSE_SELL,
                                               KN_SPARSE_SIMPLE};
    uint64_t state = test_seed("on_the_host");

    for (size_t g = 0; g < 2 * TEST_GEOMETRIES; g++) {
        struct problem p = make_problem(test_geometries[g / 2], g % 2, &state);

        for (size_t f = 0; f < 4; f++)
            for (unsigned single = 0; single < 2; single++)
                if (!single || formats[f] != KN_SPARSE_ON_THE_FLY)
                    check(&p, NULL,
                          KN_INIT(kn_sparse_operator_options, .format = formats[f],
                                  .type = single ? KN_F32 : KN_F64, .threads = 2),
                          &state);
        free_problem(&p);
    }
}
END_TEST

START_TEST(ran)
{
    static const char *const kernels[2][4] = {
        {"parallel_turn", "parallel_forward", "parallel_scale", "parallel_back"},
        {"parallel_forward_local", "parallel_back_local", NULL, NULL}};
    uint64_t state = test_seed("ran");
    struct problem p = make_problem("parallel:7,19,16", false, &state);
    double *x = random_numbers(p.rays + p.pixels, &state);

    for (unsigned local = 0; local < 2; local++) {
        const kn_sparse_operator_options options = KN_INIT(
            kn_sparse_operator_options, .format = local ? KN_SPARSE_ON_THE_FLY_LOCAL : KN_SPARSE_ON_THE_FLY);
        kn_operator *a = NULL;
        kn_profile_entry *entries = NULL;
        size_t count = 0;

        EXPECT_OK(kn_tomography_operator_create(queue, &p.geometry, &options, &a, &err));
        EXPECT_OK(kn_profile_start(queue, &err));
        free(applied(a, queue, false, x));
        free(applied(a, queue, true, x));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        for (unsigned k = 0; k < 4 && kernels[local][k]; k++)
            ck_assert_msg(test_count_kernel(entries, count, kernels[local][k]) == 1, "no %s",
                          kernels[local][k]);
        kn_free(entries);
        kn_operator_free(a);
    }
    free(x);
    free_problem(&p);
}
END_TEST

// ---- the matrix, and projections of arrays ----

START_TEST(matrices)
{
    uint64_t state = test_seed("matrix");

    for (size_t g = 0; g < TEST_GEOMETRIES; g++) {
        struct problem p = make_problem(test_geometries[g], g % 2, &state);
        kn_sparse *matrix = NULL;
        size_t nonzeros = 0, found = 0;

        EXPECT_OK(kn_tomography_matrix_create(&p.geometry, &matrix, &err));
        EXPECT_OK(kn_tomography_count_nonzeros(&p.geometry, &nonzeros, &err));
        ck_assert_uint_eq(kn_sparse_get_nonzeros(matrix), nonzeros);
        ck_assert_uint_eq(kn_sparse_get_rows(matrix), p.rays);
        ck_assert_uint_eq(kn_sparse_get_columns(matrix), p.pixels);
        for (size_t i = 0; i < p.rays; i++)
            for (uint64_t k = kn_sparse_get_starts(matrix)[i]; k < kn_sparse_get_starts(matrix)[i + 1]; k++) {
                size_t at = i * p.pixels + kn_sparse_get_indices(matrix)[k];

                ck_assert(fabs(kn_sparse_get_values(matrix)[k] - p.dense[at]) < 1e-12);
                p.dense[at] = 0;
            }
        for (size_t i = 0; i < p.rays * p.pixels; i++)
            found += p.dense[i] > 1e-12;
        ck_assert_uint_eq(found, 0);
        kn_sparse_free(matrix);
        free_problem(&p);
    }
}
END_TEST

START_TEST(projections)
{
    uint64_t state = test_seed("projections");
    struct problem p = make_problem("parallel:6,20,33,-11.25", true, &state);

    for (unsigned kind = 0; kind < 4; kind++) {
        bool adjoint = kind & 1, on_device = kind & 2;
        size_t from = adjoint ? p.rays : p.pixels, to = adjoint ? p.pixels : p.rays;
        double *x = random_numbers(from, &state), *y = test_poisoned(to * sizeof *y + API_ROOM);

        EXPECT_OK(kn_tomography_project(on_device ? queue : NULL, &p.geometry, adjoint, x, y, KN_SPARSE_AUTO,
                                        &err));
        expect_room(y, to * sizeof *y, to * sizeof *y + API_ROOM);
        for (size_t i = 0; i < to; i++) {
            double sum = 0;

            for (size_t k = 0; k < from; k++)
                sum += p.dense[adjoint ? k * p.pixels + i : i * p.pixels + k] * x[k];
            ck_assert_msg(fabs(y[i] - sum) <= (on_device ? 1e-4 : 1e-11), "%u, %zu: %g, not %g", kind, i,
                          y[i], sum);
        }
        free(x);
        free(y);
    }
    free_problem(&p);
}
END_TEST

// ---- the phantom ----

static double pixel_at(const double *picture, size_t size, double x, double y)
{
    return picture[(size_t)((1 - y) / 2 * (double)size) * size + (size_t)((x + 1) / 2 * (double)size)];
}

// Values that the published table has at points on [-1, 1], y upwards.
START_TEST(phantom)
{
    enum { SIZE = 401 };
    static const double points[][3] = {
        {0, 0, 0.2},         {0, 0.9, 1},        {0, -0.915, 1},     {0.99, 0.99, 0},     {-0.22, 0, 0},
        {0.22, 0, 0},        {0, 0.35, 0.3},     {0, -0.4, 0.2},     {0, 0.1, 0.3},       {0, -0.1, 0.3},
        {-0.1, -0.605, 0.3}, {0.1, -0.605, 0.2}, {0.06, -0.64, 0.3}, {-0.06, -0.64, 0.2}, {0.28, 0.2, 0},
        {-0.3, 0.35, 0},     {0.28, -0.2, 0.2}};
    double *picture = test_poisoned(SIZE * SIZE * sizeof *picture + API_ROOM),
           *mean = test_allocate(SIZE * SIZE * 8);

    EXPECT_OK(kn_tomography_phantom(SIZE, 1, picture, &err));
    expect_room(picture, SIZE * SIZE * sizeof *picture, SIZE * SIZE * sizeof *picture + API_ROOM);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        ck_assert_msg(fabs(pixel_at(picture, SIZE, points[i][0], points[i][1]) - points[i][2]) < 1e-12,
                      "(%g, %g): %g, not %g", points[i][0], points[i][1],
                      pixel_at(picture, SIZE, points[i][0], points[i][1]), points[i][2]);
    // Above the smaller ellipses, left and right are equal: a pixel's value is that at its centre.
    for (size_t i = 0; i < 60 * SIZE; i++)
        ck_assert(picture[i] == picture[i / SIZE * SIZE + SIZE - 1 - i % SIZE]);
    // A third as many pixels, each the mean of 3 x 3 pixels of a picture three times as fine.
    EXPECT_OK(kn_tomography_phantom(3 * 101, 1, picture, &err));
    EXPECT_OK(kn_tomography_phantom(101, 3, mean, &err));
    for (size_t y = 0; y < 101; y++)
        for (size_t x = 0; x < 101; x++) {
            double sum = 0;

            for (size_t i = 0; i < 9; i++)
                sum += picture[(3 * y + i / 3) * 303 + 3 * x + i % 3];
            ck_assert_msg(fabs(mean[y * 101 + x] - sum / 9) < 1e-12, "(%zu, %zu): %g, not %g", x, y,
                          mean[y * 101 + x], sum / 9);
        }
    free(picture);
    free(mean);
}
END_TEST

// The integral along a ray `distance` pixels from the middle, of a picture with `fine` x `fine` samples of a
// geometry's `size` pixels.
static double integral(const double *picture, size_t fine, double size, double theta, double distance)
{
    const double step = 0.02;
    double sum = 0;

    for (double along = -size; along < size; along += step) {
        double x = distance * cos(theta) - along * sin(theta), y = distance * sin(theta) + along * cos(theta);
        double column = (x / size + 0.5) * (double)fine, line = (y / size + 0.5) * (double)fine;

        if (column >= 0 && line >= 0 && column < (double)fine && line < (double)fine)
            sum += step * picture[(size_t)line * fine + (size_t)column];
    }
    return sum;
}

START_TEST(phantom_sinogram)
{
    enum { SIZE = 60, DETECTORS = 65, ANGLES = 9, FINE = 2400 };
    uint64_t state = test_seed("phantom_sinogram");
    double *picture = test_allocate((size_t)FINE * FINE * sizeof *picture), theta[ANGLES];
    double *wanted = test_allocate(ANGLES * DETECTORS * sizeof *wanted);
    double *exact = test_poisoned(ANGLES * DETECTORS * sizeof *exact + API_ROOM);
    kn_tomography_geometry geometry =
        KN_INIT(kn_tomography_geometry, .angles = ANGLES, .detectors = DETECTORS, .size = SIZE);

    EXPECT_OK(kn_tomography_phantom(FINE, 1, picture, &err));
    for (unsigned kind = 0; kind < 2; kind++) {
        double distance;

        for (size_t t = 0; t < ANGLES; t++)
            theta[t] = kind ? 20 * test_uniform(&state) - 10 : HALF_TURN * (double)t / ANGLES;
        geometry.theta = kind ? theta : NULL;
        geometry.axis_offset = kind ? 7.25 : 0;
        for (size_t i = 0; i < ANGLES * DETECTORS; i++)
            wanted[i] =
                integral(picture, FINE, SIZE, theta[i / DETECTORS],
                         (double)(i % DETECTORS) - ((double)DETECTORS - 1) / 2 - geometry.axis_offset);
        EXPECT_OK(kn_tomography_phantom_sinogram(&geometry, exact, &err));
        expect_room(exact, ANGLES * DETECTORS * sizeof *exact, ANGLES * DETECTORS * sizeof *exact + API_ROOM);
        // Edges, of which a ray crosses a few, are accurate to a step and a sample: 0.02 pixels of some 10.
        distance = test_relative_distance(wanted, exact, ANGLES * DETECTORS);
        fprintf(stderr, "phantom_sinogram: off by %.2g of itself\n", distance);
        ck_assert_msg(distance < 0.006, "the sinogram is off by %g of itself", distance);
    }
    free(picture);
    free(wanted);
    free(exact);
}
END_TEST

// ---- counts ----

START_TEST(counts)
{
    static const double white[] = {100, 200, 50, 60, 10, 104, 208, 50, 60, 30}, dark[] = {2, 4, 0, 60, 0};
    static const double seen[] = {52, 4, 50, 61, 10, 102, 204, 0, 1000, 5};
    // The mean of the white field minus that of the dark one: 100, 200, 50, 0, 20.
    const double wanted[] = {-log(0.5), -log(1e-6), 0, 0, -log(0.5), 0, 0, -log(1e-6), 0, -log(0.25)};
    const double binned[] = {-log(50.0 / 300), -log(51.0 / 50), 0, -log(940.0 / 50)};
    const double logs[] = {28, 55.5, 153, 500};
    double found[12];
    kn_tomography_counts given = KN_INIT(kn_tomography_counts, .angles = 2, .detectors = 5, .counts = seen,
                                         .white = white, .dark = dark, .white_frames = 2);

    for (unsigned kind = 0; kind < 3; kind++) {
        const double *expected = kind == 0 ? wanted : kind == 1 ? binned : logs;
        size_t count = kind == 0 ? 10 : 4;

        memset(found, 0xff, sizeof found);
        given.bin = kind == 0 ? 0 : 2;
        given.white = kind == 2 ? NULL : white;
        given.dark = kind == 2 ? NULL : dark;
        EXPECT_OK(kn_tomography_sinogram_from_counts(&given, found, &err));
        for (size_t i = 0; i < count; i++)
            ck_assert_msg(fabs(found[i] - expected[i]) < 1e-12, "%u, %zu: %g, not %g", kind, i, found[i],
                          expected[i]);
        expect_room(found, count * sizeof *found, sizeof found);
    }
}
END_TEST

// ---- stripes ----

// The number of this rank among those of a detector.
static double of_rank(const double *sinogram, size_t angles, size_t detectors, size_t k, size_t rank)
{
    double column[16];

    for (size_t t = 0; t < angles; t++)
        column[t] = sinogram[t * detectors + k];
    qsort(column, angles, sizeof *column, test_by_value);
    return column[rank];
}

// Each number is replaced by a median of neighbours of its rank; the gain of a single detector vanishes.
START_TEST(stripes)
{
    enum { ANGLES = 13, DETECTORS = 23, BAD = 9 };
    uint64_t state = test_seed("stripes");
    const size_t widths[] = {1, 3, 0, 9, DETECTORS};
    double *given = random_numbers(ANGLES * DETECTORS, &state),
           *found = test_poisoned(ANGLES * DETECTORS * sizeof *found + API_ROOM);

    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        const size_t width = widths[w] ? widths[w] : 5;

        memcpy(found, given, ANGLES * DETECTORS * sizeof *found);
        EXPECT_OK(kn_tomography_remove_stripes(ANGLES, DETECTORS, widths[w], found, &err));
        for (size_t i = 0; i < ANGLES * DETECTORS; i++) {
            double window[DETECTORS], median;
            size_t k = i % DETECTORS, rank = 0, count = 0;

            for (size_t t = 0; t < ANGLES; t++)
                rank += given[t * DETECTORS + k] < given[i];
            for (size_t j = 0; j < DETECTORS; j++)
                if ((j > k ? j - k : k - j) <= width / 2)
                    window[count++] = of_rank(given, ANGLES, DETECTORS, j, rank);
            qsort(window, count, sizeof *window, test_by_value);
            median = (window[(count - 1) / 2] + window[count / 2]) / 2;
            ck_assert_msg(found[i] == median, "width %zu, %zu: %g, not %g", width, i, found[i], median);
        }
    }
    for (size_t i = 0; i < ANGLES * DETECTORS; i++)
        found[i] = given[i / DETECTORS] + (i % DETECTORS == BAD ? 3 : 0);
    EXPECT_OK(kn_tomography_remove_stripes(ANGLES, DETECTORS, 0, found, &err));
    for (size_t i = 0; i < ANGLES * DETECTORS; i++)
        ck_assert(found[i] == given[i / DETECTORS]);
    expect_room(found, ANGLES * DETECTORS * sizeof *found, ANGLES * DETECTORS * sizeof *found + API_ROOM);
    free(given);
    free(found);
}
END_TEST

START_TEST(refused_stripes)
{
    double sinogram[] = {1, 2, 3, 4, 5, NAN};

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "detector 2 of frame 1 (from 0) is nan",
                   kn_tomography_remove_stripes(2, 3, 0, sinogram, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_tomography_remove_stripes(2, 3, 0, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "at least 1", kn_tomography_remove_stripes(0, 3, 0, sinogram, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "an odd one", kn_tomography_remove_stripes(1, 3, 4, sinogram, &err));
    EXPECT_REFUSED(KN_ERROR_LIMIT, "address space",
                   kn_tomography_remove_stripes(SIZE_MAX / 2, 4, 3, sinogram, &err));
    for (size_t i = 0; i < 5; i++)
        ck_assert(sinogram[i] == (double)(i + 1));
}
END_TEST

// ---- what is refused ----

START_TEST(refused_geometries)
{
#define GEOMETRY(...) KN_INIT(kn_tomography_geometry, __VA_ARGS__)
    static const double theta[] = {0, 1, INFINITY};
    const struct {
        const char *words;
        kn_tomography_geometry geometry;
    } refused[] = {
        {"0 projections", GEOMETRY(.detectors = 3, .size = 3)},
        {"0 detectors", GEOMETRY(.angles = 3, .size = 3)},
        {"0 pixels", GEOMETRY(.angles = 3, .detectors = 3)},
        {"projections", GEOMETRY(.angles = SIZE_MAX, .detectors = 3, .size = 3, .theta = theta)},
        {"detectors", GEOMETRY(.angles = 3, .detectors = SIZE_MAX, .size = 3)},
        {"pixels", GEOMETRY(.angles = 3, .detectors = 3, .size = (1 << 15) + 1)},
        {"rays", GEOMETRY(.angles = 1 << 20, .detectors = 1 << 16, .size = 3)},
        {"axis", GEOMETRY(.angles = 3, .detectors = 3, .size = 3, .axis_offset = 7)},
        {"axis", GEOMETRY(.angles = 3, .detectors = 3, .size = 3, .axis_offset = NAN)},
        {"angle of projection 2 is inf", GEOMETRY(.angles = 3, .detectors = 3, .size = 3, .theta = theta)},
        {"kn_tomography_geometry", {.struct_size = 0, .angles = 3, .detectors = 3, .size = 3}},
    };
    kn_operator *a = NULL;
    kn_sparse *made = NULL;
    size_t nonzeros = 77;
    kn_sparse_memory memory = {7, 7};
    double from[9] = {0}, to[9] = {42};

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const kn_tomography_geometry *g = &refused[i].geometry;

        EXPECT_REFUSED(KN_ERROR_ARGUMENT, refused[i].words,
                       kn_tomography_operator_create(NULL, g, NULL, &a, &err));
        ck_assert_msg(strstr(err.text, "kn_tomography_operator_create") == err.text, "'%s'", err.text);
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, refused[i].words,
                       kn_tomography_operator_create(queue, g, NULL, &a, &err));
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, refused[i].words, kn_tomography_matrix_create(g, &made, &err));
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, refused[i].words,
                       kn_tomography_estimate_memory(queue, g, &memory, NULL, &err));
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, refused[i].words, kn_tomography_count_nonzeros(g, &nonzeros, &err));
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, refused[i].words,
                       kn_tomography_project(NULL, g, false, from, to, KN_SPARSE_AUTO, &err));
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, refused[i].words, kn_tomography_phantom_sinogram(g, to, &err));
    }
    ck_assert(memory.host == 7 && memory.device == 7);
    ck_assert(!a && !made && nonzeros == 77 && to[0] == 42);
}
END_TEST

START_TEST(refused_calls)
{
    const kn_tomography_geometry g = GEOMETRY(.angles = 3, .detectors = 3, .size = 3);
#define COUNTS(...) KN_INIT(kn_tomography_counts, .counts = numbers, __VA_ARGS__)
    static const double numbers[] = {1, 2, 3, 4, NAN, 6};
    const struct {
        kn_status status;
        const char *words;
        kn_tomography_counts counts;
    } refused[] = {
        {KN_ERROR_ARGUMENT, "at least 1", COUNTS(.detectors = 2)},
        {KN_ERROR_ARGUMENT, "at least 1", COUNTS(.angles = 2)},
        {KN_ERROR_ARGUMENT, "a bin of 3", COUNTS(.angles = 2, .detectors = 2, .bin = 3)},
        {KN_ERROR_ARGUMENT, "without a white", COUNTS(.angles = 2, .detectors = 2, .dark = numbers)},
        {KN_ERROR_ARGUMENT, "counts: detector 1 of frame 1", COUNTS(.angles = 2, .detectors = 3)},
        {KN_ERROR_ARGUMENT, "white: detector 0 of frame 2",
         COUNTS(.angles = 2, .detectors = 2, .white = numbers, .white_frames = 3)},
        {KN_ERROR_LIMIT, "address space", COUNTS(.angles = SIZE_MAX / 2, .detectors = 4)}};
    double from[9] = {1e300}, to[9] = {42};
    kn_operator *a = NULL;
    kn_sparse_operator_options options = KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_ON_THE_FLY);

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        EXPECT_REFUSED(refused[i].status, refused[i].words,
                       kn_tomography_sinogram_from_counts(&refused[i].counts, to, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "0 x 0 pixels", kn_tomography_phantom(0, 1, to, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "points", kn_tomography_phantom(3, 0, to, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "points", kn_tomography_phantom(3, 65, to, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "single precision",
                   kn_tomography_project(queue, &g, false, from, to, KN_SPARSE_ON_THE_FLY, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "same array",
                   kn_tomography_project(NULL, &g, false, to, to, KN_SPARSE_AUTO, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no format 14",
                   kn_tomography_project(queue, &g, false, from, to, (kn_sparse_format)14, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "sell needs a queue",
                   kn_tomography_project(NULL, &g, false, from, to, KN_SPARSE_SELL, &err));
    ck_assert(to[0] == 42);
    options.type = KN_F32;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "is in KN_F64",
                   kn_tomography_operator_create(NULL, &g, &options, &a, &err));
    options.type = (kn_type)0;
    options.level = KN_HOST_AVX2;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "KN_HOST_SCALAR",
                   kn_tomography_operator_create(NULL, &g, &options, &a, &err));
    options.level = KN_HOST_AUTO;
    options.format = KN_SPARSE_ON_THE_FLY_LOCAL;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "format of devices",
                   kn_tomography_operator_create(NULL, &g, &options, &a, &err));
    options.format = (kn_sparse_format)14;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no format 14",
                   kn_tomography_operator_create(queue, &g, &options, &a, &err));
    ck_assert_ptr_null(a);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        on_a_device,      on_the_host, ran,     matrices,        projections,        phantom,
        phantom_sinogram, counts,      stripes, refused_stripes, refused_geometries, refused_calls};

    return test_run("tomography api", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
