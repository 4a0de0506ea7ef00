// SPDX-License-Identifier: Apache-2.0
// koine/autocorr.h: sums of every method, values, rings and lengths against the definitions; frames in
// ordinary memory and on the device; and what is refused.
#include "autocorr_api_support.h"

#include <inttypes.h>
#include <pthread.h>

#include <koine/koine.h>

#include "app/autocorr/radial.h"

static const size_t sizes[][3] = {{1, 1, 0},   {1, 23, 6},  {19, 1, 18},
                                  {31, 33, 9}, {7, 12, 11}, {130, 97, 17}};
enum { SIZES = sizeof sizes / sizeof *sizes, SMALL_SIZES = SIZES - 1 };

// ---- a call, and what has to come of it ----

static kn_autocorr_plan *make_plan(const struct problem *p, kn_queue *on, kn_autocorr_method method,
                                   kn_autocorr_normalization normalization)
{
    const kn_autocorr_shape shape = KN_INIT(kn_autocorr_shape, .width = p->width, .height = p->height,
                                            .type = p->type, .max_offset = p->max_offset);
    const kn_autocorr_options options =
        KN_INIT(kn_autocorr_options, .method = method, .normalization = normalization);
    kn_autocorr_plan *plan = NULL;

    EXPECT_OK(kn_autocorr_plan_create(on, &shape, &options, &plan, &err));
    ck_assert_uint_eq(kn_autocorr_plan_get_max_offset(plan), p->max_offset);
    ck_assert_uint_eq(kn_autocorr_plan_get_rows(plan), p->max_offset + 1);
    ck_assert_uint_eq(kn_autocorr_plan_get_columns(plan), 2 * p->max_offset + 1);
    ck_assert_int_eq(kn_autocorr_plan_get_method(plan), KN_AUTOCORR_AUTO);
    return plan;
}

// Room for all results, poisoned, with more behind.
struct outcome {
    uint64_t *sums;
    double *values;
    kn_autocorr_ring *rings;
    kn_autocorr_lengths *lengths;
    size_t sum_bytes, value_bytes, ring_bytes, length_bytes;
    kn_autocorr_results results;
};

static struct outcome poisoned(const struct problem *p)
{
    struct outcome o = {.sum_bytes = p->count * offsets_of(p) * sizeof(uint64_t),
                        .value_bytes = p->count * offsets_of(p) * sizeof(double),
                        .ring_bytes = p->count * (p->max_offset + 1) * sizeof(kn_autocorr_ring),
                        .length_bytes = p->count * sizeof(kn_autocorr_lengths)};

    o.sums = test_poisoned(o.sum_bytes + API_ROOM);
    o.values = test_poisoned(o.value_bytes + API_ROOM);
    o.rings = test_poisoned(o.ring_bytes + API_ROOM);
    o.lengths = test_poisoned(o.length_bytes + API_ROOM);
    o.results = KN_INIT(kn_autocorr_results, .sums = o.sums, .values = o.values, .rings = o.rings,
                        .lengths = o.lengths);
    return o;
}

static void expect_poison(const void *array, size_t from, const char *what)
{
    for (size_t i = from; i < from + API_ROOM; i++)
        ck_assert_msg(((const unsigned char *)array)[i] == 0xff, "something was written behind the %s", what);
}

static void free_outcome(struct outcome *o)
{
    expect_poison(o->sums, o->sum_bytes, "sums");
    expect_poison(o->values, o->value_bytes, "values");
    expect_poison(o->rings, o->ring_bytes, "rings");
    expect_poison(o->lengths, o->length_bytes, "lengths");
    free(o->sums);
    free(o->values);
    free(o->rings);
    free(o->lengths);
}

static void expect_untouched(struct outcome *o)
{
    o->sum_bytes = o->value_bytes = o->ring_bytes = o->length_bytes = 0;
    free_outcome(o);
}

