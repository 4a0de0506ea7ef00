// SPDX-License-Identifier: Apache-2.0
// Tests koine/autocorr.h with volumes, and with periodic images and volumes, against the definitions: exact
// sums, values, shells and lengths; in ordinary memory and on the device.
#include "autocorr_api_support.h"

#include "app/autocorr/volume/volume.h"
#include "base/array.h"

// Sizes; those with a depth of 0 are images.
struct cubes {
    size_t size[3], max_offset, count;
    kn_type type;
    bool periodic;
    kn_autocorr_frames frames;
    unsigned char *first, *second;
};

static const size_t sizes[][4] = {{1, 1, 1, 0},    {5, 4, 3, 2},  {7, 1, 9, 4},    {13, 11, 6, 5},
                                  {3, 20, 5, 9},   {1, 1, 19, 6}, {23, 17, 19, 6}, {14, 11, 0, 5},
                                  {33, 22, 0, 21}, {1, 13, 0, 4}, {12, 30, 0, 29}};
enum { LARGE = 6 }; // too slow under an emulator

static size_t slices_of(const struct cubes *c)
{
    return c->size[2] ? c->size[2] : 1;
}

static struct cubes random_cubes(const size_t size[4], kn_type type, bool periodic, bool cross,
                                 uint64_t *state)
{
    struct cubes c = {.size = {size[0], size[1], size[2]},
                      .max_offset = size[3],
                      .count = 2,
                      .type = type,
                      .periodic = periodic,
                      .frames = KN_INIT(kn_autocorr_frames)};
    size_t stride = size[0] + (size_t)(test_random(state) % 4),
           length = stride * size[1] * slices_of(&c) + (size_t)(test_random(state) % 3);

    c.first = random_array(c.count * length * kn_type_size(type), state);
    c.second = cross ? random_array(c.count * length * kn_type_size(type), state) : NULL;
    c.frames.first = c.first;
    c.frames.stride = stride;
    c.frames.frame_stride = length;
    c.frames.second = c.second;
    c.frames.second_stride = stride;
    c.frames.second_frame_stride = length;
    return c;
}

static void free_cubes(struct cubes *c)
{
    free(c->first);
    free(c->second);
}

static kn_autocorr_plan *make_plan(const struct cubes *c, kn_queue *on,
                                   kn_autocorr_normalization normalization)
{
    const kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = c->size[0], .height = c->size[1], .depth = c->size[2],
                .type = c->type, .max_offset = c->max_offset);
    const kn_autocorr_options options =
        KN_INIT(kn_autocorr_options, .periodic = c->periodic, .normalization = normalization);
    kn_autocorr_plan *plan;

    EXPECT_OK(kn_autocorr_plan_create(on, &shape, &options, &plan, &err));
    return plan;
}

// ---- the definitions ----

static bool inside(const struct cubes *c, unsigned axis, ptrdiff_t at)
{
    return c->periodic || (at >= 0 && at < (ptrdiff_t)(axis < 2 ? c->size[axis] : slices_of(c)));
}

static size_t wrapped(ptrdiff_t at, size_t size)
{
    return (size_t)((at % (ptrdiff_t)size + (ptrdiff_t)size) % (ptrdiff_t)size);
}

static struct window window_at(const struct cubes *c, size_t frame, ptrdiff_t x0, ptrdiff_t y0, ptrdiff_t z0)
{
    const void *other = c->second ? c->second : c->first;
    size_t slice = c->frames.stride * c->size[1], begin = frame * c->frames.frame_stride;
    struct window w = {.c = 0};

    for (size_t z = 0; z < slices_of(c); z++)
        for (size_t y = 0; y < c->size[1]; y++)
            for (size_t x = 0; x < c->size[0]; x++) {
                ptrdiff_t there[] = {(ptrdiff_t)x + x0, (ptrdiff_t)y + y0, (ptrdiff_t)z + z0};
                uint64_t a, b;

                if (!inside(c, 0, there[0]) || !inside(c, 1, there[1]) || !inside(c, 2, there[2]))
                    continue;
                a = level_of(c->first, c->type, begin + z * slice + y * c->frames.stride + x);
                b = level_of(other, c->type,
                             begin + wrapped(there[2], slices_of(c)) * slice +
                                 wrapped(there[1], c->size[1]) * c->frames.stride +
                                 wrapped(there[0], c->size[0]));
                w.c += a * b;
                w.n++;
                w.s1 += a;
                w.s2 += b;
                w.q1 += a * a;
                w.q2 += b * b;
            }
    return w;
}

