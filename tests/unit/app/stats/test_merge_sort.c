// SPDX-License-Identifier: Apache-2.0
// Tests the merge sort with sums: against qsort by bits and against the tree described in moments.h, at every
// level of the processor, with any number of threads; and which steps ran.
#include "unit/host/host_support.h"
#include "support/run.h"
#include "tree.h"

#include "app/stats/merge_sort.h"
#include "app/stats/merge_code.h"

static const kn_type types[] = {KN_F32, KN_F64};

static struct host_plan plan_of(const kn_host_options *options)
{
    struct host_plan plan;

    EXPECT_OK(ki_host_plan("test", host_type, 0, options, &plan, &err));
    return plan;
}

// A column without NaN.
static void *numbers(size_t n, enum host_pattern pattern, uint64_t *state)
{
    char *x = host_column(n, pattern, state);

    for (size_t i = 0; i < n; i++)
        if (host_is_nan(x + i * kn_type_size(host_type)))
            host_put(x, i, test_random(state) & ~((uint64_t)0x7ff << 52 | 0x7ff << 20));
    return x;
}

static struct stats_sums sums_of(const void *x, size_t n, double shift)
{
    double *values = malloc((n + 1) * sizeof *values);
    struct stats_sums sums;

    ck_assert_ptr_nonnull(values);
    for (size_t i = 0; i < n; i++)
        values[i] = host_real((const char *)x + i * kn_type_size(host_type));
    sums = tree_of(values, n, shift);
    free(values);
    return sums;
}

static void expect_merged(const void *sorted, const void *expected, size_t n, struct stats_sums found,
                          struct stats_sums sums, const kn_host_options *options)
{
    ck_assert_msg(memcmp(sorted, expected, n * kn_type_size(host_type)) == 0,
                  "%zu elements of %s, level %d, %u threads: not sorted", n, kn_type_name(host_type),
                  (int)options->level, options->threads);
    ck_assert_msg(test_same(found.sum, sums.sum) && test_same(found.squares, sums.squares),
                  "%zu elements of %s, level %d, %u threads: sums %.17g %.17g, expected %.17g %.17g", n,
                  kn_type_name(host_type), (int)options->level, options->threads, found.sum, found.squares,
                  sums.sum, sums.squares);
}

static void expect_sort(const void *x, const void *expected, size_t n, const kn_host_options *options)
{
    const double shift = 0.125;
    struct host_plan plan = plan_of(options);
    struct stats_sums sums = {1, 1};
    struct merge_trace trace;
    void *before = host_copy(x, n), *sorted = host_copy(x, n), *scratch = host_copy(x, n);

    memset(sorted, 0xcc, n * plan.size);
    memset(scratch, 0xdd, n * plan.size);
    EXPECT_OK(ki_stats_merge_sort(x, host_type, n, shift, &plan, sorted, scratch, &sums, &trace, &err));
    expect_merged(sorted, expected, n, sums, sums_of(expected, n, shift), options);
    ck_assert_int_eq(memcmp(x, before, n * plan.size), 0);
    host_expect_poison(sorted, n);
    host_expect_poison(scratch, n);
    ck_assert_int_eq(trace.level, options->level);
    ck_assert_uint_le(trace.threads, options->threads);
    free(before);
    free(sorted);
    free(scratch);
}

static void *sorted_copy(const void *x, size_t n)
{
    void *copy = host_copy(x, n);

    qsort(copy, n, kn_type_size(host_type), host_compare_bits);
    return copy;
}

static void expect_column(size_t n, enum host_pattern pattern, uint64_t *state)
{
    void *x = numbers(n, pattern, state), *expected = sorted_copy(x, n);

    HOST_FOR_OPTIONS(options)
    expect_sort(x, expected, n, &options);
    free(x);
    free(expected);
}

static bool holds_numbers(enum host_pattern pattern)
{
    return pattern != HOST_ONLY_NAN;
}

START_TEST(small_columns)
{
    uint64_t state = test_seed("small_columns");

    host_find_levels();
    for (size_t t = 0; t < KI_COUNT(types); t++)
        for (size_t n = 0; n < 600; n += n < 70 ? 1 : 7) {
            host_type = types[t];
            expect_column(n, (enum host_pattern)(n % HOST_ONLY_NAN), &state);
        }
}
END_TEST

START_TEST(patterns)
{
    static const size_t sizes[] = {1023, 1024, 1025, 4096, 4097, 8191, 32769, 65536, 100003};
    uint64_t state = test_seed("patterns");

    host_find_levels();
    for (size_t t = 0; t < KI_COUNT(types); t++)
        for (size_t s = 0; s < KI_COUNT(sizes); s++)
            for (int pattern = 0; pattern < HOST_PATTERNS; pattern++) {
                host_type = types[t];
                if (holds_numbers((enum host_pattern)pattern))
                    expect_column(sizes[s], (enum host_pattern)pattern, &state);
            }
}
END_TEST

