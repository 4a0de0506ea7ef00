// SPDX-License-Identifier: Apache-2.0
// Tests filtered back-projection of cone beams (koine/tomography.h) on the host, at every level, and on a
// device, against Feldkamp, Davis and Kress's sums in double precision; with ellipsoids, whose projections
// are known; against fans, with objects that are the same in all slices; refusals.
#include "fbp_support.h"
#include "sparse_api_support.h"

#include <koine/koine.h>

#include "app/sparse/tomography/cone/fdk.h"
#include "app/sparse/tomography/fan.h"

enum { PLACES = 2 }; // the host, and a device

struct problem {
    kn_tomography_geometry geometry;
    double theta[16], *projections, *wanted;
    double greatest, sum; // greatest: of filtered projections; sum: of absolute values, of any line
    size_t rays, voxels;
};

static const struct {
    size_t angles, lines, detectors, size, slices;
    double source, detector, offset;
} shapes[] = {
    {1, 1, 1, 1, 1, 2, 1, 0},         {8, 7, 33, 31, 9, 40, 25, 0.75}, {5, 41, 20, 17, 37, 30, 60, -3.25},
    {9, 12, 20, 19, 2, 200, -150, 4}, {4, 9, 5, 3, 150, 60, 20, 0},    {5, 150, 7, 5, 140, 60, 5, -0.5},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// Angles are even, in another order, from anywhere.
static struct problem make_problem(size_t which, uint64_t *state)
{
    struct problem p = {.geometry = KN_INIT(kn_tomography_geometry, .angles = shapes[which].angles,
                                            .detectors = shapes[which].detectors, .size = shapes[which].size,
                                            .axis_offset = shapes[which].offset, .beam = KN_TOMOGRAPHY_CONE,
                                            .source_distance = shapes[which].source,
                                            .detector_distance = shapes[which].detector,
                                            .lines = shapes[which].lines, .slices = shapes[which].slices)};
    const double first = 6 * test_uniform(state);

    for (size_t t = 0; t < p.geometry.angles; t++)
        p.theta[t] = first - 2 * PI * (double)(3 * t) / (double)p.geometry.angles;
    p.rays = p.geometry.angles * p.geometry.lines * p.geometry.detectors;
    p.voxels = p.geometry.slices * p.geometry.size * p.geometry.size;
    p.projections = random_numbers(p.rays, state);
    p.wanted = test_allocate(p.voxels * sizeof *p.wanted);
    return p;
}

static void free_problem(struct problem *p)
{
    free(p->projections);
    free(p->wanted);
}

// ---- the reference ----

// Weighted and convolved along its lines; `to` has a panel's numbers.
static void filter_panel(struct problem *p, size_t t, const double *h, double *to)
{
    const kn_tomography_geometry *g = &p->geometry;
    const double axis = ((double)g->detectors - 1) / 2 + g->axis_offset, middle = ((double)g->lines - 1) / 2,
                 length = g->source_distance + g->detector_distance;

    for (size_t r = 0; r < g->lines; r++) {
        const double *line = p->projections + (t * g->lines + r) * g->detectors, v = (double)r - middle;
        double sum = 0;

        for (size_t k = 0; k < g->detectors; k++) {
            double *number = &to[r * g->detectors + k];

            *number = 0;
            sum += fabs(line[k]);
            for (size_t j = 0; j < g->detectors; j++) {
                const double u = (double)j - axis;

                *number +=
                    h[k > j ? k - j : j - k] * line[j] * length / sqrt(length * length + u * u + v * v);
            }
            p->greatest = fmax(p->greatest, fabs(*number));
        }
        p->sum = fmax(p->sum, sum);
    }
}

static double at_line(const double *panel, const kn_tomography_geometry *g, double r, double u)
{
    const double *line = panel + (r >= 0 && r < (double)g->lines ? (size_t)r * g->detectors : 0),
                 low = floor(u);

    if (r < 0 || r >= (double)g->lines)
        return 0;
    return (low + 1 - u) * at_detector(line, g->detectors, low) +
           (u - low) * at_detector(line, g->detectors, low + 1);
}

static void reconstruct(struct problem *p, kn_tomography_filter filter)
{
    const kn_tomography_geometry *g = &p->geometry;
    const double axis = ((double)g->detectors - 1) / 2 + g->axis_offset, source = g->source_distance,
                 length = source + g->detector_distance, half = ((double)g->size - 1) / 2;
    size_t points = 64;
    double *panel = test_allocate(g->lines * g->detectors * sizeof *panel), *h;

    while (points < 2 * g->detectors)
        points *= 2;
    h = convolution(filter, points);
    memset(p->wanted, 0, p->voxels * sizeof *p->wanted);
    p->greatest = p->sum = 0;
    for (size_t t = 0; t < g->angles; t++) {
        const double theta = g->theta ? p->theta[t] : 2 * PI * (double)t / (double)g->angles;

        filter_panel(p, t, h, panel);
        for (size_t i = 0; i < p->voxels; i++) {
            // From the source, in the directions of the panel's lines, of the ray through the axis, and up.
            const double x = (double)(i % g->size) - half + source * sin(theta),
                         y = (double)(i / g->size % g->size) - half - source * cos(theta),
                         z = (double)(i / g->size / g->size) - ((double)g->slices - 1) / 2;
            const double beside = x * cos(theta) + y * sin(theta), ahead = x * sin(theta) - y * cos(theta);
            const double u = axis + length * beside / ahead,
                         v = ((double)g->lines - 1) / 2 + length * z / ahead, low = floor(v);

            p->wanted[i] +=
                PI / (double)g->angles * length * source / (ahead * ahead) *
                ((low + 1 - v) * at_line(panel, g, low, u) + (v - low) * at_line(panel, g, low + 1, u));
        }
    }
    free(panel);
    free(h);
}

// As that of fans (test_tomography_fbp.c), and places along the axis are off by some roundings of the lines
// and slices that they are computed from.
static double bound_of(const struct problem *p, kn_type type)
{
    const kn_tomography_geometry *g = &p->geometry;
    const double unit = type == KN_F32 ? 0x1p-24 : 0x1p-53, source = g->source_distance,
                 near = source - (double)g->size * sqrt(0.5),
                 enlarged = (source + g->detector_distance) / near,
                 numbers = source + (double)(g->detectors + g->size), places = 2 * numbers * enlarged,
                 heights = 4 * ((double)g->lines + (double)g->slices * enlarged * (1 + numbers / near)),
                 weights = 2 * numbers / near;

    return PI * enlarged * source / near * unit *
           (64 * p->sum + (2 * places + 2 * heights + weights + (double)g->angles + 16) * p->greatest);
}

static void expect_volume(const struct problem *p, const void *found, kn_type type, const char *what)
{
    const double bound = bound_of(p, type);
    double worst = 0;

    for (size_t i = 0; i < p->voxels; i++) {
        const double value = type == KN_F32 ? (double)((const float *)found)[i] : ((const double *)found)[i],
                     off = fabs(value - p->wanted[i]);

        ck_assert_msg(off <= bound, "%s, %zu x %zu x %zu: voxel %zu is %.9g, not %.9g +- %g", what,
                      p->geometry.angles, p->geometry.lines, p->geometry.detectors, i, value, p->wanted[i],
                      bound);
        worst = fmax(worst, off);
    }
    fprintf(stderr, "%s, %zu x %zu x %zu: %.2g of the bound\n", what, p->geometry.angles, p->geometry.lines,
            p->geometry.detectors, worst / bound);
}

// The volume, from arrays; the caller frees it.
static void *run(const kn_tomography_geometry *geometry, const double *projections, kn_queue *on,
                 kn_tomography_fbp_options options, kn_type type)
{
    const size_t volumes = geometry->beam == KN_TOMOGRAPHY_CONE,
                 rays = geometry->angles * geometry->detectors * (volumes ? geometry->lines : 1),
                 voxels = geometry->size * geometry->size * (volumes ? geometry->slices : 1),
                 bytes = voxels * kn_type_size(type);
    float *singles = test_allocate(rays * sizeof *singles);
    void *volume = test_poisoned(bytes + API_ROOM);
    kn_tomography_fbp_plan *plan = NULL;

    for (size_t i = 0; i < rays; i++)
        singles[i] = (float)projections[i];
    options.type = type;
    EXPECT_OK(kn_tomography_fbp_plan_create(on, geometry, &options, &plan, &err));
    for (unsigned again = 0; again < 2; again++) {
        memset(volume, 0xff, bytes);
        EXPECT_OK(kn_tomography_fbp_execute(plan, type == KN_F32 ? (const void *)singles : projections,
                                            volume, &err));
    }
    expect_room(volume, bytes, bytes + API_ROOM);
    kn_tomography_fbp_plan_free(plan);
    free(singles);
    return volume;
}

START_TEST(host)
{
    uint64_t state = test_seed("host");
    const unsigned most = count_levels();
    for (size_t s = 0; s < SHAPES; s++)
        for (kn_tomography_filter filter = 0; filter <= KN_TOMOGRAPHY_HANN; filter += s == 1 ? 1 : 4) {
            struct problem p = make_problem(s, &state);

            p.geometry.theta = p.geometry.angles % 3 ? p.theta : NULL;
            reconstruct(&p, filter);
            for (unsigned kind = 0; kind < 2 * most; kind++) {
                const kn_type type = kind % 2 ? KN_F32 : KN_F64;
                kn_tomography_fbp_options options = KN_INIT(kn_tomography_fbp_options, .filter = filter,
                                                            .threads = 1, .level = fbp_levels[kind / 2]);
                void *volume = run(&p.geometry, p.projections, NULL, options, type), *other;

                expect_volume(&p, volume, type, kn_tomography_filter_name(filter));
                options.threads = 3;
                other = run(&p.geometry, p.projections, NULL, options, type);
                ck_assert_msg(memcmp(volume, other, p.voxels * kn_type_size(type)) == 0,
                              "threads change the bits");
                free(volume);
                free(other);
            }
            free_problem(&p);
        }
}
END_TEST

START_TEST(device)
{
    uint64_t state = test_seed("device");

    for (size_t s = 0; s < SHAPES; s++) {
        struct problem p = make_problem(s, &state);
        const kn_tomography_fbp_options options =
            KN_INIT(kn_tomography_fbp_options, .filter = KN_TOMOGRAPHY_SHEPP_LOGAN);
        void *volume;

        p.geometry.theta = p.geometry.angles % 3 ? p.theta : NULL;
        reconstruct(&p, KN_TOMOGRAPHY_SHEPP_LOGAN);
        volume = run(&p.geometry, p.projections, queue, options, KN_F32);
        expect_volume(&p, volume, KN_F32, "a device");
        free(volume);
        free_problem(&p);
    }
}
END_TEST

// ---- batches ----

// The geometry as the library keeps it.
static struct sparse_parallel internal(const struct problem *p)
{
    return (struct sparse_parallel){.angles = p->geometry.angles,
                                    .detectors = p->geometry.detectors,
                                    .size = p->geometry.size,
                                    .axis = ((double)p->geometry.detectors - 1) / 2 + p->geometry.axis_offset,
                                    .theta = (double *)p->theta,
                                    .beam = KN_TOMOGRAPHY_CONE,
                                    .source = p->geometry.source_distance,
                                    .detector = p->geometry.detector_distance,
                                    .lines = p->geometry.lines,
                                    .slices = p->geometry.slices};
}

// Buffers, with 3 batches of 8 projections.
static void expect_batches_of_device(const struct problem *p, const struct sparse_parallel *geometry)
{
    const size_t bytes = p->voxels * sizeof(float);
    float *singles = test_allocate(p->rays * sizeof *singles), *volume = test_poisoned(bytes);
    struct sparse_fdk_device *fdk = NULL;
    kn_buffer *in, *out = test_upload_with_room(volume, bytes, API_ROOM);

    for (size_t i = 0; i < p->rays; i++)
        singles[i] = (float)p->projections[i];
    in = test_upload_with_room(singles, p->rays * sizeof *singles, 0);
    EXPECT_OK(ki_sparse_fdk_device_create(queue, geometry, KN_TOMOGRAPHY_RAMP, 3, &fdk, &err));
    EXPECT_OK(ki_sparse_fdk_device_run(queue, fdk, in, out, &err));
    EXPECT_OK(kn_buffer_read(queue, out, 0, volume, bytes, &err));
    test_expect_poison(out, bytes);
    expect_volume(p, volume, KN_F32, "batches on a device");
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "volume", ki_sparse_fdk_device_run(queue, fdk, out, in, &err));
    ki_sparse_fdk_device_free(fdk);
    kn_buffer_free(in);
    kn_buffer_free(out);
    free(singles);
    free(volume);
}

