// SPDX-License-Identifier: Apache-2.0
// Tests gridding: against gridding by its formulas in double precision, which shows the device's rounding;
// against the direct sums, which shows the error of the method; and refusals.
#include "gridding_support.h"

#include "app/mri/gridding/gridding_internal.h"
#include "cli/inputs/mri_files.h"
#include "io/array/cfl.h"

// ---- on the device ----

static struct mri_gridding *create(const struct problem *p, const struct mri_gridding_options *options)
{
    struct mri_gridding *gridding = NULL;

    test_prepare_numbers();
    EXPECT_OK(ki_mri_gridding_create(queue, &p->matrix, p->k, p->samples, options, &gridding, &err));
    return gridding;
}

static void read_numbers(kn_buffer *buffer, size_t count, double complex *numbers)
{
    float *floats = test_poisoned(count * 2 * sizeof *floats);

    EXPECT_OK(kn_buffer_read(queue, buffer, 0, floats, count * 2 * sizeof *floats, &err));
    for (size_t i = 0; i < count; i++)
        numbers[i] = mri_complex((double)floats[2 * i], (double)floats[2 * i + 1]);
    free(floats);
}

static void adjoint(const struct problem *p, struct mri_gridding *gridding, const double *weights,
                    double complex *image)
{
    char *poison = test_poisoned(p->voxels * 2 * sizeof(float));
    kn_buffer *buffer = test_upload_with_room(poison, p->voxels * 2 * sizeof(float), 64);

    EXPECT_OK(ki_mri_gridding_adjoint(queue, gridding, p->data, weights, buffer, &err));
    read_numbers(buffer, p->voxels, image);
    test_expect_poison(buffer, p->voxels * 2 * sizeof(float));
    kn_buffer_free(buffer);
    free(poison);
}

static void forward(const struct problem *p, struct mri_gridding *gridding, double complex *data)
{
    float *floats = test_poisoned(p->voxels * 2 * sizeof *floats),
          *after = test_poisoned(p->voxels * 2 * sizeof *after);
    char *poison = test_poisoned(p->samples * 2 * sizeof(float));
    kn_buffer *image, *out = test_upload_with_room(poison, p->samples * 2 * sizeof(float), 64);

    for (size_t n = 0; n < p->voxels; n++) {
        floats[2 * n] = (float)creal(p->image[n]);
        floats[2 * n + 1] = (float)cimag(p->image[n]);
    }
    image = test_upload_with_room(floats, p->voxels * 2 * sizeof *floats, 0);
    EXPECT_OK(ki_mri_gridding_forward(queue, gridding, image, out, &err));
    read_numbers(out, p->samples, data);
    test_expect_poison(out, p->samples * 2 * sizeof(float));
    EXPECT_OK(kn_buffer_read(queue, image, 0, after, p->voxels * 2 * sizeof *after, &err));
    ck_assert_msg(memcmp(floats, after, p->voxels * 2 * sizeof *after) == 0, "the image was changed");
    kn_buffer_free(image);
    kn_buffer_free(out);
    free(floats);
    free(after);
    free(poison);
}

// Unequal, odd, prime, single, with windows wider than the axis. Each has one width and oversampling, because
// each combination is a separate program.
static const struct {
    kn_recon_matrix matrix;
    double oversampling;
    unsigned width;
} cases[] = {
    {{2, {1, 1, 1}}, 2, 6},  {{2, {2, 3, 1}}, 1.25, 5},  {{2, {13, 1, 1}}, 1.5, 7}, {{2, {16, 16, 1}}, 2, 6},
    {{2, {31, 6, 1}}, 4, 8}, {{2, {8, 33, 1}}, 1.25, 8}, {{3, {3, 5, 2}}, 2, 4},    {{3, {1, 1, 7}}, 1.5, 2},
    {{3, {8, 6, 10}}, 2, 6}, {{3, {11, 7, 13}}, 1.5, 3},
};
enum { CASES = sizeof cases / sizeof *cases };

static const size_t counts[] = {0, 1, 2, 3, 31, 33, 100, 257};
enum { COUNTS = sizeof counts / sizeof *counts };