// Sums that are off by `bound` at most; where `exact` is not NULL, it has the windows of all frames.
static void expect_sums(const struct problem *p, const uint64_t *sums, const struct window *windows,
                        double bound, const char *what)
{
    for (size_t i = 0; i < p->count * offsets_of(p); i++) {
        uint64_t wanted = windows[i].c, off = sums[i] > wanted ? sums[i] - wanted : wanted - sums[i];

        ck_assert_msg((double)off <= bound,
                      "%s, %zu x %zu of %zu bytes%s%s, R %zu, frame %zu of %zu, offset %zu: %" PRIu64
                      " instead of %" PRIu64,
                      what, p->width, p->height, kn_type_size(p->type), p->second ? ", cross" : "",
                      p->mask ? ", mask" : "", p->max_offset, i / offsets_of(p), p->count, i % offsets_of(p),
                      sums[i], wanted);
    }
}

static void expect_near(double found, double wanted, double error, const char *what, size_t at)
{
    ck_assert_msg(isnan(wanted) ? isnan(found) : fabs(found - wanted) <= error * (1 + fabs(wanted)),
                  "%s %zu: %.17g instead of %.17g", what, at, found, wanted);
}

static struct window *windows_of(const struct problem *p)
{
    ptrdiff_t r = (ptrdiff_t)p->max_offset;
    struct window *all = test_allocate(p->count * offsets_of(p) * sizeof *all), *w = all;

    for (size_t i = 0; i < p->count; i++)
        for (ptrdiff_t y0 = 0; y0 <= r; y0++)
            for (ptrdiff_t x0 = -r; x0 <= r; x0++)
                *w++ = window_of(p, i, x0, y0);
    return all;
}

// The jackknife of noise is a matter of ties, which the last bit of a value decides: r_max_error is looked at
// where the values are the very same.
static void expect_lengths(const kn_autocorr_lengths *found, const double *values, size_t max_offset,
                           bool same)
{
    struct autocorr_ring *rings = test_allocate((max_offset + 1) * sizeof *rings);
    kn_autocorr_lengths wanted;

    ki_autocorr_radial(values, max_offset, AUTOCORR_LINEAR, rings);
    ki_autocorr_find_lengths(rings, max_offset, AUTOCORR_PROMINENCE, &wanted);
    expect_near(found->r_max, wanted.r_max, 1e-6, "r_max", 0);
    if (same)
        expect_near(found->r_max_error, wanted.r_max_error, 0, "r_max_error", 0);
    expect_near(found->maximum, wanted.maximum, 1e-8, "maximum", 0);
    expect_near(found->r_min, wanted.r_min, 1e-6, "r_min", 0);
    expect_near(found->minimum, wanted.minimum, 1e-8, "minimum", 0);
    expect_near(found->r_zero, wanted.r_zero, 1e-8, "r_zero", 0);
    free(rings);
}

// Values, rings and lengths; those of `o` that the call wanted.
static void expect_rest(const struct problem *p, const struct outcome *o, const struct window *windows,
                        kn_autocorr_normalization normalization, bool on_host)
{
    size_t offsets = offsets_of(p), rings = p->max_offset + 1;
    double *values = test_allocate(offsets * sizeof *values);

    for (size_t frame = 0; frame < p->count; frame++) {
        const struct window *w = windows + frame * offsets;

        for (size_t i = 0; i < offsets; i++)
            values[i] = value_of(normalization, &w[i], &w[p->max_offset]);
        for (size_t i = 0; i < offsets && o->results.values; i++)
            expect_near(o->values[frame * offsets + i], values[i], 1e-12,
                        kn_autocorr_normalization_name(normalization), i);
        for (size_t k = 0; k < rings && o->results.rings; k++) {
            const kn_autocorr_ring *found = &o->rings[frame * rings + k],
                                   wanted = ring_of(values, (ptrdiff_t)p->max_offset, (ptrdiff_t)k);

            ck_assert_uint_eq(found->count, wanted.count);
            expect_near(found->radius, wanted.radius, 1e-12, "radius", k);
            expect_near(found->value, wanted.value, 1e-11, "ring", k);
            expect_near(found->error * found->error, wanted.error * wanted.error, 1e-11, "squared error", k);
            expect_near(found->weight, wanted.weight, 1e-12, "weight", k);
        }
        if (o->results.lengths)
            expect_lengths(&o->lengths[frame], values, p->max_offset, false);
        if (o->results.lengths && o->results.values && on_host)
            expect_lengths(&o->lengths[frame], o->values + frame * offsets, p->max_offset, true);
    }
    free(values);
}

