// SPDX-License-Identifier: Apache-2.0
// Tests koine/autocorr.h: sums with every method, values, rings and lengths against the definitions; frames
// in ordinary memory and on the device.
#include "autocorr_outcome_support.h"

static const size_t sizes[][3] = {{1, 1, 0},   {1, 23, 6},  {19, 1, 18},
                                  {31, 33, 9}, {7, 12, 11}, {130, 97, 17}};
enum { SIZES = sizeof sizes / sizeof *sizes, SMALL_SIZES = SIZES - 1 };
// ---- sums ----

// One plan for batches of 3, 1 and 2 frames.
static void expect_method_sums(const struct problem *all, const struct window *windows,
                               kn_autocorr_method method, kn_queue *on)
{
    kn_autocorr_plan *plan = make_plan(all, on, method, KN_AUTOCORR_PEARSON);

    for (size_t turn = 0; turn < all->count; turn++) {
        struct problem p = *all;
        struct outcome o;

        p.count = (turn + all->count - 1) % all->count + 1;
        o = poisoned(&p);
        o.results = KN_INIT(kn_autocorr_results, .sums = o.sums);
        EXPECT_OK(kn_autocorr_execute(plan, &p.frames, p.count, &o.results, &err));
        expect_method(plan, method);
        expect_sums(&p, o.sums, windows, 0, kn_autocorr_method_name(method));
        o.value_bytes = o.ring_bytes = o.length_bytes = 0; // not requested
        free_outcome(&o);
    }
    kn_autocorr_plan_free(plan);
}

START_TEST(sums)
{
    uint64_t state = test_seed("sums");

    for (size_t s = 0; s < SIZES; s++)
        for (unsigned kind = 0; kind < API_KINDS; kind++) {
            kn_type type = (s + kind) & 1 ? KN_U16 : KN_U8;
            struct problem p = random_problem(sizes[s][0], sizes[s][1], sizes[s][2], s < SMALL_SIZES ? 3 : 1,
                                              type, kind, &state);
            struct window *windows = windows_of(&p);

            for (kn_autocorr_method m = KN_AUTOCORR_AUTO; m <= KN_AUTOCORR_TWO_KERNEL; m++)
                for (unsigned on_device = 0; on_device < 2; on_device++)
                    if (runs(m, on_device))
                        expect_method_sums(&p, windows, m, on_device ? queue : NULL);
            free(windows);
            free_problem(&p);
        }
}
END_TEST

// More frames than are computed together, and none at all.
START_TEST(many)
{
    enum { MANY = 150 };
    uint64_t state = test_seed("many");
    struct problem p = random_problem(9, 7, 3, MANY, KN_U8, 5, &state);
    struct window *windows = windows_of(&p);

    for (unsigned on_device = 0; on_device < 2; on_device++) {
        kn_autocorr_plan *plan =
            make_plan(&p, on_device ? queue : NULL, KN_AUTOCORR_AUTO, KN_AUTOCORR_PEARSON);
        struct outcome o = poisoned(&p), nothing = poisoned(&p);

        EXPECT_OK(kn_autocorr_execute(plan, &p.frames, MANY, &o.results, &err));
        expect_sums(&p, o.sums, windows, 0, "many");
        expect_rest(&p, &o, windows, KN_AUTOCORR_PEARSON, !on_device);
        EXPECT_OK(kn_autocorr_execute(plan, &p.frames, 0, &nothing.results, &err));
        free_outcome(&o);
        expect_untouched(&nothing);
        kn_autocorr_plan_free(plan);
    }
    free(windows);
    free_problem(&p);
}
END_TEST

// ---- values, rings, lengths ----

