// SPDX-License-Identifier: Apache-2.0
// Tests frames some lags apart: every pair's correlation, and the means of a lag, against the definitions in
// plain loops; a series that streams gives the same bits as frames in memory; refusals.
#include "autocorr_outcome_support.h"
#include "autocorr_source_support.h"

#include "base/array.h"
#include "app/autocorr/plan_internal.h"
#include "app/autocorr/series/series.h"

// ---- the definition ----

// Means over the pairs of a lag, from values by the definition.
struct expected {
    double *correlations, *values;
    struct autocorr_ring *rings;
    kn_autocorr_lag lag;
};

static struct problem pair_of(const struct problem *p, size_t first, size_t second)
{
    struct problem pair = *p;
    const size_t size = kn_type_size(p->type) * p->frames.frame_stride;

    pair.count = 1;
    pair.frames.first = p->first + first * size;
    pair.frames.second = p->first + second * size;
    pair.frames.second_stride = p->frames.stride;
    return pair;
}

// Adds the contribution of a pair's rings: sums of sectors, weights and errors.
static void add_rings(const double *values, size_t max_offset, double share, struct autocorr_ring *to)
{
    struct autocorr_ring *rings = test_allocate((max_offset + 1) * sizeof *rings);

    ki_autocorr_radial(values, max_offset, AUTOCORR_LINEAR, rings);
    for (size_t k = 0; k <= max_offset; k++) {
        to[k].count = rings[k].count;
        to[k].radius = rings[k].radius;
        to[k].weight = rings[k].weight;
        to[k].error += share * rings[k].error;
        to[k].value += share * rings[k].value;
        for (size_t s = 0; s < AUTOCORR_SECTORS; s++) {
            to[k].sums[s] += share * rings[k].sums[s];
            to[k].weights[s] = rings[k].weights[s];
        }
    }
    free(rings);
}

static struct expected expect_lag(const struct problem *p, size_t k, kn_autocorr_normalization normalization)
{
    const size_t offsets = offsets_of(p), pairs = p->count - k;
    struct expected e = {.correlations = test_allocate(p->count * sizeof(double)),
                         .values = calloc(offsets, sizeof(double)),
                         .rings = calloc(p->max_offset + 1, sizeof *e.rings),
                         .lag = {.pairs = pairs}};
    double *values = test_allocate(offsets * sizeof *values), squares = 0;

    for (size_t i = 0; i < p->count; i++) {
        const struct problem pair = pair_of(p, i, i + k);
        struct window *windows;

        e.correlations[i] = NAN;
        if (i >= pairs)
            continue;
        windows = windows_of(&pair);
        for (size_t o = 0; o < offsets; o++) {
            values[o] = value_of(normalization, &windows[o], &windows[p->max_offset]);
            e.values[o] += values[o] / (double)pairs;
        }
        e.correlations[i] = values[p->max_offset];
        e.lag.value += values[p->max_offset] / (double)pairs;
        add_rings(values, p->max_offset, 1 / (double)pairs, e.rings);
        free(windows);
    }
    for (size_t i = 0; i < pairs; i++)
        squares += (e.correlations[i] - e.lag.value) * (e.correlations[i] - e.lag.value);
    e.lag.deviation = pairs > 1 ? sqrt(squares / (double)(pairs - 1)) : (double)NAN;
    ki_autocorr_find_lengths(e.rings, p->max_offset, AUTOCORR_PROMINENCE, &e.lag.lengths);
    free(values);
    return e;
}

static void free_expected(struct expected *e)
{
    free(e->correlations);
    free(e->values);
    free(e->rings);
}

// ---- results ----

struct lag_outcome {
    kn_autocorr_lag *lags;
    kn_autocorr_ring *rings;
    double *values, *correlations;
    size_t lag_bytes, ring_bytes, value_bytes, correlation_bytes;
    kn_autocorr_lag_results results;
};

static struct lag_outcome poisoned_lags(const struct problem *p, size_t max_lag)
{
    const size_t count = max_lag + 1;
    struct lag_outcome o = {.lag_bytes = count * sizeof *o.lags,
                            .ring_bytes = count * (p->max_offset + 1) * sizeof *o.rings,
                            .value_bytes = count * offsets_of(p) * sizeof(double),
                            .correlation_bytes = count * p->count * sizeof(double)};

