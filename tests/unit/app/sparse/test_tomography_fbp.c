// SPDX-License-Identifier: Apache-2.0
// Tests filtered back-projection (koine/tomography.h, koine/least_squares.h) on the host, at every level, and
// on a device, of parallel beams and fans, against convolutions and interpolations in double precision; with
// discs, whose projections are known; refusals.
#include "fbp_support.h"
#include "sparse_api_support.h"

#include <koine/koine.h>

#include "support/compare.h"

struct problem {
    kn_tomography_geometry geometry;
    double theta[16], *sinogram, *wanted; // theta: where it is given
    double greatest, sum;                 // greatest: of filtered projections; sum: of absolute values, of
                                          // any projection
    size_t rays, pixels;
};

// ---- the reference ----

// Half the angle to both neighbours, modulo half a turn; a gap of more than four times the mean does not
// count.
static double weight_of(const struct problem *p, size_t t)
{
    const size_t angles = p->geometry.angles;
    const double most = 4 * PI / (double)angles;
    double up = PI, down = PI;

    for (size_t s = 0; s < angles && p->geometry.theta; s++) {
        double distance = fmod(fmod(p->theta[s] - p->theta[t], PI) + PI, PI);

        if (s != t) {
            up = fmin(up, distance);
            down = fmin(down, PI - distance);
        }
    }
    if (!p->geometry.theta)
        return PI / (double)angles;
    if (up > most || down > most)
        return fmin(most, fmin(up, down));
    return (up + down) / 2;
}

static void reconstruct(struct problem *p, kn_tomography_filter filter)
{
    const size_t detectors = p->geometry.detectors, size = p->geometry.size, angles = p->geometry.angles;
    const double axis = ((double)detectors - 1) / 2 + p->geometry.axis_offset, half = ((double)size - 1) / 2;
    size_t length = 64;
    double *row = test_allocate(detectors * sizeof *row), *h;

    while (length < 2 * detectors)
        length *= 2;
    h = convolution(filter, length);
    memset(p->wanted, 0, p->pixels * sizeof *p->wanted);
    p->greatest = p->sum = 0;
    for (size_t t = 0; t < angles; t++) {
        const double theta = p->geometry.theta ? p->theta[t] : PI * (double)t / (double)angles;
        const double weight = weight_of(p, t);
        double sum = 0;

        for (size_t k = 0; k < detectors; k++) {
            sum += fabs(p->sinogram[t * detectors + k]);
            row[k] = 0;
            for (size_t j = 0; j < detectors; j++)
                row[k] += h[k > j ? k - j : j - k] * p->sinogram[t * detectors + j];
            p->greatest = fmax(p->greatest, fabs(row[k]));
        }
        p->sum = fmax(p->sum, sum);
        for (size_t i = 0; i < p->pixels; i++) {
            double u =
                axis + ((double)(i % size) - half) * cos(theta) + ((double)(i / size) - half) * sin(theta);
            double low = floor(u);

            p->wanted[i] += weight * ((low + 1 - u) * at_detector(row, detectors, low) +
                                      (u - low) * at_detector(row, detectors, low + 1));
        }
    }
    free(row);
    free(h);
}

static struct problem make_problem(size_t angles, size_t detectors, size_t size, double offset,
                                   bool give_angles, uint64_t *state)
{
    struct problem p = {.rays = angles * detectors, .pixels = size * size};

    p.geometry = KN_INIT(kn_tomography_geometry, .angles = angles, .detectors = detectors, .size = size,
                         .axis_offset = offset);
    for (size_t t = 0; t < angles && give_angles; t++)
        p.theta[t] = 20 * test_uniform(state) - 10;
    p.sinogram = random_numbers(p.rays, state);
    p.wanted = test_allocate(p.pixels * sizeof *p.wanted);
    return p;
}

static void free_problem(struct problem *p)
{
    free(p->sinogram);
    free(p->wanted);
}

// ---- beside the reference ----

