// SPDX-License-Identifier: Apache-2.0
// kn_host_select and kn_host_quantiles against a sorted copy, and how often ki_host_select reads or sorts.
#include "host_support.h"

#include <math.h>

#include "host/sort/host_select.h"
#include "support/run.h"

// The element found has the bits of the one with this rank in the sorted copy, or both are NaN.
static void expect_element(const void *found, const void *sorted, size_t rank, size_t n,
                           const kn_host_options *options)
{
    size_t size = kn_type_size(host_type);
    const char *expected = (const char *)sorted + rank * size;

    if (memcmp(found, expected, size) != 0 && !(host_is_nan(found) && host_is_nan(expected)))
        ck_abort_msg("%s, n %zu, level %d, %u threads%s: rank %zu", kn_type_name(host_type), n,
                     (int)options->level, options->threads, options->order ? ", descending" : "", rank);
}

// At most 16 ranks in no order: the middle, both ends, and random ones. Returns how many.
static size_t choose_ranks(size_t n, size_t *ranks, uint64_t *state)
{
    const size_t fixed[] = {n / 2, 0, n - 1, (n - 1) / 2, n / 2};
    size_t count = 1 + test_random(state) % 16;

    for (size_t i = 0; i < count; i++)
        ranks[i] = i < KI_COUNT(fixed) ? fixed[i] : test_random(state) % n;
    return count;
}

static void check_select(size_t n, enum host_pattern pattern, uint64_t *state)
{
    size_t size = kn_type_size(host_type), ranks[16], count = choose_ranks(n, ranks, state);
    void *x = host_column(n, pattern, state), *before = host_copy(x, n), *sorted = host_copy(x, n);
    char values[17 * 8];

    qsort(sorted, n, size, host_compare_bits);
    HOST_FOR_OPTIONS(options)
    {
        options.order = host_descending;
        memset(values, 0xa5, sizeof values);
        EXPECT_OK(kn_host_select(x, host_type, n, ranks, count, values, &options, &err));
        for (size_t i = 0; i < count; i++)
            expect_element(values + i * size, sorted, ranks[i], n, &options);
        ck_assert_uint_eq((unsigned char)values[count * size], 0xa5);
        ck_assert_mem_eq(x, before, n * size + 64);
    }
    free(x);
    free(before);
    free(sorted);
}

START_TEST(select_sizes)
{
    static const size_t sizes[] = {1,  2,  3,  4,   5,   7,   8,   9,    15,   16,    17,
                                   31, 32, 33, 127, 128, 129, 255, 1025, 4097, 32768, 32769};

    host_for_all_types(check_select, "select_sizes", sizes, KI_COUNT(sizes), false);
}
END_TEST

START_TEST(select_large)
{
    static const size_t sizes[] = {140001};

    host_for_all_types(check_select, "select_large", sizes, KI_COUNT(sizes), true);
}
END_TEST

// How ranks are found: neighbours by the same read, a distant one by another read, many by a sort after 8
// reads; by a sort if a bracket misses its rank; and by one read if the sample has one element only.
START_TEST(methods)
{
    uint64_t state = test_seed("methods");
    size_t n = 200000, far[] = {n / 2, n / 2 - 1, n / 10}, many[20];
    double *x, *sorted, values[20];

    host_type = KN_F64;
    host_descending = false;
    x = host_column(n, HOST_MOSTLY_TIES, &state);
    for (size_t i = 0; i < n; i++)
        x[i] = test_uniform(&state) - 0.3;
    sorted = host_copy(x, n);
    qsort(sorted, n, sizeof *x, host_compare_bits);
    for (size_t i = 0; i < 20; i++)
        many[i] = i * 10000;
    const struct {
        const size_t *ranks;
        size_t count, samples;
        double deviation;
        size_t reads;
        bool missed, sorted;
    } cases[] = {{far, 1, 0, 0, 1, false, false},   {far, 2, 0, 0, 1, false, false},
                 {far, 3, 0, 0, 2, false, false},   {many, 20, 65536, 0, 8, false, true},
                 {far, 3, 64, 1e-9, 1, true, true}, {far, 1, 1, 1e-9, 1, false, false}};
    for (size_t i = 0; i < KI_COUNT(cases); i++) {
        struct host_select how = {.samples = cases[i].samples, .deviation = cases[i].deviation};
        struct host_plan plan;
        EXPECT_OK(ki_host_plan("test", KN_F64, 0, &KN_INIT(kn_host_options, .threads = 2), &plan, &err));
        EXPECT_OK(ki_host_select(x, KN_F64, n, cases[i].ranks, cases[i].count, values, &plan, &how, &err));
        for (size_t k = 0; k < cases[i].count; k++)
            ck_assert(values[k] == sorted[cases[i].ranks[k]]);
        if (i == 4) // even this bracket may hold its rank by chance
            continue;
        ck_assert_uint_eq(how.reads, cases[i].reads);
        ck_assert_msg(how.missed == cases[i].missed && how.sorted == cases[i].sorted, "case %zu", i);
    }
    free(x);
    free(sorted);
}
END_TEST