START_TEST(batches)
{
    uint64_t state = test_seed("batches");
    struct problem p = make_problem(1, &state);
    const struct sparse_parallel geometry = internal(&p);

    p.geometry.theta = p.theta;
    reconstruct(&p, KN_TOMOGRAPHY_RAMP);
    for (size_t batch = 1; batch <= 5; batch += 2) { // 8, 3 and 2 batches of 8 projections
        double *volume = test_poisoned(p.voxels * sizeof *volume);
        struct sparse_fdk_host *fdk = NULL;

        EXPECT_OK(ki_sparse_fdk_host_create(&geometry, KN_TOMOGRAPHY_RAMP, KN_F64, NULL, batch, &fdk, &err));
        ki_sparse_fdk_host_run(fdk, p.projections, volume);
        expect_volume(&p, volume, KN_F64, "batches");
        ki_sparse_fdk_host_free(fdk);
        free(volume);
    }
    expect_batches_of_device(&p, &geometry);
    ck_assert_uint_eq(ki_sparse_fdk_batch(360, 100, 3500), 33); // 11 of 35 would be 385
    ck_assert_uint_eq(ki_sparse_fdk_batch(360, 100, 99), 1);
    ck_assert_uint_eq(ki_sparse_fdk_batch(7, 100, 1000), 7);
    ck_assert_uint_lt(ki_sparse_fdk_host_memory(&(struct sparse_parallel){.angles = 1 << 20,
                                                                          .detectors = 512,
                                                                          .size = 512,
                                                                          .beam = KN_TOMOGRAPHY_CONE,
                                                                          .source = 1000,
                                                                          .lines = 512,
                                                                          .slices = 512},
                                                KN_F32),
                      (size_t)250 << 20);
    for (unsigned place = 0; place < PLACES; place++) {
        kn_sparse_memory memory = {7, 7};

        EXPECT_OK(kn_tomography_fbp_estimate_memory(place ? queue : NULL, &p.geometry, NULL, &memory, &err));
        ck_assert_uint_eq(memory.host, place ? 0 : ki_sparse_fdk_host_memory(&geometry, KN_F64));
        ck_assert_uint_eq(memory.device, place ? ki_sparse_fdk_device_memory(queue, &geometry) : 0);
    }
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "memory is NULL",
                   kn_tomography_fbp_estimate_memory(NULL, &p.geometry, NULL, NULL, &err));
    free_problem(&p);
}
END_TEST

