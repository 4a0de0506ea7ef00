// SPDX-License-Identifier: Apache-2.0
// Tests a series within a limit on memory: exactly the same sums, in more batches; term by term if transforms
// do not fit; refused if nothing does.
#include "support/buffers.h"
#include "support/run.h"
#include "autocorr_source_support.h"
#include "autocorr_support.h"

#include <koine/experimental/autocorr.h>

enum { FRAMES = 24, WIDTH = 120, HEIGHT = 90, REACH = 12, OFFSETS = (2 * REACH + 1) * (REACH + 1), LAGS = 5 };

struct told {
    uint64_t sums[FRAMES][OFFSETS];
    kn_autocorr_ring rings[FRAMES][REACH + 1];
    kn_autocorr_method method;
    size_t frames, batches;
};

static kn_status take(void *data, const kn_autocorr_analysis *analysis, kn_error *why)
{
    struct told *told = data;

    (void)why;
    ck_assert_ptr_null(analysis->error);
    ck_assert_uint_eq(analysis->index, told->frames++);
    memcpy(told->sums[analysis->index], analysis->sums, sizeof *told->sums);
    memcpy(told->rings[analysis->index], analysis->rings, sizeof *told->rings);
    told->method = analysis->method;
    return KN_OK;
}

// The estimate is within the limit, and is refused if the frames are; without a limit it is no less than the
// frames and sums of one batch.
static kn_status estimate(kn_autocorr_series *series, const kn_autocorr_source *source,
                          const struct film *film, size_t limit)
{
    const kn_autocorr_grey frame = {
        .width = WIDTH, .height = HEIGHT, .type = film->type, .pixels = film->pixels};
    const size_t least = WIDTH * HEIGHT * kn_type_size(film->type) + OFFSETS * sizeof(uint64_t);
    kn_autocorr_memory memory = {0, 0, 0};
    kn_status status = kn_autocorr_series_estimate_memory(series, source, &frame, &memory, &err);

    if (status)
        return status;
    ck_assert_uint_eq(memory.max_offset, REACH);
    ck_assert_uint_ge(memory.host, least);
    ck_assert_msg(!limit || (memory.host <= limit && memory.device <= limit), "%zu and %zu of %zu bytes",
                  memory.host, memory.device, limit);
    return KN_OK;
}

// Runs kn_autocorr_series_execute within a limit; 0: without one.
static kn_status analyse(kn_queue *on, struct film *film, kn_autocorr_method method, size_t limit,
                         struct told *told)
{
    const kn_autocorr_grey second = {
        .width = WIDTH, .height = HEIGHT, .type = film->type, .pixels = film->pixels};
    const kn_autocorr_series_options options =
        KN_INIT(kn_autocorr_series_options, .method = method, .sums = true,
                .with = film->type == KN_U16 ? &second : NULL, .max_offset = REACH, .memory_limit = limit);
    const kn_autocorr_source source = film_source(film);
    kn_autocorr_series *series;
    kn_status status, estimated;

    memset(told, 0, sizeof *told);
    EXPECT_OK(kn_autocorr_series_create(on, &options, &series, &err));
    err = (kn_error)KN_ERROR_INIT;
    estimated = estimate(series, &source, film, limit);
    status = kn_autocorr_series_execute(series, &source, take, told, &err);
    ck_assert_int_eq(estimated, status);
    told->batches = kn_autocorr_series_get_pipeline(series).batches;
    kn_autocorr_series_free(series);
    return status;
}

static void expect_limits(kn_queue *on, kn_type type)
{
    static struct told free_told, told;
    const kn_autocorr_method direct = on ? KN_AUTOCORR_DIRECT : KN_AUTOCORR_SIMD;
    uint64_t state = test_seed("limited");
    struct film film = make_film(FRAMES, WIDTH, HEIGHT, type, &state);
    size_t batches = 0;
    bool without_transforms = false;
    kn_status status = KN_OK;

    EXPECT_OK(analyse(on, &film, KN_AUTOCORR_FFT, 0, &free_told));
    for (size_t limit = (size_t)1 << 28; !status; limit -= limit / 4) {
        status = analyse(on, &film, KN_AUTOCORR_AUTO, limit, &told);
        if (status)
            break;
        ck_assert_uint_eq(told.frames, FRAMES);
        ck_assert_msg(memcmp(told.sums, free_told.sums, sizeof told.sums) == 0, "within %zu bytes", limit);
        for (size_t i = 0; i < FRAMES; i++)
            for (size_t k = 0; k <= REACH; k++)
                ck_assert_double_eq_tol(told.rings[i][k].value, free_told.rings[i][k].value, 1e-12);
        without_transforms = told.method == direct;
        batches = told.batches;
    }
    ck_assert_int_eq(status, KN_ERROR_MEMORY);
    ck_assert_uint_eq(told.frames, 0);
    ck_assert_msg(strstr(err.text, "MB more than the limit on memory leaves") != NULL, "%s", err.text);
    ck_assert_uint_ge(batches, FRAMES / 2); // before that
    ck_assert(without_transforms);
    ck_assert_int_eq(analyse(on, &film, KN_AUTOCORR_FFT, 100000, &told), KN_ERROR_MEMORY);
    ck_assert_msg(strstr(err.text, "by fft") != NULL, "%s", err.text);
    free(film.pixels);
}