    o.lags = test_poisoned(o.lag_bytes + API_ROOM);
    o.rings = test_poisoned(o.ring_bytes + API_ROOM);
    o.values = test_poisoned(o.value_bytes + API_ROOM);
    o.correlations = test_poisoned(o.correlation_bytes + API_ROOM);
    o.results = KN_INIT(kn_autocorr_lag_results, .lags = o.lags, .rings = o.rings, .values = o.values,
                        .correlations = o.correlations);
    return o;
}

static void free_lags(struct lag_outcome *o)
{
    expect_poison(o->lags, o->lag_bytes, "lags");
    expect_poison(o->rings, o->ring_bytes, "rings");
    expect_poison(o->values, o->value_bytes, "values");
    expect_poison(o->correlations, o->correlation_bytes, "correlations");
    free(o->lags);
    free(o->rings);
    free(o->values);
    free(o->correlations);
}

static void expect_lag_results(const struct problem *p, const struct lag_outcome *o, size_t k,
                               const struct expected *e)
{
    const size_t offsets = offsets_of(p), rings = p->max_offset + 1;
    const kn_autocorr_lag *lag = &o->lags[k];

    ck_assert_uint_eq(lag->pairs, e->lag.pairs);
    expect_near(lag->value, e->lag.value, 1e-12, "value", k);
    expect_near(lag->deviation, e->lag.deviation, 1e-12, "deviation", k);
    for (size_t i = 0; i < p->count; i++)
        expect_near(o->correlations[k * p->count + i], e->correlations[i], 1e-12, "correlation", i);
    for (size_t i = 0; i < offsets; i++)
        expect_near(o->values[k * offsets + i], e->values[i], 1e-12, "offset", i);
    for (size_t r = 0; r < rings; r++) {
        const kn_autocorr_ring *found = &o->rings[k * rings + r], wanted = autocorr_public_ring(&e->rings[r]);

        ck_assert_uint_eq(found->count, wanted.count);
        expect_near(found->radius, wanted.radius, 1e-12, "radius", r);
        expect_near(found->value, wanted.value, 1e-11, "ring", r);
        // Ring 0 has one offset and no spread; rounding leaves the square root of some 1e-16.
        expect_near(found->error, wanted.error, 1e-7, "error", r);
        expect_near(found->weight, wanted.weight, 1e-12, "weight", r);
    }
    expect_near(lag->lengths.r_max, e->lag.lengths.r_max, 1e-6, "r_max", k);
    expect_near(lag->lengths.r_min, e->lag.lengths.r_min, 1e-6, "r_min", k);
    expect_near(lag->lengths.r_zero, e->lag.lengths.r_zero, 1e-7, "r_zero", k);
}

// ---- tests ----

static void expect_problem(const struct problem *p, size_t max_lag, kn_autocorr_method method,
                           kn_autocorr_normalization normalization)
{
    for (unsigned on_device = 0; on_device < 2; on_device++) {
        struct lag_outcome o = poisoned_lags(p, max_lag);
        kn_autocorr_plan *plan;

        if (!runs(method, on_device)) {
            free_lags(&o);
            continue;
        }
        plan = make_plan(p, on_device ? queue : NULL, method, normalization);
        EXPECT_OK(kn_autocorr_execute_lags(plan, &p->frames, p->count, max_lag, &o.results, &err));
        expect_method(plan, method);
        for (size_t k = 0; k <= max_lag; k++) {
            struct expected e = expect_lag(p, k, normalization);

            expect_lag_results(p, &o, k, &e);
            free_expected(&e);
        }
        kn_autocorr_plan_free(plan);
        free_lags(&o);
    }
}

START_TEST(pairs)
{
    static const size_t sizes[][3] = {{33, 31, 9}, {17, 40, 5}, {1, 23, 6}};
    uint64_t state = test_seed("pairs");

    for (unsigned kind = 0; kind < 4; kind++) {
        const size_t *size = sizes[kind % 3];
        struct problem p =
            random_problem(size[0], size[1], size[2], 5, kind & 1 ? KN_U16 : KN_U8, kind & 2, &state);

        expect_problem(&p, 1 + kind, kind & 1 ? KN_AUTOCORR_FFT : KN_AUTOCORR_AUTO, KN_AUTOCORR_PEARSON);
        free_problem(&p);
    }
}
END_TEST