// ---- known objects ----

// The exact projections of two ellipsoids, of density 1 and, within it, 1 more. In the middle slice, the
// volume has these densities, to the accuracy of detectors and views, away from edges.
START_TEST(ellipsoids)
{
    enum { ANGLES = 240, LINES = 7, DETECTORS = 180, SIZE = 64, SLICES = 3 };
    static const double body[2][6] = {{3, -2, 1, 24, 20, 30}, {-4, 6, -1, 7, 6, 9}}; // centre and half axes
    const double source = 150, length = 300;
    const kn_tomography_geometry geometry =
        KN_INIT(kn_tomography_geometry, .angles = ANGLES, .detectors = DETECTORS, .size = SIZE,
                .axis_offset = 2.5, .beam = KN_TOMOGRAPHY_CONE, .source_distance = source,
                .detector_distance = length - source, .lines = LINES, .slices = SLICES);
    double *projections = test_allocate(ANGLES * LINES * DETECTORS * sizeof *projections);

    for (size_t i = 0; i < (size_t)ANGLES * LINES * DETECTORS; i++) {
        const double theta = 2 * PI * (double)(i / DETECTORS / LINES) / ANGLES, c = cos(theta),
                     s = sin(theta), u = (double)(i % DETECTORS) - ((double)DETECTORS - 1) / 2 - 2.5,
                     v = (double)(i / DETECTORS % LINES) - ((double)LINES - 1) / 2;
        const double ray[3] = {u * c + length * s, u * s - length * c, v}; // from the source to the detector

        projections[i] = 0;
        for (unsigned b = 0; b < 2; b++) {
            const double from[3] = {-source * s - body[b][0], source * c - body[b][1], -body[b][2]};
            double rr = 0, rf = 0, ff = -1; // |from + m ray|^2 = 1, in units of the half axes

            for (unsigned k = 0; k < 3; k++) {
                const double square = body[b][3 + k] * body[b][3 + k];

                rr += ray[k] * ray[k] / square;
                rf += ray[k] * from[k] / square;
                ff += from[k] * from[k] / square;
            }
            if (rf * rf > rr * ff)
                projections[i] += 2 * sqrt(rf * rf - rr * ff) / rr * sqrt(length * length + u * u + v * v);
        }
    }
    for (unsigned place = 0; place < PLACES; place++) {
        const kn_type type = place ? KN_F32 : KN_F64;
        void *found = run(&geometry, projections, place ? queue : NULL,
                          KN_INIT(kn_tomography_fbp_options, .filter = KN_TOMOGRAPHY_HANN), type);
        double worst = 0;

        for (size_t i = 0; i < SIZE * SIZE; i++) {
            const size_t voxel = (SLICES / 2 * SIZE + i / SIZE) * SIZE + i % SIZE;
            const double right = (double)(i % SIZE) - 31.5, down = (double)(i / SIZE) - 31.5;
            double wanted = 0, edge = SIZE;

            for (unsigned b = 0; b < 2; b++) {
                const double distance =
                    hypot(hypot((right - body[b][0]) / body[b][3], (down - body[b][1]) / body[b][4]),
                          body[b][2] / body[b][5]);

                wanted += distance < 1;
                edge = fmin(edge, fabs(distance - 1) * body[b][4]); // at least as far as that
            }
            if (edge >= 4 && hypot(right, down) <= 31)
                worst =
                    fmax(worst,
                         fabs((type == KN_F64 ? ((double *)found)[voxel] : (double)((float *)found)[voxel]) -
                              wanted));
        }
        fprintf(stderr, "ellipsoids: place %u, off by up to %.2g\n", place, worst);
        ck_assert_double_le(worst, 0.03);
        free(found);
    }
    free(projections);
}
END_TEST