static bool is_tried(size_t i, size_t count)
{
    return !test_is_slow() || (counts[count] == 33 && (i == 2 || i == 6));
}

static void compare(const struct problem *p, double oversampling, unsigned width, unsigned group)
{
    const struct mri_gridding_options options = {
        .oversampling = oversampling, .width = width, .group = group, .split = 1 + (unsigned)p->samples / 3};
    struct mri_gridding *gridding = create(p, &options);
    double complex *image = test_poisoned(p->voxels * sizeof *image),
                   *wanted = test_poisoned(p->voxels * sizeof *wanted);
    double complex *data = test_poisoned(p->samples * sizeof *data),
                   *right = test_poisoned(p->samples * sizeof *right);
    double bound = floor_error(p, gridding, oversampling, width), error, data_squares = 0, image_squares = 0;

    for (size_t m = 0; m < p->samples; m++)
        data_squares += pow(cabs(p->weights[m] * p->data[m]), 2);
    for (size_t n = 0; n < p->voxels; n++)
        image_squares += pow(cabs(p->image[n]), 2);
    by_formula(p, gridding, oversampling, width, wanted, right);
    adjoint(p, gridding, p->weights, image);
    error = distance_of_sums(image, wanted, p->voxels, data_squares);
    ck_assert_msg(error <= bound, "%zu x %zu x %zu, %zu samples, %g, %u: adjoint %.3g, at most %.3g",
                  p->matrix.size[0], p->matrix.size[1], p->matrix.size[2], p->samples, oversampling, width,
                  error, bound);
    forward(p, gridding, data);
    error = distance_of_sums(data, right, p->samples, image_squares);
    ck_assert_msg(error <= bound, "%zu x %zu x %zu, %zu samples, %g, %u: forward %.3g, at most %.3g",
                  p->matrix.size[0], p->matrix.size[1], p->matrix.size[2], p->samples, oversampling, width,
                  error, bound);
    ki_mri_gridding_free(gridding);
    free(image);
    free(wanted);
    free(data);
    free(right);
}

START_TEST(formulas)
{
    uint64_t state = test_seed("formulas");

    for (size_t i = 0; i < CASES; i++)
        for (size_t c = 0; c < COUNTS; c++)
            if (is_tried(i, c)) {
                struct problem p = make(&cases[i].matrix, counts[c], &state);

                compare(&p, cases[i].oversampling, cases[i].width, 0);
                if (i == 6 || i == 8) // as neighbours in a group
                    compare(&p, cases[i].oversampling, cases[i].width, 32);
                discard(&p);
            }
}
END_TEST

// ---- the method's own error ----

// The relative error of the table in gridding.h.
static const double oversamplings[] = {1.25, 1.5, 2};
static const double table[3][6] = {{2.4e-2, 5.1e-3, 1.2e-3, 3.0e-4, 6.5e-5, 1.6e-5},
                                   {7.4e-3, 1.1e-3, 2.2e-4, 3.6e-5, 5.6e-6, 9.3e-7},
                                   {2.4e-3, 2.4e-4, 2.5e-5, 2.7e-6, 2.9e-7, 3.0e-8}};

static bool read_spiral(struct problem *p, double complex *reference)
{
    char paths[3][4200];
    struct mri_trajectory trajectory;
    struct npy ksp, fhd;

    if (!test_data_path("mri/impatient-64x64x1/traj.cfl", paths[0], sizeof paths[0]) ||
        !test_data_path("mri/impatient-64x64x1/ksp.cfl", paths[1], sizeof paths[1]) ||
        !test_data_path("mri/impatient-64x64x1/ref_fhd.cfl", paths[2], sizeof paths[2]))
        return false;
    EXPECT_OK(mri_trajectory_read(paths[0], &trajectory, &err));
    EXPECT_OK(cfl_read(paths[1], &ksp, &err));
    EXPECT_OK(cfl_read(paths[2], &fhd, &err));
    ck_assert_uint_eq(ksp.count, trajectory.samples);
    ck_assert_uint_eq(fhd.count, p->voxels);
    p->samples = trajectory.samples;
    p->k = trajectory.k;
    p->data = test_poisoned(p->samples * sizeof *p->data);
    for (size_t m = 0; m < p->samples; m++)
        p->data[m] = ((float complex *)ksp.data)[m];
    for (size_t n = 0; n < p->voxels; n++)
        reference[n] = ((float complex *)fhd.data)[n];
    npy_free(&ksp);
    npy_free(&fhd);
    return true;
}