START_TEST(normalizations)
{
    uint64_t state = test_seed("normalizations");
    struct problem p = random_problem(29, 23, 4, 4, KN_U8, 0, &state);

    for (unsigned n = KN_AUTOCORR_PEARSON; n <= KN_AUTOCORR_SYMAVG; n++)
        expect_problem(&p, 2, n & 1 ? KN_AUTOCORR_SIMD : KN_AUTOCORR_AUTO, (kn_autocorr_normalization)n);
    free_problem(&p);
}
END_TEST

// Rings come from a device, and nothing else is copied back.
START_TEST(rings_alone)
{
    uint64_t state = test_seed("rings_alone");
    struct problem p = random_problem(41, 30, 7, 6, KN_U8, 0, &state);
    kn_autocorr_plan *plan = make_plan(&p, queue, KN_AUTOCORR_DIRECT, KN_AUTOCORR_PEARSON);
    struct lag_outcome all = poisoned_lags(&p, 3), some = poisoned_lags(&p, 3);

    some.results.values = NULL;
    EXPECT_OK(kn_autocorr_execute_lags(plan, &p.frames, p.count, 3, &all.results, &err));
    EXPECT_OK(kn_autocorr_execute_lags(plan, &p.frames, p.count, 3, &some.results, &err));
    ck_assert_mem_eq(all.lags, some.lags, all.lag_bytes);
    ck_assert_mem_eq(all.rings, some.rings, all.ring_bytes);
    ck_assert_mem_eq(all.correlations, some.correlations, all.correlation_bytes);
    some.value_bytes = 0;
    free_lags(&all);
    free_lags(&some);
    kn_autocorr_plan_free(plan);
    free_problem(&p);
}
END_TEST

// A uniform image has no correlation: its pairs are left out, and counted as such.
START_TEST(one_level)
{
    uint64_t state = test_seed("one_level");
    struct problem p = random_problem(12, 9, 3, 4, KN_U8, 0, &state);
    kn_autocorr_plan *plan = make_plan(&p, NULL, KN_AUTOCORR_AUTO, KN_AUTOCORR_PEARSON);
    struct lag_outcome o = poisoned_lags(&p, 3);

    memset(p.first + p.frames.frame_stride, 7, p.frames.frame_stride); // frame 1
    EXPECT_OK(kn_autocorr_execute_lags(plan, &p.frames, p.count, 3, &o.results, &err));
    ck_assert_uint_eq(o.lags[0].pairs, 3);
    ck_assert_uint_eq(o.lags[1].pairs, 1);
    ck_assert_uint_eq(o.lags[2].pairs, 1);
    ck_assert_uint_eq(o.lags[3].pairs, 1);
    ck_assert(isnan(o.correlations[1]) && isnan(o.correlations[4 + 0]) && isnan(o.correlations[4 + 1]));
    ck_assert(!isnan(o.correlations[4 + 2]) && isnan(o.lags[1].deviation));
    ck_assert_double_eq(o.lags[1].value, o.correlations[4 + 2]);
    memset(p.first, 7, p.count * p.frames.frame_stride); // all frames
    EXPECT_OK(kn_autocorr_execute_lags(plan, &p.frames, p.count, 3, &o.results, &err));
    for (size_t k = 0; k < 4; k++)
        ck_assert(!o.lags[k].pairs && isnan(o.lags[k].value) && isnan(o.lags[k].deviation) &&
                  isnan(o.lags[k].lengths.r_max) && isnan(o.rings[k * 4].value));
    ck_assert(isnan(kn_autocorr_find_decorrelation(o.lags, 4, KN_AUTOCORR_PEARSON)));
    free_lags(&o);
    kn_autocorr_plan_free(plan);
    free_problem(&p);
}
END_TEST