// A transform of up to 512 points is off by 32 roundings of its points' sum, and there are two. Places are
// off by a few roundings of up to 512 detectors, in single precision by some of a chunk of 128; two
// neighbours differ by twice the greatest number. Then a sum over the projections.
static double bound_of(const struct problem *p, kn_type type)
{
    const double unit = type == KN_F32 ? 0x1p-24 : 0x1p-53, places = type == KN_F32 ? 512 : 2048;

    return PI * unit * (64 * p->sum + (2 * places + (double)p->geometry.angles + 8) * p->greatest);
}

static void expect_picture(const struct problem *p, const void *found, kn_type type, const char *what)
{
    const double bound = bound_of(p, type);

    for (size_t i = 0; i < p->pixels; i++) {
        double value = type == KN_F32 ? (double)((const float *)found)[i] : ((const double *)found)[i];

        ck_assert_msg(fabs(value - p->wanted[i]) <= bound,
                      "%s, %zu x %zu to %zu: pixel %zu is %g, not %g +- %g", what, p->geometry.angles,
                      p->geometry.detectors, p->geometry.size, i, value, p->wanted[i], bound);
    }
}

// The picture, from arrays; the caller frees it.
static void *run(const struct problem *p, kn_queue *on, kn_tomography_fbp_options options, kn_type type)
{
    const size_t bytes = p->pixels * kn_type_size(type);
    kn_tomography_geometry geometry = p->geometry;
    float *singles = test_allocate(p->rays * sizeof *singles);
    void *picture = test_poisoned(bytes + API_ROOM);
    kn_tomography_fbp_plan *plan = NULL;

    geometry.theta = geometry.theta ? p->theta : NULL;
    for (size_t i = 0; i < p->rays; i++)
        singles[i] = (float)p->sinogram[i];
    EXPECT_OK(kn_tomography_fbp_plan_create(on, &geometry, &options, &plan, &err));
    for (unsigned again = 0; again < 2; again++) {
        memset(picture, 0xff, bytes);
        EXPECT_OK(
            kn_tomography_fbp_execute(plan, type == KN_F32 ? (void *)singles : p->sinogram, picture, &err));
    }
    expect_room(picture, bytes, bytes + API_ROOM);
    kn_tomography_fbp_plan_free(plan);
    free(singles);
    return picture;
}

static const struct {
    size_t angles, detectors, size;
    double offset;
    bool give_angles;
} shapes[] = {{1, 1, 1, 0, false},        {7, 33, 31, 0, true},    {5, 20, 150, 0.5, true},
              {9, 130, 66, -3.25, false}, {4, 16, 16, 31.5, true}, {6, 16, 140, -25, false}};

START_TEST(host)
{
    uint64_t state = test_seed("host");
    const unsigned most = count_levels();

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (kn_tomography_filter filter = 0; filter <= KN_TOMOGRAPHY_HANN; filter += s == 1 ? 1 : 4) {
            struct problem p = make_problem(shapes[s].angles, shapes[s].detectors, shapes[s].size,
                                            shapes[s].offset, shapes[s].give_angles, &state);

            p.geometry.theta = shapes[s].give_angles ? p.theta : NULL;
            reconstruct(&p, filter);
            for (unsigned level = 0; level < most; level++)
                for (unsigned single = 0; single < 2; single++) {
                    const kn_type type = single ? KN_F32 : KN_F64;
                    kn_tomography_fbp_options options =
                        KN_INIT(kn_tomography_fbp_options, .filter = filter, .type = type, .threads = 1,
                                .level = fbp_levels[level]);
                    void *picture = run(&p, NULL, options, type), *other;

                    expect_picture(&p, picture, type, kn_tomography_filter_name(filter));
                    options.threads = 3;
                    other = run(&p, NULL, options, type);
                    ck_assert_msg(memcmp(picture, other, p.pixels * kn_type_size(type)) == 0,
                                  "threads change the bits");
                    free(picture);
                    free(other);
                }
            free_problem(&p);
        }
}
END_TEST

