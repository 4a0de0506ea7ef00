// SPDX-License-Identifier: Apache-2.0
// Whichever call of the driver fails, an algorithm returns its status, whether memory ran out or something
// else failed; it does not silently use another method; it works once calls succeed again; and what it
// allocated is released (scratch memory; everything else under sanitizers).
#include "support/failing_backend.h"

#include <koine/fft.h>
#include <koine/gemm.h>

enum { N = 40000, ROWS = 48, COLUMNS = 60, DEPTH = 700, RESULT = 64 };

static float *input;
static kn_buffer *x, *y; // N floats: the input and the result
static uint64_t offsets[] = {0, 10, 10, 5000, N};
static kn_buffer *segments;

static void set_up(void)
{
    uint64_t state = test_seed("failures");

    test_open();
    input = malloc(N * sizeof *input);
    ck_assert_ptr_nonnull(input);
    for (size_t i = 0; i < N; i++)
        input[i] = (float)test_uniform(&state) - 0.3F;
    x = test_upload_with_room(input, N * sizeof *input, 0);
    y = test_upload_with_room(input, N * sizeof *input, 0);
    segments = test_upload_with_room(offsets, sizeof offsets, 0);
}

static void tear_down(void)
{
    kn_buffer_free(x);
    kn_buffer_free(y);
    kn_buffer_free(segments);
    free(input);
    test_close();
}

// ---- what is done: `result` has RESULT bytes for what does not go to x or y ----

static kn_status sort(kn_queue *own, void *result)
{
    (void)result;
    return kn_sort(own, x, KN_F32, N, NULL, &err);
}

static kn_status sort_bitonic(kn_queue *own, void *result)
{
    const kn_sort_options options = KN_INIT(kn_sort_options, .algorithm = KN_SORT_BITONIC);

    (void)result;
    return kn_sort(own, x, KN_F32, N, &options, &err);
}

static kn_status argsort(kn_queue *own, void *result)
{
    (void)result;
    return kn_argsort(own, x, KN_F32, N, y, KN_U32, NULL, &err);
}

static kn_status sort_less(kn_queue *own, void *result)
{
    const kn_less less = KN_INIT(kn_less, .type = "float", .size = sizeof(float), .less = "a > b");

    (void)result;
    return kn_sort_less(own, x, N, &less, &err);
}

static kn_status sort_segments(kn_queue *own, void *result)
{
    (void)result;
    return kn_sort_segments(own, x, KN_F32, N, segments, sizeof offsets / sizeof *offsets - 1, 0, &err);
}

static kn_status sort_host(kn_queue *own, void *result)
{
    kn_status status = kn_sort_large_array(own, input, KN_F32, RESULT / sizeof(float), NULL, &err);

    memcpy(result, input, RESULT);
    return status;
}

static kn_status top_k(kn_queue *own, void *result)
{
    (void)result;
    return kn_top_k(own, x, KN_F32, N, 100, KN_DESCENDING, NULL, y, KN_U32, &err);
}

static kn_status quantiles(kn_queue *own, void *result)
{
    return kn_quantiles(own, x, KN_F32, N, (const double[]){0.1, 0.5, 0.9}, 3, result, NULL, &err);
}

static kn_status quantiles_by_brackets(kn_queue *own, void *result)
{
    const kn_select_options options = KN_INIT(kn_select_options, .method = KN_SELECT_BRACKETS);

    return kn_quantiles(own, x, KN_F32, N, (const double[]){0.1, 0.5, 0.9}, 3, result, &options, &err);
}

static kn_status reduce(kn_queue *own, void *result)
{
    return kn_reduce(own, x, KN_F32, N, KN_REDUCE_MAX, result, &err);
}

static kn_status moments(kn_queue *own, void *result)
{
    kn_moments found;
    kn_status status = kn_reduce_moments(own, x, KN_F32, N, NULL, &found, &err);

    memcpy(result, &found.sum, sizeof found.sum);
    return status;
}

static kn_status scan(kn_queue *own, void *result)
{
    (void)result;
    return kn_scan(own, x, KN_F32, N, KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, y, &err);
}

static kn_status robust(kn_queue *own, void *result)
{
    const kn_robust_options options = KN_INIT(kn_robust_options, .method = KN_ROBUST_FUSED);
    kn_robust found;
    kn_status status = kn_robust_stats(own, x, KN_F32, N, &found, &options, &err);

    memcpy(result, &found.mad, sizeof found.mad);
    return status;
}