// All offsets of all frames, in the order of the results; their number for each frame.
static struct window *all_windows(const struct cubes *c, size_t *offsets)
{
    ptrdiff_t r = (ptrdiff_t)c->max_offset, planes = c->size[2] ? r + 1 : 1, from = c->size[2] ? -r : 0;
    struct window *windows, *to;

    *offsets = (size_t)(planes * (r - from + 1) * (2 * r + 1));
    to = windows = test_allocate(c->count * *offsets * sizeof *windows);
    for (size_t frame = 0; frame < c->count; frame++)
        for (ptrdiff_t z0 = 0; z0 < planes; z0++)
            for (ptrdiff_t y0 = from; y0 <= r; y0++)
                for (ptrdiff_t x0 = -r; x0 <= r; x0++)
                    *to++ = window_at(c, frame, x0, y0, z0);
    return windows;
}

// Shell k of a volume's values, over the whole space, of which the values cover a half.
static kn_autocorr_ring shell_of(const double *values, ptrdiff_t r, ptrdiff_t k)
{
    kn_autocorr_ring shell = {(double)k, NAN, NAN, 0, 0};
    double distances = 0, sum = 0;

    for (ptrdiff_t z0 = 0; z0 <= r; z0++)
        for (ptrdiff_t y0 = -r; y0 <= r; y0++)
            for (ptrdiff_t x0 = -r; x0 <= r; x0++) {
                double value = *values++, d = sqrt((double)(x0 * x0 + y0 * y0 + z0 * z0));
                double share = fmax(1 - fabs(d - (double)k), 0) * (z0 ? 2 : 1);

                if (share == 0 || isnan(value) || x0 * x0 + y0 * y0 + z0 * z0 > r * r)
                    continue;
                shell.count++;
                shell.weight += share;
                distances += share * d;
                sum += share * value;
            }
    if (shell.count) {
        shell.radius = distances / shell.weight;
        shell.value = sum / shell.weight;
    }
    return shell;
}

// ---- results ----

static bool alike(double found, double expected)
{
    return (isnan(found) && isnan(expected)) || fabs(found - expected) <= 1e-12 * fmax(1, fabs(expected));
}

static void expect_rings(const struct cubes *c, const kn_autocorr_ring *rings, const double *values,
                         size_t offsets)
{
    for (size_t i = 0; i < c->count * (c->max_offset + 1); i++) {
        size_t frame = i / (c->max_offset + 1);
        ptrdiff_t k = (ptrdiff_t)(i % (c->max_offset + 1)), r = (ptrdiff_t)c->max_offset;
        const kn_autocorr_ring expected =
            c->size[2] ? shell_of(values + frame * offsets, r, k) : ring_of(values + frame * offsets, r, k);

        ck_assert_uint_eq(rings[i].count, expected.count);
        ck_assert(alike(rings[i].radius, expected.radius) && alike(rings[i].value, expected.value) &&
                  alike(rings[i].weight, expected.weight));
    }
}