// Large enough for levels above a cache and for threads that share a merge.
START_TEST(large_columns)
{
    uint64_t state = test_seed("large_columns");

    host_find_levels();
    for (size_t t = 0; t < KI_COUNT(types); t++) {
        host_type = types[t];
        expect_column(500009, HOST_ANY_BITS, &state);
        expect_column(1 << 19, HOST_FEW_VALUES, &state);
        expect_column((1 << 19) + 1, HOST_DESCENDING, &state);
    }
}
END_TEST

// Every possible split of a merge, by the merge path, for words only.
START_TEST(merges_of_any_two)
{
    uint64_t state = test_seed("merges_of_any_two");
    const struct merge_code *const code[] = {
        &ki_merge_code_scalar_32, &ki_merge_code_scalar_64,
#ifdef KI_HAS_VECTORS
        &ki_merge_code_avx2_32,   &ki_merge_code_avx2_64,
        &ki_merge_code_avx512_32, &ki_merge_code_avx512_64,
#endif
    };

    host_find_levels();
    for (size_t w = 0; w < KI_COUNT(code); w++) {
        host_type = w % 2 ? KN_I64 : KN_I32;
        for (size_t round = 0; round < 3000 && host_has[code[w]->level]; round++) {
            size_t most = round % 3 ? 40 : 400, size = kn_type_size(host_type);
            size_t a = (size_t)(test_random(&state) % most), b = (size_t)(test_random(&state) % most);
            char *x = host_column(a + b, (enum host_pattern)(round % HOST_ONLY_NAN), &state), *expected,
                 *merged;
            qsort(x, a, size, host_compare_bits);
            qsort(x + a * size, b, size, host_compare_bits);
            expected = sorted_copy(x, a + b);
            merged = host_copy(x, a + b);
            memset(merged, 0xcc, (a + b) * size);
            code[w]->merge(x, a, x + a * size, b, merged);
            ck_assert_msg(memcmp(merged, expected, (a + b) * size) == 0, "%zu and %zu of %s, level %d", a, b,
                          kn_type_name(host_type), (int)code[w]->level);
            host_expect_poison(merged, a + b);
            free(x);
            free(expected);
            free(merged);
        }
    }
}
END_TEST

START_TEST(runs)
{
    static const size_t lengths[] = {1, 3, 100, 4096, 40000, 100003, 200000};
    enum { N = 100003 };
    uint64_t state = test_seed("runs");

    host_find_levels();
    for (size_t t = 0; t < KI_COUNT(types); t++)
        for (size_t l = 0; l < KI_COUNT(lengths); l++) {
            host_type = types[t];
            size_t size = kn_type_size(host_type);
            char *x = numbers(N, HOST_ANY_BITS, &state), *expected = sorted_copy(x, N);
            for (size_t i = 0; i < N; i += lengths[l])
                qsort(x + i * size, N - i < lengths[l] ? N - i : lengths[l], size, host_compare_bits);
            HOST_FOR_OPTIONS(options)
            {
                struct host_plan plan = plan_of(&options);
                struct stats_sums sums;
                char *sorted = host_copy(x, N), *scratch = host_copy(x, N);
                EXPECT_OK(ki_stats_merge_runs(host_type, N, lengths[l], 0, &plan, sorted, scratch, &sums,
                                              NULL, &err));
                expect_merged(sorted, expected, N, sums, sums_of(expected, N, 0), &options);
                host_expect_poison(sorted, N);
                host_expect_poison(scratch, N);
                free(sorted);
                free(scratch);
            }
            free(x);
            free(expected);
        }
}
END_TEST

// Threads first take whole merges and at the end parts of one; a single thread splits none.
START_TEST(trace)
{
    enum { N = 1 << 19 };
    uint64_t state = test_seed("trace");
    struct merge_trace found;
    struct stats_sums sums;

    host_type = KN_F64;
    void *x = numbers(N, HOST_ANY_BITS, &state), *sorted = malloc(N * 8), *scratch = malloc(N * 8);
    for (unsigned threads = 1; threads <= 4; threads *= 4) {
        const kn_host_options options = KN_INIT(kn_host_options, .threads = threads, .level = KN_HOST_SCALAR);
        struct host_plan plan = plan_of(&options);
        EXPECT_OK(ki_stats_merge_sort(x, KN_F64, N, 0, &plan, sorted, scratch, &sums, &found, &err));
        ck_assert_uint_eq(found.levels, 15); // runs of 16 keys
        ck_assert_uint_eq(found.threads, plan.threads);
        if (plan.threads == 1) {
            ck_assert_uint_eq(found.whole, N / 16 - 1);
            ck_assert_uint_eq(found.cut, 0);
        } else {
            ck_assert_uint_eq(found.cut, 4 * 4); // 8 merges and fewer, of four threads
            ck_assert_uint_eq(found.whole, N / 16 - 16);
        }
    }
    free(x);
    free(sorted);
    free(scratch);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {small_columns, patterns, large_columns, merges_of_any_two, runs, trace};

    return TEST_RUN("stats: merge sort", CK_FORK_GETENV, tests);
}