static kn_status forget(void *data, const kn_autocorr_analysis *analysis, kn_error *why)
{
    (void)data;
    (void)why;
    ck_assert_ptr_null(analysis->error);
    return KN_OK;
}

// A series whose frames are correlated with later ones; NULL, with `err` set, if the limit is too small.
static kn_autocorr_series *correlate_lags(kn_queue *on, const kn_autocorr_source *source, size_t limit)
{
    const kn_autocorr_series_options options =
        KN_INIT(kn_autocorr_series_options, .values = true, .max_offset = REACH, .max_lag = LAGS,
                .memory_limit = limit);
    kn_autocorr_series *series;

    EXPECT_OK(kn_autocorr_series_create(on, &options, &series, &err));
    err = (kn_error)KN_ERROR_INIT;
    if (!kn_autocorr_series_execute(series, source, forget, NULL, &err))
        return series;
    kn_autocorr_series_free(series);
    return NULL;
}

static void expect_same_lags(const kn_autocorr_lags *found, const kn_autocorr_lags *expected, size_t limit)
{
    ck_assert_uint_eq(found->count, LAGS + 1);
    for (size_t k = 0; k <= LAGS; k++)
        ck_assert_uint_eq(found->lags[k].pairs, FRAMES - k);
    ck_assert_msg(memcmp(found->correlations, expected->correlations,
                         (LAGS + 1) * FRAMES * sizeof *found->correlations) == 0,
                  "correlations within %zu bytes", limit);
    ck_assert_msg(memcmp(found->values, expected->values, (LAGS + 1) * OFFSETS * sizeof *found->values) == 0,
                  "values within %zu bytes", limit);
}

// Means over pairs have the same bits with every limit that is sufficient.
static void expect_lags(kn_queue *on)
{
    uint64_t state = test_seed("limited lags");
    struct film film = make_film(FRAMES, WIDTH, HEIGHT, KN_U8, &state);
    const kn_autocorr_source source = film_source(&film);
    kn_autocorr_series *whole = correlate_lags(on, &source, 0), *limited;
    size_t done = 0;

    ck_assert_ptr_nonnull(whole);
    for (size_t limit = (size_t)1 << 28; (limited = correlate_lags(on, &source, limit)); limit /= 2, done++) {
        expect_same_lags(kn_autocorr_series_get_lags(limited), kn_autocorr_series_get_lags(whole), limit);
        kn_autocorr_series_free(limited);
    }
    ck_assert_uint_ge(done, 4);
    ck_assert_int_eq(err.code, KN_ERROR_MEMORY);
    ck_assert_msg(strstr(err.text, "6 of which are kept for later ones") != NULL, "%s", err.text);
    kn_autocorr_series_free(whole);
    free(film.pixels);
}

START_TEST(lags)
{
    expect_lags(NULL);
    expect_lags(queue);
}
END_TEST

START_TEST(refused)
{
    uint64_t state = test_seed("refused");
    struct film film = make_film(LAGS, WIDTH, HEIGHT, KN_U8, &state);
    const kn_autocorr_grey frame = {.width = WIDTH, .height = HEIGHT, .type = KN_U8, .pixels = film.pixels};
    const kn_autocorr_series_options options = KN_INIT(kn_autocorr_series_options, .max_lag = LAGS);
    const kn_autocorr_source source = film_source(&film);
    kn_autocorr_memory memory;
    kn_autocorr_series *series;

    EXPECT_OK(kn_autocorr_series_create(NULL, &options, &series, &err));
    ck_assert_int_eq(kn_autocorr_series_estimate_memory(NULL, &source, &frame, &memory, &err),
                     KN_ERROR_ARGUMENT);
    ck_assert_str_eq(err.text, "kn_autocorr_series_estimate_memory: series is NULL");
    ck_assert_int_eq(kn_autocorr_series_estimate_memory(series, NULL, &frame, &memory, &err),
                     KN_ERROR_ARGUMENT);
    ck_assert_int_eq(kn_autocorr_series_estimate_memory(series, &source, NULL, &memory, &err),
                     KN_ERROR_ARGUMENT);
    ck_assert_int_eq(kn_autocorr_series_estimate_memory(series, &source, &frame, NULL, &err),
                     KN_ERROR_ARGUMENT);
    ck_assert_int_eq(kn_autocorr_series_estimate_memory(series, &source, &frame, &memory, &err),
                     KN_ERROR_ARGUMENT);
    ck_assert_msg(strstr(err.text, "a lag of 5 wants more than 5 frames") != NULL, "%s", err.text);
    kn_autocorr_series_free(series);
    free(film.pixels);
}
END_TEST

START_TEST(on_host)
{
    expect_limits(NULL, KN_U8);
    expect_limits(NULL, KN_U16);
}
END_TEST

START_TEST(on_device)
{
    expect_limits(queue, KN_U8);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {on_host, on_device, lags, refused};

    return RUN_ON_DEVICE("autocorrelation within a limit", tests);
}