START_TEST(device)
{
    uint64_t state = test_seed("device");

    for (size_t s = 1; s < sizeof shapes / sizeof *shapes; s += 2) {
        struct problem p = make_problem(shapes[s].angles, shapes[s].detectors, shapes[s].size,
                                        shapes[s].offset, shapes[s].give_angles, &state);
        const kn_tomography_fbp_options options =
            KN_INIT(kn_tomography_fbp_options, .filter = KN_TOMOGRAPHY_SHEPP_LOGAN);
        void *picture;

        p.geometry.theta = shapes[s].give_angles ? p.theta : NULL;
        reconstruct(&p, KN_TOMOGRAPHY_SHEPP_LOGAN);
        picture = run(&p, queue, options, KN_F32);
        expect_picture(&p, picture, KN_F32, "a device");
        free(picture);
        free_problem(&p);
    }
}
END_TEST

// ---- fans ----

// The reference by Kak and Slaney's equations: projections times the cosine of the ray's angle, convolved in
// space with the ramp (of an arc: times (gamma / sin gamma)^2), and over the square of the distance.
static void reconstruct_fan(struct problem *p)
{
    const size_t detectors = p->geometry.detectors, size = p->geometry.size, angles = p->geometry.angles;
    const double axis = ((double)detectors - 1) / 2 + p->geometry.axis_offset, half = ((double)size - 1) / 2,
                 source = p->geometry.source_distance, length = source + p->geometry.detector_distance;
    const bool flat = p->geometry.beam == KN_TOMOGRAPHY_FAN_FLAT;
    double *row = test_allocate(detectors * sizeof *row);

    memset(p->wanted, 0, p->pixels * sizeof *p->wanted);
    p->greatest = p->sum = 0;
    for (size_t t = 0; t < angles; t++) {
        const double theta = p->geometry.theta ? p->theta[t] : 2 * PI * (double)t / (double)angles;
        double sum = 0;

        for (size_t k = 0; k < detectors; k++)
            sum += fabs(p->sinogram[t * detectors + k]);
        p->sum = fmax(p->sum, sum);
        for (size_t k = 0; k < detectors; k++) {
            row[k] = 0;
            for (size_t j = 0; j < detectors; j++) {
                const double u = ((double)j - axis) / length, n = (double)j - (double)k, gamma = n / length;
                const double ramp = j == k ? 0.25 : (j - k) % 2 == 0 ? 0 : -1 / (PI * n * PI * n);

                row[k] += p->sinogram[t * detectors + j] * (flat ? 1 / sqrt(1 + u * u) : cos(u)) * ramp *
                          (flat || j == k ? 1 : pow(gamma / sin(gamma), 2));
            }
            p->greatest = fmax(p->greatest, fabs(row[k]));
        }
        for (size_t i = 0; i < p->pixels; i++) {
            // From the source, in the directions of the detectors and of the ray through the axis.
            const double x = (double)(i % size) - half + source * sin(theta),
                         y = (double)(i / size) - half - source * cos(theta);
            const double beside = x * cos(theta) + y * sin(theta), ahead = x * sin(theta) - y * cos(theta);
            const double u = axis + length * (flat ? beside / ahead : atan2(beside, ahead)), low = floor(u);

            p->wanted[i] += PI / (double)angles * length * source /
                            (flat ? ahead * ahead : beside * beside + ahead * ahead) *
                            ((low + 1 - u) * at_detector(row, detectors, low) +
                             (u - low) * at_detector(row, detectors, low + 1));
        }
    }
    free(row);
}

static const struct {
    size_t angles, detectors, size;
    double source, detector, offset;
} fans[] = {
    {1, 1, 1, 2, 1, 0}, {8, 33, 31, 40, 25, 0.75}, {5, 61, 32, 30, 60, -3.25}, {9, 20, 40, 200, -150, 4}};

static struct problem make_fan(size_t which, bool curved, uint64_t *state)
{
    struct problem p = make_problem(fans[which].angles, fans[which].detectors, fans[which].size,
                                    fans[which].offset, false, state);
    const double first = 6 * test_uniform(state);