static kn_status look_at_nothing(void *data, const kn_autocorr_analysis *analysis, kn_error *why)
{
    (void)why;
    *(size_t *)data += analysis->error != NULL;
    return KN_OK;
}

// More frames than are kept, so that some are released while others arrive; one of them is damaged.
START_TEST(streams)
{
    enum { FRAMES = 150, WIDTH = 13, HEIGHT = 9, TORN = 77, LAG = 4, R = 2 };
    static const kn_autocorr_region region = {2, 1, 10, 7};
    uint64_t state = test_seed("streams");
    struct film film = make_film(FRAMES, WIDTH, HEIGHT, KN_U8, &state);
    const kn_autocorr_source source = film_source(&film);
    struct problem p = {region.width, region.height, R,   FRAMES, KN_U8, KN_INIT(kn_autocorr_frames),
                        NULL,         NULL,          NULL};
    struct lag_outcome o = poisoned_lags(&p, LAG);
    kn_autocorr_plan *plan = make_plan(&p, NULL, KN_AUTOCORR_FFT, KN_AUTOCORR_PEARSON);
    kn_autocorr_series_options options =
        KN_INIT(kn_autocorr_series_options, .method = KN_AUTOCORR_FFT, .max_offset = R, .region = &region,
                .values = true, .max_lag = LAG);
    const kn_autocorr_lags *lags;
    kn_autocorr_series *series = NULL;
    size_t failed = 0;

    p.frames = KN_INIT(kn_autocorr_frames, .first = film.pixels + region.y * WIDTH + region.x,
                       .stride = WIDTH, .frame_stride = WIDTH * HEIGHT);
    EXPECT_OK(kn_autocorr_execute_lags(plan, &p.frames, FRAMES, LAG, &o.results, &err));
    EXPECT_OK(kn_autocorr_series_create(NULL, &options, &series, &err));
    ck_assert_ptr_null(kn_autocorr_series_get_lags(series));
    EXPECT_OK(kn_autocorr_series_execute(series, &source, look_at_nothing, &failed, &err));
    lags = kn_autocorr_series_get_lags(series);
    ck_assert(lags->count == LAG + 1 && lags->frames == FRAMES && lags->max_offset == R && !failed);
    ck_assert_double_eq(lags->bound, 0);
    ck_assert_mem_eq(lags->lags, o.lags, o.lag_bytes);
    ck_assert_mem_eq(lags->rings, o.rings, o.ring_bytes);
    ck_assert_mem_eq(lags->values, o.values, o.value_bytes);
    ck_assert_mem_eq(lags->correlations, o.correlations, o.correlation_bytes);
    film.fault = FILM_FAILS;
    film.at = TORN;
    EXPECT_OK(kn_autocorr_series_execute(series, &source, look_at_nothing, &failed, &err));
    lags = kn_autocorr_series_get_lags(series);
    ck_assert_uint_eq(failed, 1);
    for (size_t k = 0; k <= LAG; k++) {
        ck_assert_uint_eq(lags->lags[k].pairs, FRAMES - k - (k ? 2 : 1));
        for (size_t i = 0; i + k < FRAMES; i++)
            if (i == TORN || i + k == TORN)
                ck_assert(isnan(lags->correlations[k * FRAMES + i]));
            else
                ck_assert_double_eq(lags->correlations[k * FRAMES + i], o.correlations[k * FRAMES + i]);
    }
    kn_autocorr_series_free(series);
    kn_autocorr_plan_free(plan);
    free_lags(&o);
    free(film.pixels);
}
END_TEST