// A brain's spiral scan. What single precision adds here is about the root of the sum of squares of, in eps =
// 2^-24: 1 an axis for the rounded distance (2 / sqrt(3) times 2 pi times the mean share of a turn, 0.14), 1
// an axis for its weight, 2.2 for the transform of 2^14 cells (0.6 sqrt(14)), 2 for a cell's sum, 1 for data,
// phases and A(n): 3.8 eps, 2.3e-7. The reference is rounded to floats, 3e-8. So 5 eps are given.
START_TEST(real_spiral)
{
    struct problem p = {.matrix = {2, {64, 64, 1}}, .voxels = 64 * 64};
    double complex *reference = test_poisoned(p.voxels * sizeof *reference),
                   *image = test_poisoned(p.voxels * sizeof *image);

    if (!test_is_slow() && read_spiral(&p, reference))
        for (size_t i = 0; i < 3; i++)
            for (unsigned width = 3; width <= 8; width++) {
                const struct mri_gridding_options options = {.oversampling = oversamplings[i],
                                                             .width = width};
                struct mri_gridding *gridding = create(&p, &options);
                double error;

                adjoint(&p, gridding, NULL, image);
                error = distance(image, reference, p.voxels);
                fprintf(stderr, "real_spiral: oversampling %g, width %u: error %.2g, table %.2g\n",
                        oversamplings[i], width, error, table[i][width - 3]);
                ck_assert_double_le(error,
                                    2 * table[i][width - 3] + (table[i][width - 3] < 1e-6 ? 5 * 0x1p-24 : 0));
                ki_mri_gridding_free(gridding);
            }
    discard(&p);
    free(reference);
    free(image);
}
END_TEST

// <F x, y> = <x, F^H y>, within the error of floats, for a large problem with windows on every edge.
START_TEST(adjoints)
{
    static const kn_recon_matrix large[] = {{2, {45, 70, 1}}, {3, {12, 18, 21}}};
    uint64_t state = test_seed("adjoints");

    for (size_t i = 0; i < (test_is_slow() ? 0 : 2); i++) {
        struct problem p = make(&large[i], 5000, &state);
        struct mri_gridding *gridding = create(&p, NULL);
        double complex *image = test_poisoned(p.voxels * sizeof *image),
                       *data = test_poisoned(p.samples * sizeof *data);
        double complex there = 0, back = 0;
        double found = 0, given = 0;

        adjoint(&p, gridding, NULL, image);
        forward(&p, gridding, data);
        for (size_t m = 0; m < p.samples; m++) {
            there += data[m] * conj(p.data[m]);
            found += pow(cabs(data[m]), 2);
            given += pow(cabs(p.data[m]), 2);
        }
        for (size_t n = 0; n < p.voxels; n++)
            back += p.image[n] * conj(image[n]);
        ck_assert_double_le(cabs(there - back), 2 * floor_error(&p, gridding, 2, 6) * sqrt(found * given));
        ki_mri_gridding_free(gridding);
        discard(&p);
        free(image);
        free(data);
    }
}
END_TEST

// ---- crowds, repetition ----

static void gather_samples(struct problem *p, size_t group)
{
    for (size_t i = 0; i < p->samples * MRI_AXES; i++)
        p->k[i] = p->k[i % (group * MRI_AXES)];
}