// All results; and only rings and lengths, which a device computes itself.
static void expect_all(const struct problem *p, const struct window *windows,
                       kn_autocorr_normalization normalization, kn_queue *on)
{
    kn_autocorr_plan *plan = make_plan(p, on, KN_AUTOCORR_AUTO, normalization);

    for (unsigned wanted = 0; wanted < 3; wanted++) {
        struct outcome o = poisoned(p);

        if (wanted == 1) {
            o.results = KN_INIT(kn_autocorr_results, .rings = o.rings, .lengths = o.lengths);
            o.sum_bytes = o.value_bytes = 0;
        } else if (wanted == 2) {
            o.results = KN_INIT(kn_autocorr_results, .values = o.values);
            o.sum_bytes = o.ring_bytes = o.length_bytes = 0;
        }
        EXPECT_OK(kn_autocorr_execute(plan, &p->frames, p->count, &o.results, &err));
        if (o.results.sums)
            expect_sums(p, o.sums, windows, 0, "all");
        expect_rest(p, &o, windows, normalization, !on);
        free_outcome(&o);
    }
    kn_autocorr_plan_free(plan);
}

START_TEST(normalizations)
{
    uint64_t state = test_seed("normalizations");

    for (size_t s = 0; s < SIZES; s++)
        for (unsigned kind = 0; kind < 4; kind++) {
            struct problem p = random_problem(sizes[s][0], sizes[s][1], sizes[s][2], s < SMALL_SIZES ? 2 : 1,
                                              (s + kind) & 1 ? KN_U8 : KN_U16, kind, &state);
            struct window *windows = windows_of(&p);

            for (kn_autocorr_normalization n = 0; n <= KN_AUTOCORR_SYMAVG; n++) {
                expect_all(&p, windows, n, NULL);
                expect_all(&p, windows, n, queue);
            }
            free(windows);
            free_problem(&p);
        }
}
END_TEST

// A picture with a length: waves of 12 pixels in two directions. Averaged over all directions a wave becomes
// Bessel's J0(2 pi r / 12), with its first trough at 3.8317 and its maximum at 7.0156; overlaps with a
// fractional number of waves shift them a little.
START_TEST(lengths)
{
    enum { SIDE = 96, PERIOD = 12 };
    const double tau = 6.283185307179586;
    uint64_t state = test_seed("lengths");
    struct problem p = random_problem(SIDE, SIDE, 24, 1, KN_U8, 0, &state);
    kn_autocorr_lengths found[2];

    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++) {
            double u = (0.8 * (double)x + 0.6 * (double)y) / PERIOD,
                   v = (0.8 * (double)y - 0.6 * (double)x) / PERIOD;

            p.first[y * p.frames.stride + x] =
                (uint8_t)(100 + 40 * cos(tau * u) + 40 * cos(tau * v) + (double)(test_random(&state) % 16));
        }
    for (unsigned on_device = 0; on_device < 2; on_device++) {
        kn_autocorr_plan *plan =
            make_plan(&p, on_device ? queue : NULL, KN_AUTOCORR_AUTO, KN_AUTOCORR_PEARSON);
        const kn_autocorr_results results = KN_INIT(kn_autocorr_results, .lengths = &found[on_device]);

        EXPECT_OK(kn_autocorr_execute(plan, &p.frames, 1, &results, &err));
        ck_assert_msg(fabs(found[on_device].r_max - 7.0156 / tau * PERIOD) < 0.2, "R_max %g",
                      found[on_device].r_max);
        ck_assert_msg(fabs(found[on_device].r_min - 3.8317 / tau * PERIOD) < 0.2, "R_min %g",
                      found[on_device].r_min);
        ck_assert(found[on_device].r_max_error > 0 && found[on_device].maximum > found[on_device].minimum);
        kn_autocorr_plan_free(plan);
    }
    expect_near(found[1].r_max, found[0].r_max, 1e-4, "r_max", 0);
    expect_near(found[1].r_max_error, found[0].r_max_error, 1e-4, "r_max_error", 0);
    free_problem(&p);
}
END_TEST

// ---- frames on the device ----

// Uploads the frames without gaps.
static kn_buffer *upload(const struct problem *p, const unsigned char *pixels, size_t stride,
                         size_t frame_stride)
{
    size_t row = p->width * kn_type_size(p->type), all = p->count * p->height * row;
    unsigned char *packed = test_allocate(all);
    kn_buffer *buffer;

    for (size_t i = 0; i < p->count * p->height; i++) {
        size_t from = i / p->height * frame_stride + i % p->height * stride;

        memcpy(packed + i * row, pixels + from * kn_type_size(p->type), row);
    }
    buffer = test_upload_with_room(packed, all, 0);
    free(packed);
    return buffer;
}