// A frame is sent to the device once, regardless of the number of its correlations, with a mask and without
// one.
START_TEST(sent_once)
{
    enum { FRAMES = 70, LAG = 3 };
    uint64_t state = test_seed("sent_once");
    struct film film = make_film(FRAMES, 21, 16, KN_U8, &state);
    const kn_autocorr_source source = film_source(&film);
    const kn_autocorr_series_options options = KN_INIT(kn_autocorr_series_options, .method = KN_AUTOCORR_FFT,
                                                       .single = true, .max_offset = 4, .max_lag = LAG);
    kn_autocorr_series *series = NULL;
    size_t failed = 0;

    for (unsigned kind = 0; kind < 4; kind++) {
        struct problem p = random_problem(33, 21, 6, FRAMES, kind & 1 ? KN_U16 : KN_U8, kind & 2, &state);
        struct lag_outcome o = poisoned_lags(&p, LAG);
        kn_autocorr_plan *plan = make_plan(&p, queue, KN_AUTOCORR_DIRECT, KN_AUTOCORR_PEARSON);

        EXPECT_OK(kn_autocorr_execute_lags(plan, &p.frames, p.count, LAG, &o.results, &err));
        ck_assert_uint_eq(plan->engine.sent, FRAMES);
        kn_autocorr_plan_free(plan);
        free_lags(&o);
        free_problem(&p);
    }
    EXPECT_OK(kn_autocorr_series_create(queue, &options, &series, &err));
    EXPECT_OK(kn_autocorr_series_execute(series, &source, look_at_nothing, &failed, &err));
    ck_assert_uint_eq(series->engine.sent + series->pairs.sent, FRAMES);
    kn_autocorr_series_free(series);
    free(film.pixels);
}
END_TEST

// Frames that are on the device are not sent, and give the same bits.
START_TEST(on_the_device)
{
    enum { FRAMES = 9, LAG = 3 };
    static const kn_autocorr_method methods[] = {KN_AUTOCORR_AUTO, KN_AUTOCORR_DIRECT, KN_AUTOCORR_FFT};
    uint64_t state = test_seed("on_the_device");

    for (size_t m = 0; m < KI_COUNT(methods); m++) {
        struct problem p = random_problem(33, 21, 6, FRAMES, m & 1 ? KN_U16 : KN_U8, 0, &state);
        const size_t row = 33 * kn_type_size(p.type);
        struct lag_outcome here = poisoned_lags(&p, LAG), there = poisoned_lags(&p, LAG);
        kn_autocorr_plan *plan = make_plan(&p, queue, methods[m], KN_AUTOCORR_PEARSON);
        kn_buffer *buffer;
        size_t sent;

        EXPECT_OK(kn_buffer_create(kn_queue_get_context(queue), FRAMES * 21 * row, &buffer, &err));
        for (size_t y = 0; y < FRAMES * 21; y++)
            EXPECT_OK(kn_buffer_write(queue, buffer, y * row,
                                      (const char *)p.first +
                                          (y / 21 * p.frames.frame_stride + y % 21 * p.frames.stride) *
                                              kn_type_size(p.type),
                                      row, &err));
        EXPECT_OK(kn_autocorr_execute_lags(plan, &p.frames, FRAMES, LAG, &here.results, &err));
        sent = plan->engine.sent;
        EXPECT_OK(kn_autocorr_execute_lags_buffer(plan, buffer, FRAMES, LAG, &there.results, &err));
        ck_assert_uint_eq(plan->engine.sent, sent);
        ck_assert_mem_eq(here.lags, there.lags, here.lag_bytes);
        ck_assert_mem_eq(here.rings, there.rings, here.ring_bytes);
        ck_assert_mem_eq(here.values, there.values, here.value_bytes);
        ck_assert_mem_eq(here.correlations, there.correlations, here.correlation_bytes);
        kn_buffer_free(buffer);
        kn_autocorr_plan_free(plan);
        free_lags(&here);
        free_lags(&there);
        free_problem(&p);
    }
}
END_TEST

START_TEST(decorrelation)
{
    kn_autocorr_lag lags[] = {{.value = 1}, {.value = 0.5}, {.value = NAN}, {.value = 0.25}};
    const double level = exp(-1);

    // On the line from (1, 0.5) to (3, 0.25).
    ck_assert_double_eq_tol(kn_autocorr_find_decorrelation(lags, 4, KN_AUTOCORR_PEARSON),
                            1 + (0.5 - level) / 0.25 * 2, 1e-14);
    ck_assert(isnan(kn_autocorr_find_decorrelation(lags, 2, KN_AUTOCORR_PEARSON)));
    ck_assert(isnan(kn_autocorr_find_decorrelation(lags, 0, KN_AUTOCORR_PEARSON)));
    lags[0].value = 3; // 1 above 2, and 1 above 1.5 is a quarter of that: symavg falls to 1
    lags[1].value = 1.5;
    ck_assert_double_eq_tol(kn_autocorr_find_decorrelation(lags, 2, KN_AUTOCORR_SYMAVG), (1 - level) / 0.75,
                            1e-14);
    ck_assert(isnan(kn_autocorr_find_decorrelation(lags, 2, KN_AUTOCORR_PEARSON)));
}
END_TEST