// All samples at one point: some tiles in many parts, most without samples. Compared with the direct sum,
// with the default window.
START_TEST(one_point)
{
    uint64_t state = test_seed("one_point");
    struct problem p = make(&(kn_recon_matrix){2, {48, 40, 1}}, test_is_slow() ? 50 : 20000, &state);
    double complex *image = test_poisoned(p.voxels * sizeof *image),
                   *wanted = test_poisoned(p.voxels * sizeof *wanted);
    double complex sum = 0;
    struct mri_gridding *gridding;

    gather_samples(&p, 1);
    gridding = create(&p, NULL);
    for (size_t m = 0; m < p.samples; m++)
        sum += p.weights[m] * p.data[m];
    EXPECT_OK(ki_mri_reference_adjoint(&p.matrix, p.k, 1, &sum, NULL, KN_RECON_SCALE_NONE, wanted, &err));
    adjoint(&p, gridding, p.weights, image);
    // The worst of one sample, at the image's corners, is some times the mean of many; and a cell sums up to
    // sqrt(samples) roundings, in parts, of what is sqrt(samples) times as large as the sum.
    ck_assert_double_le(distance(image, wanted, p.voxels),
                        10 * table[2][3] + sqrt((double)p.samples) * 0x1p-24);
    ki_mri_gridding_free(gridding);
    discard(&p);
    free(image);
    free(wanted);
}
END_TEST

START_TEST(bits_repeat)
{
    uint64_t state = test_seed("bits_repeat");
    struct problem p = make(&(kn_recon_matrix){2, {16, 16, 1}}, test_is_slow() ? 50 : 3000, &state);
    const struct mri_gridding_options small_parts = {.split = 16};
    double complex *images = test_poisoned(3 * p.voxels * sizeof *images),
                   *data = test_poisoned(2 * p.samples * sizeof *data);
    struct mri_gridding *gridding = create(&p, NULL), *again = create(&p, NULL),
                        *parts = create(&p, &small_parts);

    adjoint(&p, gridding, NULL, images);
    adjoint(&p, gridding, NULL, images + p.voxels);
    ck_assert_mem_eq(images, images + p.voxels, p.voxels * sizeof *images);
    adjoint(&p, again, NULL, images + p.voxels);
    ck_assert_mem_eq(images, images + p.voxels, p.voxels * sizeof *images);
    forward(&p, gridding, data);
    forward(&p, again, data + p.samples);
    ck_assert_mem_eq(data, data + p.samples, p.samples * sizeof *data);
    // Another split means another order: other bits, the same sum.
    adjoint(&p, parts, NULL, images + 2 * p.voxels);
    if (!test_is_slow()) // the sums of a few samples may be equal
        ck_assert(memcmp(images, images + 2 * p.voxels, p.voxels * sizeof *images) != 0);
    ck_assert_double_le(distance(images + 2 * p.voxels, images, p.voxels),
                        2 * floor_error(&p, gridding, 2, 6));
    ki_mri_gridding_free(gridding);
    ki_mri_gridding_free(again);
    ki_mri_gridding_free(parts);
    discard(&p);
    free(images);
    free(data);
}
END_TEST

// Launches of serial work-items have a limited number of windows, so that a request to stop does not wait
// long; the number of launches does not affect the bits of the sums.
START_TEST(in_pieces)
{
    uint64_t state = test_seed("in_pieces");
    struct problem p = make(&(kn_recon_matrix){3, {16, 16, 12}}, test_is_slow() ? 50 : 2000, &state);
    double complex *images = test_poisoned(2 * p.voxels * sizeof *images),
                   *data = test_poisoned(2 * p.samples * sizeof *data);
    struct mri_gridding *gridding = create(&p, NULL);

    adjoint(&p, gridding, NULL, images);
    forward(&p, gridding, data);
    if (gridding->serial) {
        ck_assert_uint_eq(gridding->piece, ((size_t)1 << 24) * context->device.info.compute_units / 216);
        ck_assert_uint_le(gridding->jobs, gridding->piece / gridding->shape.split);
        gridding->piece = 3 * gridding->shape.split;
        ck_assert_uint_gt(gridding->jobs, 3);
    }
    adjoint(&p, gridding, NULL, images + p.voxels);
    forward(&p, gridding, data + p.samples);
    ck_assert_mem_eq(images, images + p.voxels, p.voxels * sizeof *images);
    ck_assert_mem_eq(data, data + p.samples, p.samples * sizeof *data);
    ki_mri_gridding_free(gridding);
    discard(&p);
    free(images);
    free(data);
}
END_TEST