static void expect_all(const struct cubes *c, kn_queue *on, bool buffers,
                       kn_autocorr_normalization normalization)
{
    kn_autocorr_plan *plan = make_plan(c, on, normalization);
    size_t offsets;
    struct window *windows = all_windows(c, &offsets);
    uint64_t *sums = test_allocate(c->count * offsets * sizeof *sums);
    double *values = test_allocate(c->count * offsets * sizeof *values);
    kn_autocorr_ring *rings = test_allocate(c->count * (c->max_offset + 1) * sizeof *rings);
    kn_autocorr_lengths lengths[2];
    const kn_autocorr_results results =
        KN_INIT(kn_autocorr_results, .sums = sums, .values = values, .rings = rings, .lengths = lengths);

    if (buffers) {
        size_t bytes = c->count * c->frames.frame_stride * kn_type_size(c->type);
        kn_buffer *first = test_upload_with_room(c->first, bytes, 0),
                  *other = test_upload_with_room(c->first, bytes, 0),
                  *second = c->second ? test_upload_with_room(c->second, bytes, 0) : NULL;

        EXPECT_OK(kn_autocorr_execute_buffers(plan, first, second, c->count, &results, &err));
        ck_assert_int_eq(kn_autocorr_sums_to_buffer(plan, first, NULL, c->count, other, &err),
                         KN_ERROR_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(err.text, "come to the host"));
        kn_buffer_free(other);
        kn_buffer_free(first);
        kn_buffer_free(second);
    } else {
        EXPECT_OK(kn_autocorr_execute(plan, &c->frames, c->count, &results, &err));
    }
    ck_assert_int_eq(kn_autocorr_plan_get_method(plan), KN_AUTOCORR_FFT);
    ck_assert_double_eq(kn_autocorr_plan_get_bound(plan), 0);
    ck_assert_uint_eq(kn_autocorr_plan_get_rows(plan), (c->size[2] ? 2 : 1) * c->max_offset + 1);
    for (size_t i = 0; i < c->count * offsets; i++) {
        const struct window *all =
            &windows[i / offsets * offsets + (c->size[2] ? (2 * c->max_offset + 1) * c->max_offset : 0) +
                     c->max_offset];
        double expected = value_of(normalization, &windows[i], all);

        ck_assert_msg(sums[i] == windows[i].c, "%zu x %zu x %zu, R = %zu, offset %zu: %llu instead of %llu",
                      c->size[0], c->size[1], c->size[2], c->max_offset, i, (unsigned long long)sums[i],
                      (unsigned long long)windows[i].c);
        ck_assert_msg(alike(values[i], expected) || (!windows[i].n && values[i] == 0),
                      "%s at offset %zu: %.17g instead of %.17g",
                      kn_autocorr_normalization_name(normalization), i, values[i], expected);
    }
    expect_rings(c, rings, values, offsets);
    free(windows);
    free(sums);
    free(values);
    free(rings);
    kn_autocorr_plan_free(plan);
}

START_TEST(host)
{
    uint64_t state = test_seed("host");

    for (size_t s = 0; s < KI_COUNT(sizes); s++)
        for (unsigned kind = 0; kind < 8; kind++) {
            bool periodic = kind & 1;
            struct cubes c;

            if ((!sizes[s][2] && !periodic) || (s == LARGE && test_is_emulated()))
                continue;
            c = random_cubes(sizes[s], kind & 2 ? KN_U16 : KN_U8, periodic, kind & 4, &state);
            expect_all(&c, NULL, false, (kn_autocorr_normalization)((s + kind) % 7));
            free_cubes(&c);
        }
}
END_TEST

// Each length needs a run of the compiler: few sizes.
START_TEST(device)
{
    static const struct {
        size_t size, type;
        bool periodic, cross, buffers;
    } cases[] = {{3, KN_U8, false, false, false},
                 {3, KN_U16, false, true, true},
                 {7, KN_U16, true, false, true},
                 {7, KN_U8, true, true, false}};
    uint64_t state = test_seed("device");

    for (size_t i = 0; i < KI_COUNT(cases); i++) {
        struct cubes c = random_cubes(sizes[cases[i].size], (kn_type)cases[i].type, cases[i].periodic,
                                      cases[i].cross, &state);

        if (cases[i].buffers) { // buffers have no gaps
            c.frames.stride = c.frames.second_stride = c.size[0];
            c.frames.frame_stride = c.frames.second_frame_stride = c.size[0] * c.size[1] * slices_of(&c);
        }
        if (kn_context_get_device(context)->fp64) {
            expect_all(&c, queue, cases[i].buffers, KN_AUTOCORR_PEARSON);
        } else {
            kn_autocorr_plan *plan = make_plan(&c, queue, KN_AUTOCORR_PEARSON);
            kn_autocorr_lengths lengths[2];
            const kn_autocorr_results results = KN_INIT(kn_autocorr_results, .lengths = lengths);

            ck_assert_int_eq(kn_autocorr_execute(plan, &c.frames, c.count, &results, &err),
                             KN_ERROR_UNSUPPORTED);
            kn_autocorr_plan_free(plan);
        }
        free_cubes(&c);
    }
}
END_TEST

// Pieces of four bits, as in large volumes, give the same sums.
START_TEST(pieces)
{
    struct autocorr_volume volume = {.size = {2000, 1000, 1000}, .reach = {8, 8, 8}, .type = KN_U8};
    struct autocorr_volume_plan plan;

    EXPECT_OK(ki_autocorr_volume_plan(&volume, false, &plan, &err));
    ck_assert_uint_eq(plan.pieces, 2);
    ck_assert_double_lt(plan.bound, 0.25);
    volume.type = KN_U16;
    EXPECT_OK(ki_autocorr_volume_plan(&volume, true, &plan, &err));
    ck_assert_uint_eq(plan.pieces, 4);
    ck_assert_double_lt(plan.bound, 0.25);
    volume.size[0] = 64;
    volume.size[1] = volume.size[2] = 256;
    EXPECT_OK(ki_autocorr_volume_plan(&volume, false, &plan, &err));
    ck_assert_uint_eq(plan.pieces, 2);
}
END_TEST