START_TEST(refused)
{
    uint64_t state = test_seed("refused");
    struct problem p = random_problem(8, 6, 2, 3, KN_U8, 0, &state);
    kn_autocorr_plan *plan = make_plan(&p, NULL, KN_AUTOCORR_AUTO, KN_AUTOCORR_PEARSON), *volumes = NULL;
    const kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = 8, .height = 3, .depth = 2, .type = KN_U8);
    struct lag_outcome o = poisoned_lags(&p, 2);
    const kn_autocorr_lag_results none = KN_INIT(kn_autocorr_lag_results);
    kn_autocorr_frames frames = p.frames;
    struct film film = make_film(3, 8, 6, KN_U8, &state);
    const kn_autocorr_source source = film_source(&film);
    kn_autocorr_grey with = {8, 6, KN_U8, film.pixels, false, false};
    kn_autocorr_series_options options = KN_INIT(kn_autocorr_series_options, .max_lag = 3);
    kn_autocorr_series *series = NULL;
    size_t failed = 0;

#define REFUSED(status, words, ...)                                                                          \
    EXPECT_REFUSED(status, "kn_autocorr_execute_lags: " words, kn_autocorr_execute_lags(__VA_ARGS__, &err))
    EXPECT_OK(kn_autocorr_plan_create(NULL, &shape, NULL, &volumes, &err));
    REFUSED(KN_ERROR_ARGUMENT, "plan is NULL", NULL, &p.frames, 3, 2, &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "frames is NULL", plan, NULL, 3, 2, &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "results is NULL", plan, &p.frames, 3, 2, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "no results are wanted", plan, &p.frames, 3, 2, &none);
    REFUSED(KN_ERROR_ARGUMENT, "a lag of 3 wants more than 3 frames", plan, &p.frames, 3, 3, &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "a lag of 0 wants more than 0 frames", plan, &p.frames, 0, 0, &o.results);
    REFUSED(KN_ERROR_UNSUPPORTED, "volumes are not correlated", volumes, &p.frames, 3, 2, &o.results);
    frames.second = frames.first;
    REFUSED(KN_ERROR_ARGUMENT, "there is a second image", plan, &frames, 3, 2, &o.results);
    frames.second = NULL;
    frames.mask = p.first;
    frames.mask_frame_stride = 48;
    REFUSED(KN_ERROR_UNSUPPORTED, "each frame has a mask of its own", plan, &frames, 3, 2, &o.results);
#undef REFUSED
    EXPECT_OK(kn_autocorr_series_create(NULL, &options, &series, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_series_execute: a lag of 3 wants more than 3 frames",
                   kn_autocorr_series_execute(series, &source, look_at_nothing, &failed, &err));
    kn_autocorr_series_free(series);
    options.max_lag = 1;
    film.fault = FILM_LARGER;
    film.at = 2;
    EXPECT_OK(kn_autocorr_series_create(NULL, &options, &series, &err));
    EXPECT_OK(kn_autocorr_series_execute(series, &source, look_at_nothing, &failed, &err));
    ck_assert_uint_eq(failed, 1); // its size differs from the first frame's
    kn_autocorr_series_free(series);
    options.with = &with;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_series_create: `with` is the second image",
                   kn_autocorr_series_create(NULL, &options, &series, &err));
    o.lag_bytes = o.ring_bytes = o.value_bytes = o.correlation_bytes = 0;
    free_lags(&o);
    kn_autocorr_plan_free(plan);
    kn_autocorr_plan_free(volumes);
    free_problem(&p);
    free(film.pixels);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {pairs,     normalizations, rings_alone,   one_level, streams,
                                  sent_once, on_the_device,  decorrelation, refused};

    return test_run("autocorr lags", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