static bool runs(kn_autocorr_method method, bool on_device)
{
    bool host = method == KN_AUTOCORR_NAIVE || method == KN_AUTOCORR_SIMD;

    return method == KN_AUTOCORR_FFT || method == KN_AUTOCORR_AUTO || host != on_device;
}

static void expect_method(const kn_autocorr_plan *plan, kn_autocorr_method method)
{
    if (method == KN_AUTOCORR_AUTO) {
        ck_assert_int_ne(kn_autocorr_plan_get_method(plan), KN_AUTOCORR_AUTO);
        ck_assert_msg(strlen(kn_autocorr_plan_get_why(plan)) > 20, "'%s'", kn_autocorr_plan_get_why(plan));
    } else {
        ck_assert_int_eq(kn_autocorr_plan_get_method(plan), method);
        ck_assert_str_eq(kn_autocorr_plan_get_why(plan), "");
    }
    ck_assert(kn_autocorr_plan_get_bound(plan) == 0);
}

// ---- sums ----

// One plan for batches of 3, 1 and 2.
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
        o.value_bytes = o.ring_bytes = o.length_bytes = 0; // which nobody wanted
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

// More than are computed together, and no frames at all.
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

// All results, and rings and lengths alone, which a device makes itself.
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
// Bessel's J0(2 pi r / 12), with its first trough at 3.8317 and its maximum at 7.0156; overlaps that hold no
// whole number of waves move them a little.
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

// Without gaps.
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
    ck_assert(bound[2] > bound[1]); // nobody looked at the pixels
    kn_buffer_free(first);
    kn_buffer_free(second);
    free(windows);
    free_problem(&p);
}
END_TEST

// ---- real numbers ----

// Frame 0 has whole numbers and is kept, frame 1 is stretched over 16 bits, as is the second image.
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
            pixels[i] = NAN; // nobody looks between the rows
        } else if (i < PIXELS) {
            levels[i] = (uint16_t)test_random(&state);
            pixels[i] = levels[i];
        } else { // quarters from -8192 on: those from 0 to 65535 of them, and both ends are there
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

// ---- threads ----

struct worker {
    const struct problem *p;
    const struct window *windows;
    kn_queue *queue;
    struct outcome outcome;
    kn_status status;
};

static void *work(void *own)
{
    enum { TIMES = 20 };
    struct worker *worker = own;
    const kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = worker->p->width, .height = worker->p->height,
                .type = worker->p->type, .max_offset = worker->p->max_offset);
    kn_autocorr_plan *plan = NULL;

    worker->status = kn_autocorr_plan_create(worker->queue, &shape, NULL, &plan, NULL);
    for (unsigned i = 0; i < TIMES && !worker->status; i++)
        worker->status =
            kn_autocorr_execute(plan, &worker->p->frames, worker->p->count, &worker->outcome.results, NULL);
    kn_autocorr_plan_free(plan);
    return NULL;
}