static kn_status fft(kn_queue *own, void *result)
{
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 2, .dims = {COLUMNS, ROWS}, .type = KN_F32);
    const kn_fft_options options = KN_INIT(kn_fft_options, .library = KN_FFT_OWN);
    kn_fft_plan *plan = NULL;
    kn_status status = kn_fft_plan_create(own, &shape, &options, &plan, &err);

    (void)result;
    if (!status)
        status = kn_fft_execute(own, plan, KN_FFT_FORWARD, x, y, &err);
    if (!status)
        status = kn_queue_finish(own, &err);
    kn_fft_plan_free(plan);
    return status;
}

static kn_status gemm(kn_queue *own, void *result)
{
    const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN);
    const kn_gemm_task task =
        KN_INIT(kn_gemm_task, .type = KN_F32, .m = 20, .n = 24, .k = DEPTH, .alpha = {1}, .a = {.buffer = x},
                .b = {.buffer = x, .offset = 20 * DEPTH}, .c = {.buffer = y});

    (void)result;
    return kn_gemm(own, &task, &options, &err);
}

static const struct work {
    const char *name;
    kn_status (*run)(kn_queue *own, void *result);
} works[] = {{"sort", sort},
             {"sort, bitonic", sort_bitonic},
             {"argsort", argsort},
             {"sort by a comparison", sort_less},
             {"sort in segments", sort_segments},
             {"sort of memory", sort_host},
             {"top k", top_k},
             {"quantiles", quantiles},
             {"quantiles by brackets", quantiles_by_brackets},
             {"reduce", reduce},
             {"moments", moments},
             {"scan", scan},
             {"robust", robust},
             {"fft", fft},
             {"gemm", gemm}};

// ---- every call in turn ----

// The complete result of an algorithm.
struct outcome {
    unsigned char result[RESULT];
    float x[N], y[N];
};

// Runs on a new queue, which keeps no memory from before, with the driver's call number `calls` failing.
// Returns whether the run ended before that call.
static bool works_with(const struct work *work, long calls, struct outcome *found)
{
    float *kept = malloc(N * sizeof *kept);
    kn_queue *own = NULL;
    kn_status status;

    ck_assert_ptr_nonnull(kept);
    memcpy(kept, input, N * sizeof *kept);
    memset(found, 0xa5, sizeof *found);
    EXPECT_OK(kn_buffer_write(queue, x, 0, input, N * sizeof *input, &err));
    EXPECT_OK(kn_buffer_write(queue, y, 0, found->y, sizeof found->y, &err));
    EXPECT_OK(kn_queue_open(context, &own, &err));
    failing_begin(calls);
    status = work->run(own, found->result);
    ck_assert_uint_eq(ki_engine_scratch_in_use(own), 0);
    failing_end(status);
    kn_queue_finish(own, NULL);
    kn_queue_close(own);
    EXPECT_OK(kn_buffer_read(queue, x, 0, found->x, sizeof found->x, &err));
    EXPECT_OK(kn_buffer_read(queue, y, 0, found->y, sizeof found->y, &err));
    memcpy(input, kept, N * sizeof *kept);
    free(kept);
    return status == KN_OK;
}

START_TEST(every_call)
{
    enum { CALLS_MAX = 300 };
    struct outcome *expected = malloc(sizeof *expected), *found = malloc(sizeof *found);

    ck_assert(expected && found);
    for (size_t w = 0; w < sizeof works / sizeof *works && !test_is_slow(); w++) {
        const struct work *work = &works[w];
        long calls = 0;

        ck_assert_msg(works_with(work, CALLS_MAX, expected), "%s: more calls than are tried", work->name);
        while (calls < CALLS_MAX && !works_with(work, calls, found))
            calls++;
        fprintf(stderr, "%s: %ld calls\n", work->name, calls);
        ck_assert_msg(calls > 0 && calls < CALLS_MAX, "%s: %ld calls", work->name, calls);
        ck_assert_msg(memcmp(found, expected, sizeof *found) == 0, "%s: something else after failures",
                      work->name);
    }
    free(expected);
    free(found);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_call};

    return test_run("failures", tests, 1, set_up, tear_down);
}