    p.geometry.beam = curved ? KN_TOMOGRAPHY_FAN_CURVED : KN_TOMOGRAPHY_FAN_FLAT;
    p.geometry.source_distance = fans[which].source;
    p.geometry.detector_distance = fans[which].detector;
    for (size_t t = 0; t < p.geometry.angles; t++) // even, in another order, from anywhere
        p.theta[t] = first - 2 * PI * (double)(3 * t) / (double)p.geometry.angles;
    return p;
}

// As bound_of. Places are off by some roundings of the distances, detectors and pixels that they are computed
// from, enlarged by the distance from source to detectors over the pixel's; and so are the weights.
static double bound_of_fan(const struct problem *p, kn_type type)
{
    const double unit = type == KN_F32 ? 0x1p-24 : 0x1p-53, source = p->geometry.source_distance,
                 near = source - (double)p->geometry.size * sqrt(0.5),
                 enlarged = (source + p->geometry.detector_distance) / near,
                 numbers = source + (double)(p->geometry.detectors + p->geometry.size),
                 places = 2 * numbers * enlarged, weights = 2 * numbers / near;

    return PI * enlarged * source / near * unit *
           (64 * p->sum + (2 * places + weights + (double)p->geometry.angles + 16) * p->greatest);
}

START_TEST(fan)
{
    uint64_t state = test_seed("fan");

    for (unsigned kind = 0; kind < 8; kind++) {
        struct problem p = make_fan(kind / 2, kind % 2, &state);

        if (p.geometry.angles % 3)
            p.geometry.theta = p.theta;
        reconstruct_fan(&p);
        for (unsigned place = 0; place < 3; place++) {
            const kn_type type = place == 0 ? KN_F64 : KN_F32;
            const kn_tomography_fbp_options options = KN_INIT(kn_tomography_fbp_options, .type = type);
            void *picture = run(&p, place == 2 ? queue : NULL, options, type);
            double worst = 0;

            for (size_t i = 0; i < p.pixels; i++) {
                const double found = type == KN_F64 ? ((double *)picture)[i] : (double)((float *)picture)[i],
                             off = fabs(found - p.wanted[i]) / bound_of_fan(&p, type);

                ck_assert_msg(off <= 1, "kind %u, place %u, pixel %zu: %.9g, not %.9g", kind, place, i, found,
                              p.wanted[i]);
                worst = fmax(worst, off);
            }
            fprintf(stderr, "fan: kind %u, place %u: %.2g of the bound\n", kind, place, worst);
            free(picture);
        }
        free_problem(&p);
    }
}
END_TEST