// In a sorted column, all elements that are kept come from one thread's share; in a periodic one, from all
// shares.
START_TEST(arranged)
{
    size_t n = 250000, rank = n / 3;
    int32_t *x = malloc(n * sizeof *x), found;

    ck_assert_ptr_nonnull(x);
    host_find_levels();
    HOST_FOR_OPTIONS(options)
    {
        for (size_t i = 0; i < n; i++)
            x[i] = (int32_t)i - 1000;
        EXPECT_OK(kn_host_select(x, KN_I32, n, &rank, 1, &found, &options, &err));
        ck_assert_int_eq(found, (int32_t)rank - 1000);
        for (size_t i = 0; i < n; i++)
            x[i] = (int32_t)(i % 256);
        EXPECT_OK(kn_host_select(x, KN_I32, n, &rank, 1, &found, &options, &err));
        ck_assert_int_eq(found, (int32_t)(rank / (n / 256 + 1)));
    }
    free(x);
}
END_TEST

// The expected values are those of numpy.quantile.
START_TEST(quantile_values)
{
    static const double x[] = {4, 1, 3, 2}, q[] = {0, 0.25, 0.5, 0.9, 1}, expected[] = {1, 1.75, 2.5, 3.7, 4};
    static const double infinite[] = {INFINITY, 1, -INFINITY}, with_nan[] = {1, NAN, 2};
    static const uint8_t bytes[] = {200, 0, 255, 100};
    double found[5];

    EXPECT_OK(kn_host_quantiles(x, KN_F64, 4, q, 5, found, NULL, &err));
    for (size_t i = 0; i < 5; i++)
        ck_assert_msg(fabs(found[i] - expected[i]) < 1e-15, "quantile %g: %.17g", q[i], found[i]);
    EXPECT_OK(kn_host_quantiles(bytes, KN_U8, 4, q, 3, found, NULL, &err));
    ck_assert(found[0] == 0 && found[1] == 75 && found[2] == 150);
    EXPECT_OK(kn_host_quantiles(infinite, KN_F64, 3, (double[]){0, 0.5, 1}, 3, found, NULL, &err));
    ck_assert(found[0] == -INFINITY && found[1] == 1 && found[2] == INFINITY);
    EXPECT_OK(kn_host_quantiles(with_nan, KN_F64, 3, q, 2, found, NULL, &err));
    ck_assert(isnan(found[0]) && isnan(found[1]));
    EXPECT_OK(kn_host_quantiles((double[]){-0.0}, KN_F64, 1, q, 1, found, NULL, &err));
    ck_assert(found[0] == 0 && !signbit(found[0]));
    // The order in the options has no effect on quantiles.
    EXPECT_OK(kn_host_quantiles(x, KN_F64, 4, q, 2, found, &KN_INIT(kn_host_options, .order = KN_DESCENDING),
                                &err));
    ck_assert(found[0] == 1 && found[1] == 1.75);
}
END_TEST

// A single NaN is noticed wherever it is, and without one the median is a number.
START_TEST(quantile_nan)
{
    uint64_t state = test_seed("quantile_nan");
    size_t n = 100001;
    float *x = malloc(n * sizeof *x);
    double found, median = 0.5;

    ck_assert_ptr_nonnull(x);
    host_find_levels();
    HOST_FOR_OPTIONS(options)
    {
        size_t at = test_random(&state) % n;
        for (size_t i = 0; i < n; i++)
            x[i] = (float)(i * 7919 % n);
        EXPECT_OK(kn_host_quantiles(x, KN_F32, n, &median, 1, &found, &options, &err));
        ck_assert_msg(found == (double)(n / 2), "%g", found);
        x[at] = test_random(&state) % 2 ? NAN : -NAN;
        EXPECT_OK(kn_host_quantiles(x, KN_F32, n, &median, 1, &found, &options, &err));
        ck_assert(isnan(found));
    }
    free(x);
}
END_TEST

START_TEST(refusals)
{
    double x[3] = {1, 2, 3}, found;
    size_t rank = 3;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "rank 3 of 3",
                   kn_host_select(x, KN_F64, 3, &rank, 1, &found, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "rank 3 of 0",
                   kn_host_select(x, KN_F64, 0, &rank, 1, &found, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_host_select(NULL, KN_F64, 3, &rank, 1, &found, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "from 0 to 1",
                   kn_host_quantiles(x, KN_F64, 3, (double[]){1.5}, 1, &found, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "from 0 to 1",
                   kn_host_quantiles(x, KN_F64, 3, (double[]){NAN}, 1, &found, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no elements",
                   kn_host_quantiles(x, KN_F64, 0, (double[]){0.5}, 1, &found, NULL, &err));
    EXPECT_OK(kn_host_select(NULL, KN_F64, 0, NULL, 0, NULL, NULL, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {select_sizes,    select_large, methods, arranged,
                                  quantile_values, quantile_nan, refusals};

    return TEST_RUN("host_select", CK_NOFORK, tests);
}