START_TEST(threads)
{
    enum { WORKERS = 4 };
    uint64_t state = test_seed("threads");
    struct worker workers[WORKERS];
    struct problem problems[WORKERS];
    pthread_t ids[WORKERS];
    kn_queue *other = NULL;

    EXPECT_OK(kn_queue_open(kn_queue_get_context(queue), &other, &err));
    for (unsigned w = 0; w < WORKERS; w++) {
        problems[w] = random_problem(31, 33, 8, 3, KN_U8, w * 2 % 4, &state);
        workers[w] = (struct worker){.p = &problems[w], .queue = w == 0 ? queue : w == 1 ? other : NULL};
        workers[w].windows = windows_of(&problems[w]);
        workers[w].outcome = poisoned(&problems[w]);
    }
    for (unsigned w = 0; w < WORKERS; w++)
        ck_assert_int_eq(pthread_create(&ids[w], NULL, work, &workers[w]), 0);
    for (unsigned w = 0; w < WORKERS; w++)
        ck_assert_int_eq(pthread_join(ids[w], NULL), 0);
    for (unsigned w = 0; w < WORKERS; w++) {
        ck_assert_int_eq(workers[w].status, KN_OK);
        expect_sums(&problems[w], workers[w].outcome.sums, workers[w].windows, 0, "threads");
        expect_rest(&problems[w], &workers[w].outcome, workers[w].windows, KN_AUTOCORR_PEARSON,
                    !workers[w].queue);
        free_outcome(&workers[w].outcome);
        free((void *)(uintptr_t)workers[w].windows);
        free_problem(&problems[w]);
    }
    kn_queue_close(other);
}
END_TEST

// Context and queue are closed first.
START_TEST(any_order)
{
    uint64_t state = test_seed("any_order");
    struct problem p = random_problem(17, 12, 5, 2, KN_U8, 0, &state);
    struct window *windows = windows_of(&p);
    struct outcome o = poisoned(&p);
    kn_context *own = NULL;
    kn_queue *own_queue = NULL;
    kn_autocorr_plan *plan;

    EXPECT_OK(kn_context_open(NULL, NULL, &own, &err));
    EXPECT_OK(kn_queue_open(own, &own_queue, &err));
    plan = make_plan(&p, own_queue, KN_AUTOCORR_FFT, KN_AUTOCORR_PEARSON);
    kn_context_close(own);
    EXPECT_OK(kn_autocorr_execute(plan, &p.frames, p.count, &o.results, &err));
    expect_sums(&p, o.sums, windows, 0, "any order");
    expect_rest(&p, &o, windows, KN_AUTOCORR_PEARSON, false);
    kn_queue_close(own_queue);
    kn_autocorr_plan_free(plan);
    free_outcome(&o);
    free(windows);
    free_problem(&p);
}
END_TEST

// ---- what is refused ----

// The last one asked for.
static const kn_autocorr_shape *shape_of(size_t width, size_t height, kn_type type, size_t max_offset)
{
    static kn_autocorr_shape shape;

    shape =
        KN_INIT(kn_autocorr_shape, .width = width, .height = height, .type = type, .max_offset = max_offset);
    return &shape;
}