// kn_autocorr_sums_to_buffer must leave these sums on the device, and nothing after them.
static void expect_sums_in_buffer(const struct problem *p, kn_autocorr_plan *plan, const kn_buffer *first,
                                  const kn_buffer *second, const struct window *windows)
{
    size_t bytes = p->count * offsets_of(p) * sizeof(uint64_t);
    uint64_t *found = test_allocate(bytes);
    kn_buffer *left = test_upload_with_room("", 0, bytes + 8);

    EXPECT_OK(kn_autocorr_sums_to_buffer(plan, first, second, 0, left, &err));
    test_expect_poison(left, 0);
    EXPECT_OK(kn_autocorr_sums_to_buffer(plan, first, second, p->count, left, &err));
    EXPECT_OK(kn_buffer_read(queue, left, 0, found, bytes, &err));
    expect_sums(p, found, windows, 0, kn_autocorr_method_name(kn_autocorr_plan_get_method(plan)));
    ck_assert(kn_autocorr_plan_get_bound(plan) == 0);
    test_expect_poison(left, bytes);
    kn_buffer_free(left);
    free(found);
}

START_TEST(buffers)
{
    uint64_t state = test_seed("buffers");

    for (size_t s = 0; s < SIZES; s++)
        for (unsigned kind = 4; kind < 6; kind++) {
            struct problem p =
                random_problem(sizes[s][0], sizes[s][1], sizes[s][2], s < SMALL_SIZES ? 1 + s % 3 : 1,
                               (s + kind) & 1 ? KN_U16 : KN_U8, kind, &state);
            struct window *windows = windows_of(&p);
            kn_buffer *first = upload(&p, p.first, p.frames.stride, p.frames.frame_stride),
                      *second = p.second ? upload(&p, p.second, p.frames.second_stride,
                                                  p.frames.second_frame_stride)
                                         : NULL;

            for (kn_autocorr_method m = KN_AUTOCORR_AUTO; m <= KN_AUTOCORR_TWO_KERNEL; m++) {
                kn_autocorr_normalization n = (kn_autocorr_normalization)(m % (KN_AUTOCORR_SYMAVG + 1));
                kn_autocorr_plan *plan;

                if (!runs(m, true))
                    continue;
                plan = make_plan(&p, queue, m, n);
                for (unsigned wanted = 0; wanted < 3; wanted++) {
                    struct outcome o = poisoned(&p);

                    if (wanted == 1) {
                        o.results = KN_INIT(kn_autocorr_results, .rings = o.rings, .lengths = o.lengths);
                        o.sum_bytes = o.value_bytes = 0;
                    } else if (wanted == 2) {
                        o.results = KN_INIT(kn_autocorr_results, .sums = o.sums);
                        o.value_bytes = o.ring_bytes = o.length_bytes = 0;
                    }
                    EXPECT_OK(kn_autocorr_execute_buffers(plan, first, second, p.count, &o.results, &err));
                    expect_method(plan, m);
                    if (o.results.sums)
                        expect_sums(&p, o.sums, windows, 0, kn_autocorr_method_name(m));
                    expect_rest(&p, &o, windows, n, false);
                    free_outcome(&o);
                }
                expect_sums_in_buffer(&p, plan, first, second, windows);
                kn_autocorr_plan_free(plan);
            }
            kn_buffer_free(first);
            kn_buffer_free(second);
            free(windows);
            free_problem(&p);
        }
}
END_TEST

// ---- single precision ----

