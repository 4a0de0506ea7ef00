// SPDX-License-Identifier: Apache-2.0
// Algorithms must allocate nothing when a call is repeated. The exceptions are in the tables, with their
// reasons.
#include "support/memory/allocations.h"
#include "support/buffers.h"
#include "support/run.h"

#include <koine/experimental.h>
#include <koine/koine.h>

enum { N = 150011, PRODUCT = 37, LINES = 15, LENGTH = 210, RUNS = 300 };

static kn_buffer *floats, *sorted, *keys, *values, *indices, *bytes, *offsets, *other, *counted, *runs;
static float host_floats[N];

static void begin(void)
{
    static uint32_t integers[N];
    static uint64_t starts[RUNS + 1];
    static uint8_t small[N];
    uint64_t state = test_seed("allocations");

    test_open();
    for (size_t i = 0; i < N; i++) {
        host_floats[i] = (float)test_uniform(&state) - 0.3F;
        integers[i] = (uint32_t)(test_random(&state) % 500);
        small[i] = (uint8_t)test_random(&state);
    }
    for (size_t i = 0; i <= RUNS; i++)
        starts[i] = i < RUNS ? i * (N / RUNS) : N;
    floats = test_upload_with_room(host_floats, sizeof host_floats, 0);
    sorted = test_upload_with_room(host_floats, sizeof host_floats, 0);
    other = test_upload_with_room(host_floats, sizeof host_floats, sizeof host_floats);
    runs = test_upload_with_room(host_floats, sizeof host_floats, sizeof host_floats);
    values = test_upload_with_room(integers, sizeof integers, 0);
    keys = test_upload_with_room(integers, sizeof integers, 0);
    indices = test_upload_with_room(integers, sizeof integers, 0);
    bytes = test_upload_with_room(small, sizeof small, 0);
    offsets = test_upload_with_room(starts, sizeof starts, 0);
    counted = test_upload_with_room(starts, sizeof starts, 0);
}

static void end(void)
{
    kn_buffer **all[] = {&floats, &sorted,  &keys,  &values,  &indices,
                         &bytes,  &offsets, &other, &counted, &runs};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kn_buffer_free(*all[i]);
        *all[i] = NULL;
    }
    test_close();
}

const struct allocations_known allocations_known[] = {
    // The array into which it merges, as large as the caller's, and a buffer that may take all of the
    // device's memory: if they were kept, nothing else could use that memory.
    {"kn_sort_large_array", 3, 1},
    {NULL, 0, 0},
};

#define EXPECT_CALLS(calls) allocations_expect(calls, sizeof(calls) / sizeof *(calls))

// ---- sums and scans ----

static kn_status reduce(kn_error *why)
{
    kn_number found;

    return kn_reduce(queue, floats, KN_F32, N, KN_REDUCE_MAX, &found, why);
}

static kn_status reduce_to_buffer(kn_error *why)
{
    return kn_reduce_to_buffer(queue, keys, KN_U32, N, KN_REDUCE_MAX, counted, why);
}

static kn_status reduce_sum(kn_error *why)
{
    double sum;

    return kn_reduce_sum(queue, floats, KN_F32, N, &sum, why);
}

static kn_status reduce_moments(kn_error *why)
{
    kn_moments found;

    return kn_reduce_moments(queue, floats, KN_F32, N, NULL, &found, why);
}

static const kn_combine squares = KN_INIT(kn_combine, .combine = "a + b", .identity = "0", .map = "x * x");

static kn_status reduce_with(kn_error *why)
{
    float found;

    return kn_reduce_with(queue, floats, KN_F32, N, &squares, KN_F32, &found, why);
}

static kn_status reduce_by_key(kn_error *why)
{
    size_t count;

    return kn_reduce_by_key(queue, keys, KN_U32, N, floats, KN_F32, KN_REDUCE_SUM, runs, other, NULL, &count,
                            why);
}

static kn_status scan(kn_error *why)
{
    return kn_scan(queue, floats, KN_F32, N, KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, other, why);
}

static kn_status scan_with(kn_error *why)
{
    return kn_scan_with(queue, floats, KN_F32, N, &squares, KN_SCAN_EXCLUSIVE, other, why);
}