START_TEST(refused_plans)
{
    kn_autocorr_plan *const untouched = (kn_autocorr_plan *)&err, *plan = untouched;
    const kn_autocorr_shape unsized = {.width = 8, .height = 6, .type = KN_U8};
    kn_autocorr_shape large = KN_INIT(kn_autocorr_shape, .width = 65536, .height = 65536, .type = KN_U8);
    kn_autocorr_options options = KN_INIT(kn_autocorr_options);
    const kn_context_options fast = KN_INIT(kn_context_options, .policy = KN_POLICY_FAST);
    kn_context *fast_context = NULL;
    kn_queue *fast_queue = NULL;

#define REFUSED(status, words, ...)                                                                          \
    EXPECT_REFUSED(status, "kn_autocorr_plan_create: " words, kn_autocorr_plan_create(__VA_ARGS__, &err));   \
    ck_assert_ptr_eq(plan, untouched)
    REFUSED(KN_ERROR_ARGUMENT, "shape is NULL", NULL, NULL, NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "plan is NULL", NULL, shape_of(8, 6, KN_U8, 0), NULL, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "the kn_autocorr_shape has a struct_size of 0", NULL, &unsized, NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "an image of 0 x 6", NULL, shape_of(0, 6, KN_U8, 0), NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "an image of 8 x 0", NULL, shape_of(8, 0, KN_U8, 0), NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "an image of 65536 x 65536", NULL, &large, NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "a largest offset of 8 leaves", NULL, shape_of(8, 6, KN_U8, 8), NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "a largest offset of 18446744073709551615", NULL,
            shape_of(8, 6, KN_U8, SIZE_MAX), NULL, &plan);
    REFUSED(KN_ERROR_UNSUPPORTED, "pixels of the type int;", NULL, shape_of(8, 6, KN_I32, 0), NULL, &plan);
    REFUSED(KN_ERROR_UNSUPPORTED, "pixels of the type double;", NULL, shape_of(8, 6, KN_F64, 0), NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "there is no type 77", NULL, shape_of(8, 6, (kn_type)77, 0), NULL, &plan);
    large.width = (size_t)1 << 31;
    large.height = 1;
    large.max_offset = large.width - 1;
    REFUSED(KN_ERROR_LIMIT, "sums of offsets up to 2147483647", NULL, &large, NULL, &plan);
    options.method = (kn_autocorr_method)8;
    REFUSED(KN_ERROR_ARGUMENT, "there is no method 8", NULL, shape_of(8, 6, KN_U8, 0), &options, &plan);
    options.method = KN_AUTOCORR_DIRECT;
    REFUSED(KN_ERROR_UNSUPPORTED, "the method direct runs on a device", NULL, shape_of(8, 6, KN_U8, 0),
            &options, &plan);
    options.method = KN_AUTOCORR_SIMD;
    REFUSED(KN_ERROR_ARGUMENT, "the method simd runs on the host", queue, shape_of(8, 6, KN_U8, 0), &options,
            &plan);
    options.method = KN_AUTOCORR_AUTO;
    options.normalization = (kn_autocorr_normalization)7;
    REFUSED(KN_ERROR_ARGUMENT, "there is no normalization 7", NULL, shape_of(8, 6, KN_U8, 0), &options,
            &plan);
    EXPECT_OK(kn_context_open(NULL, &fast, &fast_context, &err));
    EXPECT_OK(kn_queue_open(fast_context, &fast_queue, &err));
    REFUSED(KN_ERROR_ARGUMENT, "the queue's context has KN_POLICY_FAST", fast_queue, shape_of(8, 6, KN_U8, 0),
            NULL, &plan);
#undef REFUSED
    ck_assert_int_eq(kn_autocorr_plan_create(NULL, NULL, NULL, &plan, NULL), KN_ERROR_ARGUMENT);
    kn_queue_close(fast_queue);
    kn_context_close(fast_context);
    kn_autocorr_plan_free(NULL);
}
END_TEST

