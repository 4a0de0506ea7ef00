// SPDX-License-Identifier: Apache-2.0
// A series within a limit on memory: the same sums to the last integer, in more batches; term by term where
// transforms do not fit; refused where nothing does.
#include "support/buffers.h"
#include "support/run.h"
#include "autocorr_source_support.h"
#include "autocorr_support.h"

#include <koine/experimental/autocorr.h>

enum { FRAMES = 24, WIDTH = 120, HEIGHT = 90, REACH = 12, OFFSETS = (2 * REACH + 1) * (REACH + 1) };

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

// kn_autocorr_series_execute within a limit; 0: without one.
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
    kn_status status;

    memset(told, 0, sizeof *told);
    EXPECT_OK(kn_autocorr_series_create(on, &options, &series, &err));
    err = (kn_error)KN_ERROR_INIT;
    status = kn_autocorr_series_execute(series, &source, take, told, &err);
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
    const TTest *const tests[] = {on_host, on_device};

    return RUN_ON_DEVICE("autocorrelation within a limit", tests);
}