// Of an object that is the same in all slices, a ray's sum is that of its projection into the plane, over
// the cosine of its elevation: every voxel that all projections see is the fan's pixel.
START_TEST(same_slices)
{
    enum { ANGLES = 12, LINES = 60, DETECTORS = 50, SIZE = 21, SLICES = 19 };
    uint64_t state = test_seed("same_slices");
    const double source = 50, length = 70;
    kn_tomography_geometry geometry =
        KN_INIT(kn_tomography_geometry, .angles = ANGLES, .detectors = DETECTORS, .size = SIZE,
                .axis_offset = -1.25, .beam = KN_TOMOGRAPHY_CONE, .source_distance = source,
                .detector_distance = length - source, .lines = LINES, .slices = SLICES);
    const double axis = ((double)DETECTORS - 1) / 2 - 1.25;
    double *sinogram = random_numbers(ANGLES * DETECTORS, &state), greatest = 0, *fan,
           *projections = test_allocate(ANGLES * LINES * DETECTORS * sizeof *projections);

    for (size_t i = 0; i < (size_t)ANGLES * LINES * DETECTORS; i++) {
        const double u = (double)(i % DETECTORS) - axis,
                     v = (double)(i / DETECTORS % LINES) - ((double)LINES - 1) / 2;

        projections[i] = sinogram[i / DETECTORS / LINES * DETECTORS + i % DETECTORS] *
                         sqrt(1 + v * v / (length * length + u * u));
    }
    for (unsigned place = 0; place < PLACES; place++) {
        const kn_type type = place ? KN_F32 : KN_F64;
        const kn_tomography_fbp_options options =
            KN_INIT(kn_tomography_fbp_options, .filter = KN_TOMOGRAPHY_SHEPP_LOGAN);
        kn_tomography_geometry of_fan = geometry;
        void *volume = run(&geometry, projections, place ? queue : NULL, options, type);

        of_fan.beam = KN_TOMOGRAPHY_FAN_FLAT;
        of_fan.lines = of_fan.slices = 0;
        fan = run(&of_fan, sinogram, NULL, options, KN_F64);
        for (size_t i = 0; i < SIZE * SIZE; i++)
            greatest = fmax(greatest, fabs(fan[i]));
        // The highest slice is seen 9 * 70 / (50 - 14.9) = 18 lines above the middle. Places and weights are
        // off by some hundred roundings.
        for (size_t i = 0; i < (size_t)SIZE * SIZE * SLICES; i++) {
            const double value = type == KN_F64 ? ((double *)volume)[i] : (double)((float *)volume)[i];

            ck_assert_msg(
                fabs(value - fan[i % (SIZE * SIZE)]) <= 0x1p9 * (place ? 0x1p-24 : 0x1p-53) * greatest,
                "place %u, voxel %zu: %.9g, not the fan's %.9g", place, i, value, fan[i % (SIZE * SIZE)]);
        }
        free(volume);
        free(fan);
    }
    free(sinogram);
    free(projections);
}
END_TEST