// A tile of many samples is computed in parts, as long as there are places for their sums.
START_TEST(places)
{
    uint64_t state = test_seed("places");
    struct problem p = make(&(kn_recon_matrix){3, {10, 8, 8}}, test_is_slow() ? 40 : 600, &state);
    const struct mri_gridding_options split = {.split = 7};
    struct mri_gridding *gridding = create(&p, &split);
    double complex *images = test_poisoned(2 * p.voxels * sizeof *images);

    ck_assert_uint_eq(gridding->places, 8 * p.samples / 7);
    adjoint(&p, gridding, NULL, images);
    // All places are taken before the last tile.
    gridding->places = 5;
    gridding->jobs = gridding->tiles + 5;
    EXPECT_OK(ki_mri_gridding_set(queue, gridding, &err));
    adjoint(&p, gridding, NULL, images + p.voxels);
    ck_assert_double_le(distance(images + p.voxels, images, p.voxels), 2 * floor_error(&p, gridding, 2, 6));
    ki_mri_gridding_free(gridding);
    discard(&p);
    free(images);
}
END_TEST

START_TEST(not_a_number)
{
    uint64_t state = test_seed("not_a_number");
    struct problem p = make(&(kn_recon_matrix){2, {16, 16, 1}}, 33, &state);
    struct mri_gridding *gridding = create(&p, NULL);
    double complex *image = test_poisoned(p.voxels * sizeof *image);

    p.data[17] = mri_complex(NAN, 0);
    adjoint(&p, gridding, NULL, image);
    for (size_t n = 0; n < p.voxels; n++)
        ck_assert_msg(isnan(creal(image[n])) || isnan(cimag(image[n])), "voxel %zu is a number", n);
    // None of the data is left for the next call.
    p.data[17] = 1;
    adjoint(&p, gridding, NULL, image);
    for (size_t n = 0; n < p.voxels; n++)
        ck_assert_msg(isfinite(creal(image[n])) && isfinite(cimag(image[n])), "voxel %zu is not a number", n);
    ki_mri_gridding_free(gridding);
    discard(&p);
    free(image);
}
END_TEST

// Both kernels in tiles of several sizes, each with its own order of the same sum: a group of one adds
// samples to cells, others gather them.
START_TEST(groups_and_tiles)
{
    static const struct mri_gridding_options tried[] = {{.group = 1},
                                                        {.group = 16, .tile = {8, 8}},
                                                        {.group = 64, .tile = {64, 16}},
                                                        {.group = 256, .tile = {16, 16}}};
    enum { TRIED = sizeof tried / sizeof *tried };
    uint64_t state = test_seed("groups_and_tiles");
    struct problem p = make(&(kn_recon_matrix){2, {37, 20, 1}}, test_is_slow() ? 40 : 2000, &state);
    double complex *images = test_poisoned((TRIED + 1) * p.voxels * sizeof *images);
    size_t first = kn_context_get_device(context)->loop_limit ? 1 : 0;

    EXPECT_OK(ki_mri_reference_adjoint(&p.matrix, p.k, p.samples, p.data, NULL, KN_RECON_SCALE_NONE,
                                       images + TRIED * p.voxels, &err));
    for (size_t i = first; i < (test_is_slow() ? 2 : TRIED); i++) {
        struct mri_gridding *gridding = create(&p, &tried[i]);

        adjoint(&p, gridding, NULL, images + i * p.voxels);
        // Random samples meet the worst of the window everywhere, those of the table the values of a brain in
        // the middle.
        ck_assert_double_le(distance(images + i * p.voxels, images + TRIED * p.voxels, p.voxels),
                            4 * table[2][3]);
        if (i > first)
            ck_assert(memcmp(images + i * p.voxels, images + first * p.voxels, p.voxels * sizeof *images) !=
                      0);
        ki_mri_gridding_free(gridding);
    }
    discard(&p);
    free(images);
}
END_TEST