START_TEST(refused_calls)
{
    uint64_t state = test_seed("refused_calls");
    struct problem p = random_problem(8, 6, 2, 2, KN_U8, 3, &state), real = p;
    kn_autocorr_plan *host = make_plan(&p, NULL, KN_AUTOCORR_AUTO, KN_AUTOCORR_PEARSON), *real_plan,
                     *device = make_plan(&p, queue, KN_AUTOCORR_DIRECT, KN_AUTOCORR_PEARSON);
    struct outcome o = poisoned(&p);
    const kn_autocorr_results none = KN_INIT(kn_autocorr_results);
    kn_autocorr_frames frames = p.frames;
    kn_context *stranger = NULL;
    kn_buffer *small = NULL, *foreign = NULL;

    real.type = KN_F32;
    real_plan = make_plan(&real, queue, KN_AUTOCORR_DIRECT, KN_AUTOCORR_PEARSON);
    EXPECT_OK(kn_buffer_create(context, 8 * 6 * 2 - 1, &small, &err));
    EXPECT_OK(kn_context_open(NULL, NULL, &stranger, &err));
    EXPECT_OK(kn_buffer_create(stranger, 8 * 6 * 2, &foreign, &err));
#define REFUSED(words, ...)                                                                                  \
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_execute: " words, kn_autocorr_execute(__VA_ARGS__, &err))
    REFUSED("plan is NULL", NULL, &p.frames, 2, &o.results);
    REFUSED("frames is NULL", host, NULL, 2, &o.results);
    REFUSED("results is NULL", host, &p.frames, 2, NULL);
    REFUSED("no results are wanted", host, &p.frames, 2, &none);
    frames.struct_size = 0;
    REFUSED("the kn_autocorr_frames has a struct_size of 0", host, &frames, 2, &o.results);
    frames = p.frames;
    frames.first = NULL;
    REFUSED("there are no frames", host, &frames, 2, &o.results);
    frames = p.frames;
    frames.stride = 7;
    REFUSED("the rows of `first` are 7 elements apart", device, &frames, 2, &o.results);
    frames = p.frames;
    frames.second_stride = 1;
    REFUSED("the rows of `second` are 1 elements apart", host, &frames, 2, &o.results);
    frames = p.frames;
    frames.mask_stride = 3;
    REFUSED("the rows of `mask` are 3 elements apart", host, &frames, 2, &o.results);
#undef REFUSED
#define REFUSED(status, words, ...)                                                                          \
    EXPECT_REFUSED(status, "kn_autocorr_execute_buffers: " words,                                            \
                   kn_autocorr_execute_buffers(__VA_ARGS__, &err))
    REFUSED(KN_ERROR_ARGUMENT, "the plan is one of the host", host, foreign, NULL, 1, &o.results);
    REFUSED(KN_ERROR_UNSUPPORTED, "frames of KN_F32", real_plan, small, NULL, 1, &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of images is NULL", device, NULL, NULL, 1, &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of images holds 95 bytes", device, small, NULL, 2, &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of images is another context's", device, foreign, NULL, 1,
            &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of second images is another context's", device, small, foreign, 1,
            &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "results is NULL", device, small, NULL, 1, NULL);
#undef REFUSED
    expect_untouched(&o);
    kn_buffer_free(small);
    kn_buffer_free(foreign);
    kn_context_close(stranger);
    kn_autocorr_plan_free(host);
    kn_autocorr_plan_free(device);
    kn_autocorr_plan_free(real_plan);
    free_problem(&p);
}
END_TEST

// R by itself, and names.
START_TEST(defaults)
{
    static const size_t cases[][3] = {{1, 1, 0},   {1, 2, 1},       {3, 3, 1},
                                      {8, 100, 2}, {640, 480, 120}, {4000, 3000, 250}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kn_autocorr_shape shape =
            KN_INIT(kn_autocorr_shape, .width = cases[i][0], .height = cases[i][1], .type = KN_U16);
        kn_autocorr_plan *plan = NULL;

        EXPECT_OK(kn_autocorr_plan_create(NULL, &shape, NULL, &plan, &err));
        ck_assert_uint_eq(kn_autocorr_plan_get_max_offset(plan), cases[i][2]);
        ck_assert_str_eq(kn_autocorr_plan_get_why(plan), "");
        kn_autocorr_plan_free(plan);
    }
    ck_assert_str_eq(kn_autocorr_method_name(KN_AUTOCORR_TWO_KERNEL), "two-kernel");
    ck_assert_str_eq(kn_autocorr_method_name(KN_AUTOCORR_AUTO), "auto");
    ck_assert_str_eq(kn_autocorr_normalization_name(KN_AUTOCORR_SYMAVG), "symavg");
    ck_assert_uint_eq(kn_autocorr_plan_get_rows(NULL), 0);
    ck_assert_str_eq(kn_autocorr_plan_get_why(NULL), "");
    ck_assert_int_eq(kn_autocorr_plan_get_method(NULL), KN_AUTOCORR_AUTO);
    ck_assert_ptr_null(kn_autocorr_method_name((kn_autocorr_method)8));
    ck_assert_ptr_null(kn_autocorr_normalization_name((kn_autocorr_normalization)7));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        sums,         many,    normalizations, lengths,       buffers,       single_precision,
        real_numbers, threads, any_order,      refused_plans, refused_calls, defaults};

    return test_run("autocorr api", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