// ---- what is refused ----

static kn_tomography_geometry cone(size_t lines, size_t slices, double source, double detector,
                                   kn_tomography_beam beam)
{
    return KN_INIT(kn_tomography_geometry, .beam = beam, .angles = 4, .detectors = 5, .size = 3,
                   .lines = lines, .slices = slices, .source_distance = source,
                   .detector_distance = detector);
}

START_TEST(refused)
{
    const struct {
        const char *words;
        kn_tomography_geometry geometry;
    } tried[] = {{"0 lines of detectors", cone(0, 2, 9, 0, KN_TOMOGRAPHY_CONE)},
                 {"65537 lines of detectors", cone(65537, 2, 9, 0, KN_TOMOGRAPHY_CONE)},
                 {"32769 slices", cone(2, 32769, 9, 0, KN_TOMOGRAPHY_CONE)},
                 {"the source is inside the object", cone(2, 2, 2.5, 0, KN_TOMOGRAPHY_CONE)},
                 {"behind the source", cone(2, 2, 9, -9, KN_TOMOGRAPHY_CONE)},
                 {"for a cone; expected 0", cone(2, 0, 9, 0, KN_TOMOGRAPHY_FAN_FLAT)},
                 {"for a cone; expected 0", cone(0, 2, 0, 0, KN_TOMOGRAPHY_PARALLEL)},
                 {"no beam 4", cone(0, 0, 9, 0, (kn_tomography_beam)4)}};
    kn_tomography_geometry geometry = cone(2, 2, 9, 0, KN_TOMOGRAPHY_CONE), half_turn = geometry;
    double theta[44], projections[4 * 2 * 5] = {[27] = INFINITY}, volume[2 * 3 * 3] = {42};
    kn_tomography_fbp_plan *plan = NULL;

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, tried[i].words,
                       kn_tomography_fbp_plan_create(NULL, &tried[i].geometry, NULL, &plan, &err));
    for (size_t t = 0; t < 44; t++)
        theta[t] = PI * (double)(4 * t) / 180;
    half_turn.angles = 44;
    half_turn.theta = theta;
    for (unsigned place = 0; place < PLACES; place++)
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "of a cone beam needs projections all around",
                       kn_tomography_fbp_plan_create(place ? queue : NULL, &half_turn, NULL, &plan, &err));
    ck_assert_ptr_null(plan);
    EXPECT_OK(kn_tomography_fbp_plan_create(NULL, &geometry, NULL, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "detector 2 of line 1 of projection 2 (from 0) is inf",
                   kn_tomography_fbp_execute(plan, projections, volume, &err));
    ck_assert(volume[0] == 42);
    kn_tomography_fbp_plan_free(plan);
}
END_TEST