START_TEST(test_reduce)
{
    const struct allocations_call calls[] = {
        {"kn_reduce", reduce},
        {"kn_reduce_to_buffer", reduce_to_buffer},
        {"kn_reduce_sum", reduce_sum},
        {"kn_reduce_moments", reduce_moments},
        {"kn_reduce_with", reduce_with},
        {"kn_reduce_by_key", reduce_by_key},
        {"kn_scan", scan},
        {"kn_scan_with", scan_with},
    };

    begin();
    EXPECT_CALLS(calls);
    end();
}
END_TEST

// ---- sorting ----

static kn_status sort_by(kn_sort_algorithm algorithm, kn_error *why)
{
    const kn_sort_options options = KN_INIT(kn_sort_options, .algorithm = algorithm);

    return kn_sort(queue, sorted, KN_F32, N, &options, why);
}

static kn_status sort(kn_error *why)
{
    return kn_sort(queue, sorted, KN_F32, N, NULL, why);
}

static kn_status sort_bitonic(kn_error *why)
{
    return sort_by(KN_SORT_BITONIC, why);
}

static kn_status sort_radix(kn_error *why)
{
    return sort_by(KN_SORT_RADIX, why);
}

static kn_status sort_merge(kn_error *why)
{
    return sort_by(KN_SORT_MERGE, why);
}

static kn_status sort_by_key(kn_error *why)
{
    return kn_sort_by_key(queue, sorted, KN_F32, N, values, 4, NULL, why);
}

static kn_status argsort(kn_error *why)
{
    return kn_argsort(queue, floats, KN_F32, N, indices, KN_U32, NULL, why);
}

static const kn_less descending = KN_INIT(kn_less, .type = "float", .size = 4, .less = "a > b");

static kn_status sort_less(kn_error *why)
{
    return kn_sort_less(queue, sorted, N, &descending, why);
}

static kn_status sort_less_by_key(kn_error *why)
{
    return kn_sort_less_by_key(queue, sorted, N, values, 4, &descending, why);
}

static kn_status sort_segments(kn_error *why)
{
    return kn_sort_segments(queue, sorted, KN_F32, N, offsets, RUNS, KN_ASCENDING, why);
}

static kn_status sort_segments_by_key(kn_error *why)
{
    return kn_sort_segments_by_key(queue, sorted, KN_F32, N, values, 4, offsets, RUNS, KN_DESCENDING, why);
}

static kn_status sort_highest(kn_error *why)
{
    const kn_sort_tuning tuning = {.lanes = KN_SORT_LANES_SERIAL, .digits = KN_SORT_DIGITS_HIGHEST};
    const kn_sort_options options = KN_INIT(kn_sort_options, .algorithm = KN_SORT_RADIX, .tuning = &tuning);

    return kn_sort(queue, sorted, KN_F32, N, &options, why);
}

static const kn_sort_large_options chunks = KN_INIT(kn_sort_large_options, .chunk = N / 4);

static kn_status sort_large(kn_error *why)
{
    return kn_sort_large(queue, sorted, KN_F32, N, &chunks, why);
}

static kn_status sort_large_array(kn_error *why)
{
    return kn_sort_large_array(queue, host_floats, KN_F32, N, &chunks, why);
}

START_TEST(test_sort)
{
    const struct allocations_call calls[] = {
        {"kn_sort", sort},
        {"kn_sort, bitonic", sort_bitonic},
        {"kn_sort, radix", sort_radix},
        {"kn_sort, radix, highest digit first", sort_highest},
        {"kn_sort, merge", sort_merge},
        {"kn_sort_by_key", sort_by_key},
        {"kn_argsort", argsort},
        {"kn_sort_less", sort_less},
        {"kn_sort_less_by_key", sort_less_by_key},
        {"kn_sort_segments", sort_segments},
        {"kn_sort_segments_by_key", sort_segments_by_key},
        {"kn_sort_large", sort_large},
        {"kn_sort_large_array", sort_large_array},
    };

    begin();
    EXPECT_CALLS(calls);
    end();
}
END_TEST

// ---- selection, and what is made of columns ----