// The exact sinogram of two discs, of density 1 and, within it, 1 more: the picture has these densities, to
// the accuracy of detectors and views, away from edges and within the circle that all projections see.
START_TEST(discs)
{
    enum { ANGLES = 240, DETECTORS = 180, SIZE = 64 };
    static const double disc[2][3] = {{3, -2, 24}, {-4, 6, 7}}; // centre and radius
    double *sinogram = test_allocate(ANGLES * DETECTORS * sizeof *sinogram), picture[SIZE * SIZE];

    for (unsigned kind = 0; kind < 4; kind++) {
        const bool curved = kind % 2, on_device = kind >= 2;
        const double source = 110, length = 230;
        const kn_tomography_geometry geometry =
            KN_INIT(kn_tomography_geometry, .angles = ANGLES, .detectors = DETECTORS, .size = SIZE,
                    .axis_offset = 2.5, .beam = curved ? KN_TOMOGRAPHY_FAN_CURVED : KN_TOMOGRAPHY_FAN_FLAT,
                    .source_distance = source, .detector_distance = length - source);
        struct problem p = {
            .geometry = geometry, .sinogram = sinogram, .rays = ANGLES * DETECTORS, .pixels = SIZE * SIZE};
        const kn_type type = on_device ? KN_F32 : KN_F64;
        const kn_tomography_fbp_options options =
            KN_INIT(kn_tomography_fbp_options, .type = type, .filter = KN_TOMOGRAPHY_HANN);
        double worst = 0;
        void *found;

        for (size_t i = 0; i < ANGLES * DETECTORS; i++) {
            const double theta = 2 * PI * (double)(i / DETECTORS) / ANGLES,
                         u = (double)(i % DETECTORS) - ((double)DETECTORS - 1) / 2 - 2.5;
            const double gamma = curved ? u / length : atan(u / length);

            sinogram[i] = 0;
            for (unsigned d = 0; d < 2; d++) {
                // The disc's centre from the source, across the ray.
                const double x = disc[d][0] + source * sin(theta), y = disc[d][1] - source * cos(theta),
                             across = x * cos(theta + gamma) + y * sin(theta + gamma);
                const double square = disc[d][2] * disc[d][2] - across * across;

                sinogram[i] += square > 0 ? 2 * sqrt(square) : 0;
            }
        }
        found = run(&p, on_device ? queue : NULL, options, type);
        for (size_t i = 0; i < SIZE * SIZE; i++) {
            const double right = (double)(i % SIZE) - 31.5, down = (double)(i / SIZE) - 31.5;
            double wanted = 0, edge = SIZE;

            picture[i] = on_device ? (double)((float *)found)[i] : ((double *)found)[i];
            for (unsigned d = 0; d < 2; d++) {
                const double distance =
                    hypot((double)(i % SIZE) - 31.5 - disc[d][0], (double)(i / SIZE) - 31.5 - disc[d][1]);

                wanted += distance < disc[d][2];
                edge = fmin(edge, fabs(distance - disc[d][2]));
            }
            if (edge >= 4 && hypot(right, down) <= 31)
                worst = fmax(worst, fabs(picture[i] - wanted));
        }
        fprintf(stderr, "discs: kind %u, off by up to %.2g\n", kind, worst);
        ck_assert_double_le(worst, 0.03);
        free(found);
    }
    free(sinogram);
}
END_TEST

// A fan from far away gives the picture of the parallel beam: the same projections, seen twice.
START_TEST(far_fan)
{
    enum { ANGLES = 18, DETECTORS = 40, SIZE = 30 };
    uint64_t state = test_seed("far_fan");
    struct problem p = make_problem(2 * ANGLES, DETECTORS, SIZE, 0, false, &state);
    struct problem half = {
        .geometry = p.geometry, .sinogram = p.sinogram, .rays = ANGLES * DETECTORS, .pixels = SIZE * SIZE};
    const kn_tomography_fbp_options options = KN_INIT(kn_tomography_fbp_options, .type = KN_F64);
    double *wanted, greatest = 0;

    half.geometry.angles = ANGLES;
    for (size_t i = 0; i < half.rays; i++) // from the other side, detectors are in the other order
        p.sinogram[half.rays + i / DETECTORS * DETECTORS + DETECTORS - 1 - i % DETECTORS] = p.sinogram[i];
    wanted = run(&half, NULL, options, KN_F64);
    for (size_t i = 0; i < p.pixels; i++)
        greatest = fmax(greatest, fabs(wanted[i]));
    p.geometry.source_distance = 1e7;
    for (unsigned curved = 0; curved < 2; curved++) {
        double *found;

        p.geometry.beam = curved ? KN_TOMOGRAPHY_FAN_CURVED : KN_TOMOGRAPHY_FAN_FLAT;
        found = run(&p, NULL, options, KN_F64);
        // Positions are off by 20 * 20 / 1e7.
        for (size_t i = 0; i < p.pixels; i++)
            ck_assert_msg(fabs(found[i] - wanted[i]) < 1e-3 * greatest, "pixel %zu: %g, not %g", i, found[i],
                          wanted[i]);
        free(found);
    }
    free(wanted);
    free_problem(&p);
}
END_TEST