// All but filtered back-projection.
START_TEST(no_projector)
{
    const kn_tomography_geometry geometry = cone(2, 2, 9, 0, KN_TOMOGRAPHY_CONE);
    const double numbers[4 * 2 * 5] = {1};
    double to[4 * 2 * 5] = {42};
    kn_operator *made = NULL;
    kn_sparse *matrix = NULL;
    kn_sparse_memory memory;
    kn_tomography_axis axis;
    size_t nonzeros;
    const kn_least_squares_task task =
        KN_INIT(kn_least_squares_task, .geometry = &geometry, .b = numbers, .count = 1);
    const kn_least_squares_options options = KN_INIT(kn_least_squares_options, .iterations = 2);

    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "no projector",
                   kn_tomography_operator_create(NULL, &geometry, NULL, &made, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "no projector",
                   kn_tomography_estimate_memory(NULL, &geometry, &memory, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "no projector",
                   kn_tomography_count_nonzeros(&geometry, &nonzeros, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "no projector",
                   kn_tomography_matrix_create(&geometry, &matrix, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "no projector",
                   kn_tomography_project(NULL, &geometry, false, numbers, to, KN_SPARSE_AUTO, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "no projector", kn_tomography_phantom_sinogram(&geometry, to, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "no projector",
                   kn_tomography_find_axis(&geometry, numbers, &axis, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "no projector",
                   kn_least_squares(NULL, &task, to, &options, NULL, &err));
    ck_assert_ptr_null(made);
    ck_assert_ptr_null(matrix);
    ck_assert(to[0] == 42);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {host, device, batches, ellipsoids, same_slices, refused, no_projector};

    return test_run("tomography cone", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