static kn_status select_by(kn_select_method method, kn_error *why)
{
    const kn_select_options options = KN_INIT(kn_select_options, .method = method);
    const size_t ranks[] = {3, N / 2, N - 1};
    float found[3];

    return kn_select(queue, floats, KN_F32, N, ranks, 3, found, &options, why);
}

static kn_status select_digits(kn_error *why)
{
    return select_by(KN_SELECT_DIGITS, why);
}

static kn_status select_brackets(kn_error *why)
{
    return select_by(KN_SELECT_BRACKETS, why);
}

static kn_status quantiles(kn_error *why)
{
    const double q[] = {0.1, 0.5, 0.99};
    double found[3];

    return kn_quantiles(queue, floats, KN_F32, N, q, 3, found, NULL, why);
}

static kn_status select_to_buffer(kn_error *why)
{
    const size_t ranks[] = {N / 2, N - 1};

    return kn_select_to_buffer(queue, floats, KN_F32, N, ranks, 2, other, NULL, why);
}

static kn_status quantiles_to_buffer(kn_error *why)
{
    const double q[] = {0.1, 0.99};

    return kn_quantiles_to_buffer(queue, floats, KN_F32, N, q, 2, other, NULL, why);
}

static kn_status median(kn_error *why)
{
    double found;

    return kn_median(queue, floats, KN_F32, N, &found, NULL, why);
}

static kn_status top_k(kn_error *why)
{
    return kn_top_k(queue, floats, KN_F32, N, 100, KN_DESCENDING, other, indices, KN_U32, why);
}

static const kn_condition positive = KN_INIT(kn_condition, .type = "float", .size = 4, .holds = "x > 0");

static kn_status select_if(kn_error *why)
{
    size_t count;

    return kn_select_if(queue, floats, N, &positive, other, NULL, &count, why);
}

static kn_status select_if_counted(kn_error *why)
{
    return kn_select_if(queue, floats, N, &positive, other, counted, NULL, why);
}

static kn_status partition(kn_error *why)
{
    size_t count;

    return kn_partition(queue, floats, N, &positive, other, NULL, &count, why);
}

static kn_status unique(kn_error *why)
{
    size_t count;

    return kn_unique(queue, keys, KN_U32, N, other, NULL, &count, why);
}

static kn_status run_lengths(kn_error *why)
{
    size_t count;

    return kn_run_lengths(queue, keys, KN_U32, N, other, runs, KN_U32, NULL, &count, why);
}

static kn_status histogram(kn_error *why)
{
    const double edges[] = {-0.3, 0, 0.1, 0.7};

    return kn_histogram(queue, floats, KN_F32, N, edges, 3, runs, why);
}

static kn_status histogram_even(kn_error *why)
{
    return kn_histogram_even(queue, floats, KN_F32, N, -0.3, 0.7, 100, runs, why);
}

START_TEST(test_select)
{
    const struct allocations_call calls[] = {
        {"kn_select, digits", select_digits},
        {"kn_select, brackets", select_brackets},
        {"kn_select_to_buffer", select_to_buffer},
        {"kn_quantiles", quantiles},
        {"kn_quantiles_to_buffer", quantiles_to_buffer},
        {"kn_median", median},
        {"kn_top_k", top_k},
        {"kn_select_if", select_if},
        {"kn_select_if, counted on the device", select_if_counted},
        {"kn_partition", partition},
        {"kn_unique", unique},
        {"kn_run_lengths", run_lengths},
        {"kn_histogram", histogram},
        {"kn_histogram_even", histogram_even},
    };

    begin();
    EXPECT_CALLS(calls);
    end();
}
END_TEST

static kn_status robust_by(kn_robust_method method, kn_error *why)
{
    const kn_robust_options options = KN_INIT(kn_robust_options, .method = method);
    kn_robust found;

    return kn_robust_stats(queue, floats, KN_F32, N, &found, &options, why);
}

static kn_status robust_fused(kn_error *why)
{
    return robust_by(KN_ROBUST_FUSED, why);
}

static kn_status robust_select(kn_error *why)
{
    return robust_by(KN_ROBUST_SELECT, why);
}