START_TEST(buffers)
{
    enum { ANGLES = 5, DETECTORS = 21, SIZE = 18 };
    uint64_t state = test_seed("buffers");
    struct problem p = make_problem(ANGLES, DETECTORS, SIZE, 0, false, &state);
    const kn_tomography_fbp_options options =
        KN_INIT(kn_tomography_fbp_options, .filter = KN_TOMOGRAPHY_RAMP);
    kn_tomography_fbp_plan *plan = NULL, *hosts = NULL;
    float singles[ANGLES * DETECTORS], *found = test_poisoned(SIZE * SIZE * sizeof *found);
    kn_buffer *sinogram, *picture;

    for (size_t i = 0; i < p.rays; i++)
        singles[i] = (float)p.sinogram[i];
    reconstruct(&p, KN_TOMOGRAPHY_RAMP);
    sinogram = test_upload_with_room(singles, sizeof singles, 0);
    picture = test_upload_with_room(found, SIZE * SIZE * sizeof *found, API_ROOM);
    EXPECT_OK(kn_tomography_fbp_plan_create(queue, &p.geometry, &options, &plan, &err));
    EXPECT_OK(kn_tomography_fbp_execute_buffers(plan, sinogram, picture, &err));
    EXPECT_OK(kn_buffer_read(queue, picture, 0, found, SIZE * SIZE * sizeof *found, &err));
    test_expect_poison(picture, SIZE * SIZE * sizeof *found);
    expect_picture(&p, found, KN_F32, "buffers");
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "picture",
                   kn_tomography_fbp_execute_buffers(plan, picture, sinogram, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_tomography_fbp_execute_buffers(plan, NULL, picture, &err));
    EXPECT_OK(kn_tomography_fbp_plan_create(NULL, &p.geometry, NULL, &hosts, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "is the host's",
                   kn_tomography_fbp_execute_buffers(hosts, sinogram, picture, &err));
    kn_tomography_fbp_plan_free(hosts);
    kn_tomography_fbp_plan_free(plan);
    kn_buffer_free(sinogram);
    kn_buffer_free(picture);
    free(found);
    free_problem(&p);
}
END_TEST

// ---- a disc ----

// A disc of ones is reconstructed with its value, and with 0 outside.
START_TEST(disc)
{
    enum { ANGLES = 180, DETECTORS = 101, SIZE = 101 };
    const double radius = 30, x0 = 8, y0 = -5;
    kn_tomography_geometry geometry =
        KN_INIT(kn_tomography_geometry, .angles = ANGLES, .detectors = DETECTORS, .size = SIZE);
    double *sinogram = test_allocate(ANGLES * DETECTORS * sizeof *sinogram),
           *picture = test_poisoned(SIZE * SIZE * sizeof *picture), inside = 0, outside = 0;
    kn_tomography_fbp_plan *plan = NULL;
    size_t in = 0, out = 0;

    for (size_t i = 0; i < ANGLES * DETECTORS; i++) {
        double theta = PI * (double)(i / DETECTORS) / ANGLES;
        double distance = (double)(i % DETECTORS) - (DETECTORS - 1) / 2.0 - x0 * cos(theta) - y0 * sin(theta);

        sinogram[i] = 2 * sqrt(fmax(0, radius * radius - distance * distance));
    }
    EXPECT_OK(kn_tomography_fbp_plan_create(NULL, &geometry, NULL, &plan, &err));
    EXPECT_OK(kn_tomography_fbp_execute(plan, sinogram, picture, &err));
    for (size_t i = 0; i < SIZE * SIZE; i++) {
        double x = (double)(i % SIZE) - (SIZE - 1) / 2.0 - x0, y = (double)(i / SIZE) - (SIZE - 1) / 2.0 - y0;
        double r = sqrt(x * x + y * y);

        if (r < radius - 3) {
            inside += picture[i];
            in++;
        } else if (r > radius + 3 && r < radius + 10) {
            outside += picture[i];
            out++;
        }
    }
    ck_assert_msg(fabs(inside / (double)in - 1) < 0.003, "the disc is %g", inside / (double)in);
    ck_assert_msg(fabs(outside / (double)out) < 0.003, "outside it is %g", outside / (double)out);
    kn_tomography_fbp_plan_free(plan);
    free(sinogram);
    free(picture);
}
END_TEST

// ---- as a method of least squares ----

START_TEST(method)
{
    enum { COUNT = 2 };
    uint64_t state = test_seed("method");
    struct problem p = make_problem(6, 19, 16, 1.5, false, &state);
    double *b = random_numbers(COUNT * p.rays, &state), *x = test_poisoned(COUNT * p.pixels * sizeof *x),
           *ax = test_allocate(p.rays * sizeof *ax);
    const kn_least_squares_task task =
        KN_INIT(kn_least_squares_task, .geometry = &p.geometry, .b = b, .count = COUNT);

    for (unsigned kind = 0; kind < 3; kind++) {
        const kn_least_squares_options options =
            KN_INIT(kn_least_squares_options, .method = KN_LEAST_SQUARES_FBP, .iterations = 3,
                    .filter = KN_TOMOGRAPHY_COSINE, .type = kind == 1 ? KN_F32 : (kn_type)0);
        kn_least_squares_result *result = NULL;
        kn_sparse_memory memory = {0, 0};

        for (size_t i = 0; i < COUNT * p.pixels; i++)
            x[i] = 7; // a start, which is ignored
        EXPECT_OK(kn_least_squares(kind == 2 ? queue : NULL, &task, x, &options, &result, &err));
        ck_assert_int_eq(kn_least_squares_get_type(result), kind == 0 ? KN_F64 : KN_F32);
        EXPECT_OK(kn_least_squares_estimate_memory(kind == 2 ? queue : NULL, &task, &memory, &options, &err));
        ck_assert(memory.host > 0 && (memory.device > 0) == (kind == 2));
        for (size_t i = 0; i < COUNT; i++) {
            const kn_least_squares_solution *solution = kn_least_squares_get_solution(result, i);
            double rest = 0, whole = 0;

            memcpy(p.sinogram, b + i * p.rays, p.rays * sizeof *b);
            reconstruct(&p, KN_TOMOGRAPHY_COSINE);
            for (size_t k = 0; k < p.pixels; k++)
                ck_assert(fabs(x[i * p.pixels + k] - p.wanted[k]) <=
                          bound_of(&p, kind == 0 ? KN_F64 : KN_F32));
            EXPECT_OK(
                kn_tomography_project(NULL, &p.geometry, false, x + i * p.pixels, ax, KN_SPARSE_AUTO, &err));
            for (size_t k = 0; k < p.rays; k++) {
                rest += pow(ax[k] - b[i * p.rays + k], 2);
                whole += pow(b[i * p.rays + k], 2);
            }
            ck_assert(fabs(solution->residual - sqrt(rest / whole)) < 1e-12);
            ck_assert(isnan(solution->normal_residual) && isnan(solution->error_estimate));
            ck_assert_uint_eq(solution->iterations, 0);
            ck_assert_int_eq(solution->stopped, KN_LEAST_SQUARES_STOPPED_DIRECT);
        }
        kn_least_squares_result_free(result);
    }
    free(b);
    free(x);
    free(ax);
    free_problem(&p);
}
END_TEST

// ---- what is refused ----

START_TEST(refused)
{
#define OPTIONS(...) KN_INIT(kn_tomography_fbp_options, __VA_ARGS__)
    kn_tomography_geometry geometry = KN_INIT(kn_tomography_geometry, .angles = 2, .detectors = 3, .size = 2);
    kn_tomography_geometry half_turn =
        KN_INIT(kn_tomography_geometry, .angles = 44, .detectors = 3, .size = 2,
                .beam = KN_TOMOGRAPHY_FAN_FLAT, .source_distance = 9);
    const double sinogram[] = {1, 2, 3, 4, 5, NAN};
    double theta[44];
    double picture[4] = {42};
    kn_tomography_fbp_plan *plan = NULL;
    const struct {
        kn_status status;
        const char *words;
        kn_queue *on;
        kn_tomography_fbp_options options;
    } plans[] = {{KN_ERROR_ARGUMENT, "no filter 5", NULL, OPTIONS(.filter = (kn_tomography_filter)5)},
                 {KN_ERROR_UNSUPPORTED, "expected KN_F64", NULL, OPTIONS(.type = KN_I32)},
                 {KN_ERROR_UNSUPPORTED, "single precision only", queue, OPTIONS(.type = KN_F64)},
                 {KN_ERROR_ARGUMENT, "the host's", queue, OPTIONS(.threads = 2)},
                 {KN_ERROR_ARGUMENT, "no level 9", NULL, OPTIONS(.level = (kn_host_level)9)},
                 {KN_ERROR_ARGUMENT, "kn_tomography_fbp_options", NULL, {.struct_size = 0}}};

    for (size_t t = 0; t < 44; t++)
        theta[t] = PI * (double)(4 * t) / 180;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        EXPECT_REFUSED(plans[i].status, plans[i].words,
                       kn_tomography_fbp_plan_create(plans[i].on, &geometry, &plans[i].options, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_tomography_fbp_plan_create(NULL, NULL, NULL, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL",
                   kn_tomography_fbp_plan_create(NULL, &geometry, NULL, NULL, &err));
    geometry.detectors = 0;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "0 detectors",
                   kn_tomography_fbp_plan_create(NULL, &geometry, NULL, &plan, &err));
    ck_assert_ptr_null(plan);
    geometry.detectors = 3;
    half_turn.theta = theta;
    for (unsigned place = 0; place < 2; place++)
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "none in the 188 degrees after projection 43",
                       kn_tomography_fbp_plan_create(place ? queue : NULL, &half_turn, NULL, &plan, &err));
    EXPECT_OK(kn_tomography_fbp_plan_create(NULL, &geometry, NULL, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "detector 2 of projection 1 (from 0) is nan",
                   kn_tomography_fbp_execute(plan, sinogram, picture, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "sinogram is NULL",
                   kn_tomography_fbp_execute(plan, NULL, picture, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "picture is NULL",
                   kn_tomography_fbp_execute(plan, sinogram, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "plan is NULL",
                   kn_tomography_fbp_execute(NULL, sinogram, picture, &err));
    ck_assert(picture[0] == 42);
    kn_tomography_fbp_plan_free(plan);
    kn_tomography_fbp_plan_free(NULL);
    ck_assert_str_eq(kn_tomography_filter_name(KN_TOMOGRAPHY_HAMMING), "hamming");
    ck_assert_ptr_null(kn_tomography_filter_name((kn_tomography_filter)5));
}
END_TEST

START_TEST(refused_methods)
{
#define METHOD(...) KN_INIT(kn_least_squares_options, __VA_ARGS__)
    const kn_tomography_geometry geometry =
        KN_INIT(kn_tomography_geometry, .angles = 2, .detectors = 3, .size = 2);
    const double b[6] = {1};
    double x[4] = {42};
    const struct {
        const char *words;
        kn_least_squares_options options;
    } tried[] = {{"neither lambda", METHOD(.method = KN_LEAST_SQUARES_FBP, .lambda = 1)},
                 {"bounds", METHOD(.method = KN_LEAST_SQUARES_FBP, .bounded = true, .high = 1)},
                 {"no iterations", METHOD(.method = KN_LEAST_SQUARES_FBP, .tolerance = 0.1)},
                 {"a choice of cgnr's", METHOD(.method = KN_LEAST_SQUARES_FBP, .format = KN_SPARSE_SELL)},
                 {"only for fbp", METHOD(.method = KN_LEAST_SQUARES_CGNR, .filter = KN_TOMOGRAPHY_HANN)},
                 {"no filter 5", METHOD(.method = KN_LEAST_SQUARES_FBP, .filter = (kn_tomography_filter)5)}};
    const kn_least_squares_task task =
        KN_INIT(kn_least_squares_task, .geometry = &geometry, .b = b, .count = 1);

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, tried[i].words,
                       kn_least_squares(NULL, &task, x, &tried[i].options, NULL, &err));
    ck_assert(x[0] == 42);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {host,    device, fan,    discs,   far_fan,
                                  buffers, disc,   method, refused, refused_methods};

    return test_run("tomography fbp", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