START_TEST(single_precision)
{
    uint64_t state = test_seed("single_precision");
    struct problem p = random_problem(61, 50, 12, 2, KN_U16, 5, &state);
    struct window *windows = windows_of(&p);
    kn_buffer *first = upload(&p, p.first, p.frames.stride, p.frames.frame_stride),
              *second = upload(&p, p.second, p.frames.second_stride, p.frames.second_frame_stride);
    const kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = 61, .height = 50, .type = KN_U16, .max_offset = 12);
    const kn_autocorr_options options =
        KN_INIT(kn_autocorr_options, .method = KN_AUTOCORR_FFT, .single = true);
    double bound[3];

    for (unsigned way = 0; way < 3; way++) { // the host, the device, frames on the device
        struct outcome o = poisoned(&p);
        kn_autocorr_plan *plan = NULL;

        EXPECT_OK(kn_autocorr_plan_create(way ? queue : NULL, &shape, &options, &plan, &err));
        if (way < 2)
            EXPECT_OK(kn_autocorr_execute(plan, &p.frames, 2, &o.results, &err));
        else
            EXPECT_OK(kn_autocorr_execute_buffers(plan, first, second, 2, &o.results, &err));
        bound[way] = kn_autocorr_plan_get_bound(plan);
        expect_sums(&p, o.sums, windows, bound[way], "single precision");
        ck_assert(bound[way] > 0 && bound[way] < 1e-3 * (double)windows[12].c);
        kn_autocorr_plan_free(plan);
        free_outcome(&o);
    }
    ck_assert(bound[2] > bound[1]); // without using the pixels
    kn_buffer_free(first);
    kn_buffer_free(second);
    free(windows);
    free_problem(&p);
}
END_TEST

// ---- real numbers ----

// Frame 0 has integers and is kept, frame 1 is stretched to 16 bits, and so is the second image.
START_TEST(real_numbers)
{
    enum { WIDTH = 13, HEIGHT = 10, STRIDE = 15, PIXELS = STRIDE * HEIGHT };
    uint64_t state = test_seed("real_numbers");
    float *pixels = test_allocate(3 * PIXELS * sizeof *pixels);
    uint16_t *levels = test_allocate(3 * PIXELS * sizeof *levels);
    struct problem p = {WIDTH, HEIGHT, 4, 2, KN_U16, KN_INIT(kn_autocorr_frames), NULL, NULL, NULL};
    kn_autocorr_frames frames = KN_INIT(kn_autocorr_frames, .first = pixels, .stride = STRIDE,
                                        .second = pixels + 2 * PIXELS, .second_stride = STRIDE);
    struct window *windows;

    for (size_t i = 0; i < 3 * PIXELS; i++)
        if (i % STRIDE >= WIDTH) {
            pixels[i] = NAN; // the gaps between rows are not read
        } else if (i < PIXELS) {
            levels[i] = (uint16_t)test_random(&state);
            pixels[i] = levels[i];
        } else { // multiples of a quarter from -8192 on, 65,536 of them, with both ends present
            levels[i] = i % PIXELS ? (uint16_t)test_random(&state) : 0;
            levels[i] = i % PIXELS == 1 ? 65535 : levels[i];
            pixels[i] = (float)levels[i] / 4 - 8192;
        }
    p.frames = frames;
    p.frames.first = levels;
    p.frames.frame_stride = PIXELS;
    p.frames.second = levels + 2 * PIXELS;
    windows = windows_of(&p);
    for (unsigned on_device = 0; on_device < 2; on_device++) {
        const kn_autocorr_shape shape =
            KN_INIT(kn_autocorr_shape, .width = WIDTH, .height = HEIGHT, .type = KN_F32, .max_offset = 4);
        struct outcome o = poisoned(&p), nothing = poisoned(&p);
        kn_autocorr_plan *plan = NULL;
        float kept = pixels[PIXELS + 2 * STRIDE + 5];

        EXPECT_OK(kn_autocorr_plan_create(on_device ? queue : NULL, &shape, NULL, &plan, &err));
        EXPECT_OK(kn_autocorr_execute(plan, &frames, 2, &o.results, &err));
        expect_sums(&p, o.sums, windows, 0, "real numbers");
        expect_rest(&p, &o, windows, KN_AUTOCORR_PEARSON, !on_device);
        pixels[PIXELS + 2 * STRIDE + 5] = INFINITY;
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_execute: frame 1 of first: pixel (5, 2) is inf",
                       kn_autocorr_execute(plan, &frames, 2, &nothing.results, &err));
        pixels[PIXELS + 2 * STRIDE + 5] = kept;
        free_outcome(&o);
        expect_untouched(&nothing);
        kn_autocorr_plan_free(plan);
    }
    free(windows);
    free(pixels);
    free(levels);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sums,        many, normalizations, lengths, buffers, single_precision,
                                  real_numbers};

    return test_run("autocorr api", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