// Waves along the three axes: their average over all directions is sin(kr) / kr, with the first trough at k r
// = 4.4934 and the next maximum at 7.7253.
START_TEST(waves)
{
    enum { SIDE = 48, PERIOD = 12, R = 23 };
    uint8_t *voxels = test_allocate(SIDE * SIDE * SIDE);
    const kn_autocorr_shape shape = KN_INIT(kn_autocorr_shape, .width = SIDE, .height = SIDE, .depth = SIDE,
                                            .type = KN_U8, .max_offset = R);
    const kn_autocorr_options options = KN_INIT(kn_autocorr_options, .periodic = true);
    const kn_autocorr_frames frames = KN_INIT(kn_autocorr_frames, .first = voxels);
    kn_autocorr_lengths lengths;
    const kn_autocorr_results results = KN_INIT(kn_autocorr_results, .lengths = &lengths);
    kn_autocorr_plan *plan;

    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        double k = 2 * M_PI / PERIOD;

        voxels[i] = (uint8_t)lrint(
            128 + 40 * (cos(k * (i % SIDE)) + cos(k * (i / SIDE % SIDE)) + cos(k * (i / SIDE / SIDE))));
    }
    EXPECT_OK(kn_autocorr_plan_create(NULL, &shape, &options, &plan, &err));
    EXPECT_OK(kn_autocorr_execute(plan, &frames, 1, &results, &err));
    ck_assert_double_eq_tol(lengths.r_max, 7.7253 * PERIOD / (2 * M_PI), 0.15);
    ck_assert_double_eq_tol(lengths.r_min, 4.4934 * PERIOD / (2 * M_PI), 0.1);
    ck_assert_double_eq_tol(lengths.r_zero, PERIOD / 2.0, 0.1);
    ck_assert_double_lt(lengths.r_max_error, 1.5);
    kn_autocorr_plan_free(plan);
    free(voxels);
}
END_TEST

START_TEST(refused)
{
    kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = 4, .height = 4, .depth = 4, .type = KN_U8, .max_offset = 2);
    kn_autocorr_options options = KN_INIT(kn_autocorr_options, .method = KN_AUTOCORR_NAIVE);
    const uint8_t voxels[64] = {0}, mask[64] = {1};
    const kn_autocorr_frames frames = KN_INIT(kn_autocorr_frames, .first = voxels, .mask = mask);
    kn_autocorr_lengths lengths;
    const kn_autocorr_results results = KN_INIT(kn_autocorr_results, .lengths = &lengths);
    kn_autocorr_plan *plan = NULL;

    ck_assert_int_eq(kn_autocorr_plan_create(NULL, &shape, &options, &plan, &err), KN_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "the method naive has no sums of volumes"));
    options.method = KN_AUTOCORR_AUTO;
    shape.max_offset = 4;
    ck_assert_int_eq(kn_autocorr_plan_create(NULL, &shape, &options, &plan, &err), KN_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "leaves no overlap in a volume of 4 x 4 x 4 voxels"));
    shape.depth = (size_t)1 << 40;
    ck_assert_int_eq(kn_autocorr_plan_create(NULL, &shape, &options, &plan, &err), KN_ERROR_ARGUMENT);
    shape.depth = 4;
    shape.max_offset = 2;
    EXPECT_OK(kn_autocorr_plan_create(NULL, &shape, &options, &plan, &err));
    ck_assert_int_eq(kn_autocorr_execute(plan, &frames, 1, &results, &err), KN_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "volumes are correlated without a mask"));
    kn_autocorr_plan_free(plan);
    shape.depth = 0;
    options.periodic = true;
    EXPECT_OK(kn_autocorr_plan_create(NULL, &shape, &options, &plan, &err));
    ck_assert_int_eq(kn_autocorr_execute(plan, &frames, 1, &results, &err), KN_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "periodic images are correlated without a mask"));
    kn_autocorr_plan_free(plan);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {host, device, pieces, waves, refused};

    return test_run("autocorr volume", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