// ---- refusals ----

static void refuse(kn_status status, const char *words, const kn_recon_matrix *matrix, const double *k,
                   double oversampling, unsigned width, unsigned group, unsigned tile)
{
    const struct mri_gridding_options options = {
        .oversampling = oversampling, .width = width, .group = group, .tile = {tile}};
    struct mri_gridding *gridding = NULL;

    EXPECT_REFUSED(status, words, ki_mri_gridding_create(queue, matrix, k, 1, &options, &gridding, &err));
    ck_assert_ptr_null(gridding);
}

START_TEST(refusals)
{
    const kn_recon_matrix plane = {2, {8, 8, 1}}, line = {1, {8, 1, 1}}, nothing = {2, {8, 0, 1}};
    const kn_recon_matrix huge = {3, {30000, 30000, 30000}}, odd = {3, {8, 8, 2}};
    const double k[] = {1, 2, 0}, no_number[] = {1, NAN, 0}, infinite[] = {1, 2, INFINITY};
    double complex data = 1;
    struct mri_gridding *gridding = NULL;
    kn_buffer *small = test_upload_with_room(k, 16, 0);

    refuse(KN_ERROR_ARGUMENT, "a window 1 cells wide; expected 2 to 8", &plane, k, 2, 1, 0, 0);
    refuse(KN_ERROR_ARGUMENT, "a window 9 cells wide; expected 2 to 8", &plane, k, 2, 9, 0, 0);
    refuse(KN_ERROR_ARGUMENT, "an oversampling of 1.2; expected 1.25 to 4", &plane, k, 1.2, 6, 0, 0);
    refuse(KN_ERROR_ARGUMENT, "an oversampling of 4.5", &plane, k, 4.5, 6, 0, 0);
    refuse(KN_ERROR_ARGUMENT, "an oversampling of nan", &plane, k, NAN, 6, 0, 0);
    refuse(KN_ERROR_ARGUMENT, "a group of 48 work-items; expected a power of two", &plane, k, 0, 0, 48, 0);
    refuse(KN_ERROR_ARGUMENT, "a matrix of 1 axes; expected 2 or 3", &line, k, 0, 0, 0, 0);
    refuse(KN_ERROR_ARGUMENT, "a matrix of 8 x 0 x 1", &nothing, k, 0, 0, 0, 0);
    refuse(KN_ERROR_LIMIT, "need a grid of 1609325.4 GiB", &huge, k, 0, 0, 0, 0);
    refuse(KN_ERROR_ARGUMENT, "ky of sample 0 is nan; expected cycles per field of view", &plane, no_number,
           0, 0, 0, 0);
    refuse(KN_ERROR_ARGUMENT, "kz of sample 0 is inf", &odd, infinite, 0, 0, 0, 0);
    refuse(KN_ERROR_ARGUMENT, "tiles of 4 cells; expected a power of two from 8 to 64", &plane, k, 0, 0, 0,
           4);
    refuse(KN_ERROR_ARGUMENT, "tiles of 24 cells", &plane, k, 0, 0, 0, 24);
    refuse(KN_ERROR_ARGUMENT, "tiles of 128 cells", &plane, k, 0, 0, 0, 128);
    if (kn_context_get_device(context)->loop_limit)
        refuse(KN_ERROR_UNSUPPORTED, "a group of 1 work-item", &plane, k, 0, 0, 1, 0);
    // With two axes kz is ignored.
    EXPECT_OK(ki_mri_gridding_create(queue, &plane, infinite, 1, NULL, &gridding, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the image is of 16 bytes; expected 512",
                   ki_mri_gridding_adjoint(queue, gridding, &data, NULL, small, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the image is of 0 bytes",
                   ki_mri_gridding_forward(queue, gridding, NULL, small, &err));
    ki_mri_gridding_free(gridding);
    ki_mri_gridding_free(NULL);
    kn_buffer_free(small);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {formulas,  real_spiral, adjoints,         one_point,    bits_repeat,
                                  in_pieces, places,      groups_and_tiles, not_a_number, refusals};

    return test_run("mri gridding", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