static kn_status robust_counted(kn_error *why)
{
    kn_robust found;

    return kn_robust_stats(queue, bytes, KN_U8, N, &found, NULL, why);
}

static kn_status robust_columns(kn_error *why)
{
    kn_robust found[5];

    return kn_robust_columns(queue, floats, KN_F32, N / 5 - 3, N / 5, 5, found, NULL, why);
}

static kn_status robust_prefixes(kn_error *why)
{
    const size_t ends[] = {100, N / 3, N};
    kn_robust found[3];

    return kn_robust_prefixes(queue, floats, KN_F32, ends, 3, found, NULL, why);
}

static kn_status abs_diff(kn_error *why)
{
    return kn_abs_diff(queue, floats, KN_F32, N, 0.25, other, why);
}

START_TEST(test_robust)
{
    const struct allocations_call calls[] = {
        {"kn_robust_stats, fused", robust_fused},     {"kn_robust_stats, select", robust_select},
        {"kn_robust_stats, counted", robust_counted}, {"kn_robust_columns", robust_columns},
        {"kn_robust_prefixes", robust_prefixes},      {"kn_abs_diff", abs_diff},
    };

    begin();
    EXPECT_CALLS(calls);
    end();
}
END_TEST

// ---- transforms and products ----

static kn_fft_plan *line, *picture, *prime;

static kn_status transform_line(kn_error *why)
{
    return kn_fft_execute(queue, line, KN_FFT_FORWARD, floats, other, why);
}

static kn_status transform_picture(kn_error *why)
{
    return kn_fft_execute(queue, picture, KN_FFT_INVERSE, floats, other, why);
}

static kn_status transform_prime(kn_error *why)
{
    return kn_fft_execute(queue, prime, KN_FFT_FORWARD, floats, other, why);
}

static kn_status multiply(size_t m, size_t n, size_t batch, const kn_gemm_options *options, kn_error *why)
{
    kn_gemm_task task =
        KN_INIT(kn_gemm_task, .type = KN_F32, .m = m, .n = n, .k = 41, .batch = batch, .alpha = {1, 0});

    task.a.buffer = floats;
    task.b.buffer = floats;
    task.c.buffer = other;
    task.c.stride = m * n;
    return kn_gemm(queue, &task, options, why);
}

static kn_status gemm(kn_error *why)
{
    return multiply(PRODUCT, PRODUCT, 1, NULL, why);
}

static kn_status gemm_own(kn_error *why)
{
    const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN);

    return multiply(PRODUCT, 2 * PRODUCT, 1, &options, why);
}

static kn_status gemm_batch(kn_error *why)
{
    return multiply(LINES, LINES, 3, NULL, why);
}

START_TEST(test_transforms)
{
    const struct allocations_call calls[] = {
        {"kn_fft_execute", transform_line},
        {"kn_fft_execute, two dimensions", transform_picture},
        {"kn_fft_execute, a prime length", transform_prime},
        {"kn_gemm", gemm},
        {"kn_gemm, own kernels", gemm_own},
        {"kn_gemm, a batch", gemm_batch},
    };
    const kn_fft_shape of_line = KN_INIT(kn_fft_shape, .rank = 1, .dims = {4096}, .type = KN_F32);
    const kn_fft_shape of_picture =
        KN_INIT(kn_fft_shape, .rank = 2, .dims = {LENGTH, LINES}, .batch = 2, .type = KN_F32);
    const kn_fft_shape of_prime = KN_INIT(kn_fft_shape, .rank = 1, .dims = {4099}, .type = KN_F32);

    begin();
    EXPECT_OK(kn_fft_plan_create(queue, &of_line, NULL, &line, &err));
    EXPECT_OK(kn_fft_plan_create(queue, &of_picture, NULL, &picture, &err));
    EXPECT_OK(kn_fft_plan_create(queue, &of_prime, NULL, &prime, &err));
    EXPECT_CALLS(calls);
    kn_fft_plan_free(line);
    kn_fft_plan_free(picture);
    kn_fft_plan_free(prime);
    end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_reduce, test_sort, test_select, test_robust, test_transforms};

    return test_run("allocations of algorithms", tests, sizeof tests / sizeof *tests, NULL, NULL);
}
