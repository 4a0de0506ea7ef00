// SPDX-License-Identifier: Apache-2.0
// Tests the reference of the statistics: against plain sums in long double, against documented values of
// scipy and R, and exactly against the tree described in moments.h.
#include "support/compare.h"
#include "support/support.h"

#include <float.h>
#include <math.h>

#include "app/stats/moments.h"
#include "app/stats/stats.h"
#include "io/csv/csv.h"
#include "support/run.h"
#include "tree.h"

static kn_stats stats_of(const double *x, size_t n, bool single, double mad_scale)
{
    struct stats_options options = {.single = single, .mad_scale = mad_scale};
    kn_stats result;
    kn_error err = KN_ERROR_INIT;

    ck_assert_msg(ki_stats_reference(x, n, &options, &result, &err) == KN_OK, "%s", err.text);
    ck_assert_uint_eq(result.n, n);
    return result;
}

#define STATS_OF(...)                                                                                        \
    stats_of((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), false, 1)

// Compares bits: 0 differs from -0. Not-a-number equals itself here.
static void expect_same(double found, double expected)
{
    ck_assert_msg((isnan(found) && isnan(expected)) || memcmp(&found, &expected, sizeof found) == 0,
                  "found %.17g, expected %.17g", found, expected);
}

static void expect_stats(kn_stats found, double mean, double std, double cv, double median, double mad)
{
    expect_same(found.mean, mean);
    expect_same(found.std, std);
    expect_same(found.cv, cv);
    expect_same(found.median, median);
    expect_same(found.mad, mad);
}

START_TEST(small_columns)
{
    expect_stats(stats_of(NULL, 0, false, 1), NAN, NAN, NAN, NAN, NAN);
    expect_stats(STATS_OF(-3), -3, 0, 0, -3, 0);
    expect_stats(STATS_OF(1, 3), 2, 1, 0.5, 2, 1);
    expect_stats(STATS_OF(3, -1, 2, 0), 1, sqrt(2.5), sqrt(2.5), 1, 1.5);
    expect_stats(STATS_OF(-2, -4), -3, 1, -1.0 / 3, -3, 1);
    expect_stats(STATS_OF(7, 7, 7), 7, 0, 0, 7, 0);
}
END_TEST

// scipy 1.10: variation() is inf where only the mean is 0, nan where the deviation is too;
// median_abs_deviation() propagates nan, and is nan where the median is infinite. numpy: median([-inf, inf])
// is nan, std of an infinite nan.
START_TEST(special_values)
{
    kn_stats r = STATS_OF(-1, 1);

    expect_same(r.cv, INFINITY);
    expect_same(STATS_OF(0, 0).cv, NAN);
    expect_stats(STATS_OF(1, NAN, 3), NAN, NAN, NAN, NAN, NAN);
    expect_stats(STATS_OF(1, 2, INFINITY), INFINITY, NAN, NAN, 2, 1);
    expect_stats(STATS_OF(-INFINITY, 5, 6, 7), -INFINITY, NAN, NAN, 5.5, 1);
    expect_stats(STATS_OF(1, INFINITY), INFINITY, NAN, NAN, INFINITY, NAN);
    expect_stats(STATS_OF(1, INFINITY, INFINITY), INFINITY, NAN, NAN, INFINITY, NAN);
    expect_stats(STATS_OF(-INFINITY, INFINITY), NAN, NAN, NAN, NAN, NAN);
    expect_stats(STATS_OF(INFINITY), INFINITY, NAN, NAN, INFINITY, NAN);
    // -0 becomes 0 in every result.
    expect_stats(STATS_OF(-0.0), 0, 0, NAN, 0, 0);
    expect_stats(STATS_OF(-0.0, -0.0), 0, 0, NAN, 0, 0);
    expect_stats(STATS_OF(-0.0, -0.0, -0.0, -5), -1.25, sqrt(4.6875), -sqrt(4.6875) / 1.25, 0, 0);
    // The middle of two large numbers does not overflow, nor that of two small ones vanish.
    expect_same(STATS_OF(DBL_MAX, DBL_MAX).median, DBL_MAX);
    expect_same(STATS_OF(0x1p1023, 0x1.8p1023).median, 0x1.4p1023);
    expect_same(STATS_OF(-DBL_MAX, -DBL_MAX).median, -DBL_MAX);
    expect_same(STATS_OF(DBL_TRUE_MIN, 3 * DBL_TRUE_MIN).median, 2 * DBL_TRUE_MIN);
    expect_same(STATS_OF(DBL_MAX, DBL_MAX).mean, DBL_MAX);
}
END_TEST

// R 4.2: mad(c(1,2,3,10), constant = 1) is 1 (the mean of both middle ones); scipy 1.10: scale = "normal"
// divides by 0.6744897501960817.
START_TEST(mad_scale)
{
    static const double x[] = {1, 2, 3, 10};

    expect_same(stats_of(x, 4, false, 1).mad, 1);
    expect_same(stats_of(x, 4, false, STATS_MAD_SCALE_NORMAL).mad, 1 / 0.6744897501960817);
}
END_TEST

// numpy averages two floats in float, which gives 16777216; the results here are doubles.
START_TEST(single_precision)
{
    static const double x[] = {16777216.0, 16777218.0, 0.1, 1e300};
    kn_stats r = stats_of(x, 2, true, 1);

    expect_same(r.median, 16777217.0);
    expect_same(stats_of(x + 2, 1, true, 1).median, (double)0.1F);
    expect_same(stats_of(x + 3, 1, true, 1).mean, INFINITY);
}
END_TEST

static double median_of(double *x, size_t n)
{
    qsort(x, n, sizeof *x, test_by_value);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

// Two passes in long double (64 bits of mantissa at least where it is wider than double), compared within
// bounds for the tree: a lane adds 64 elements, then come 6 + ceil(log2(leaves)) levels.
static void expect_close(const double *x, size_t n)
{
    kn_stats found = stats_of(x, n, false, 1);
    long double sum = 0, squares = 0, mean, variance, magnitude = 0;
    double shift = ki_stats_shift(x, n, false), steps = 64 + 6 + ceil(log2((double)n / TREE_LEAF + 1)) + 4,
           spread, bound;
    double *copy = malloc(n * sizeof *copy);

    ck_assert_ptr_nonnull(copy);
    for (size_t i = 0; i < n; i++) {
        sum += (long double)x[i] - (long double)shift;
        magnitude += fabsl((long double)x[i] - (long double)shift);
    }
    mean = (long double)shift + sum / (long double)n;
    for (size_t i = 0; i < n; i++)
        squares += ((long double)x[i] - mean) * ((long double)x[i] - mean);
    variance = squares / (long double)n;
    // The mean: one rounding of the whole, and the sum's error, eps a step on the mean magnitude.
    bound = DBL_EPSILON * (fabs((double)mean) + steps * (double)(magnitude / (long double)n));
    ck_assert_msg(fabs(found.mean - (double)mean) <= bound, "mean %.17g, expected %.17Lg within %g",
                  found.mean, mean, bound);
    // The variance: squares about the shift are variance + (mean - shift)^2, each with eps a step; a square
    // root halves a relative error.
    spread = (double)((mean - (long double)shift) * (mean - (long double)shift));
    bound = DBL_EPSILON * 3 * steps * ((double)variance + spread);
    ck_assert_msg(fabs(found.std * found.std - (double)variance) <= bound,
                  "variance %.17g, expected %.17Lg within %g", found.std * found.std, variance, bound);
    expect_same(found.cv, found.std / found.mean + 0.0);
    memcpy(copy, x, n * sizeof *copy);
    expect_same(found.median, median_of(copy, n) + 0.0);
    for (size_t i = 0; i < n; i++)
        copy[i] = fabs(x[i] - found.median);
    expect_same(found.mad, median_of(copy, n));
    free(copy);
}

START_TEST(random_columns)
{
    static const size_t sizes[] = {1,  2,    3,    14,   15,   16,   31,    63,    64,
                                   65, 1000, 4095, 4096, 4097, 8192, 12289, 100001};
    uint64_t state = test_seed("random_columns");
    double *x = malloc(100001 * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t n = sizes[k];

        for (size_t i = 0; i < n; i++)
            x[i] = test_uniform(&state) - 0.5;
        expect_close(x, n);
        for (size_t i = 0; i < n; i++)
            x[i] = 1e9 + test_uniform(&state);
        expect_close(x, n);
        x[0] = 0; // a sensor's start-up value must not become the shift
        expect_close(x, n);
        for (size_t i = 0; i < n; i++)
            x[i] = floor(test_uniform(&state) * 5) - 2; // ties
        expect_close(x, n);
        for (size_t i = 0; i < n; i++)
            x[i] = exp(40 * test_uniform(&state)) * (test_random(&state) % 2 ? -1 : 1);
        expect_close(x, n);
    }
    free(x);
}
END_TEST

// 1e9 and noise of 1e-3, also behind a first value of 0: the deviation keeps nine digits, where sums about 0
// keep none.
START_TEST(far_from_zero)
{
    enum { N = 50000 };
    double *x = malloc(N * sizeof *x);
    kn_stats r;

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < N; i++)
        x[i] = 1e9 + (i % 2 ? 0x1p-10 : -0x1p-10);
    r = stats_of(x, N, false, 1);
    expect_stats(r, 1e9, 0x1p-10, 0x1p-10 / 1e9, 1e9, 0x1p-10);
    free(x);
    x = (double[]){0, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9};
    expect_same(ki_stats_shift(x, 7, false), 1e9);
    expect_same(ki_stats_shift(x, 1, false), 0);
    expect_same(ki_stats_shift((double[]){INFINITY, NAN}, 2, false), 0);
    expect_same(ki_stats_shift((double[]){INFINITY, 4, -INFINITY}, 3, false), 4);
    expect_same(ki_stats_shift(NULL, 0, false), 0);
}
END_TEST

// Integers to 2^20: every sum is exact, so mean and variance are those of integer arithmetic, rounded.
START_TEST(integers_are_exact)
{
    enum { N = 30011 };
    uint64_t state = test_seed("integers_are_exact");
    double *x = malloc(N * sizeof *x), shift;
    int64_t sum = 0, squares = 0;
    kn_stats r, expected;

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < N; i++)
        x[i] = (double)(test_random(&state) % (1 << 20));
    shift = ki_stats_shift(x, N, false);
    for (size_t i = 0; i < N; i++) {
        sum += (int64_t)(x[i] - shift);
        squares += (int64_t)(x[i] - shift) * (int64_t)(x[i] - shift);
    }
    ck_assert_int_lt(squares, INT64_C(1) << 53);
    r = stats_of(x, N, false, 1);
    ki_stats_moments((struct stats_sums){(double)sum, (double)squares}, shift, N, &expected);
    expect_same(r.mean, expected.mean);
    expect_same(r.std, expected.std);
    free(x);
}
END_TEST

enum { LEAF = 4096 };

static void expect_tree(const double *x, size_t n)
{
    double shift = ki_stats_shift(x, n, false);
    kn_stats found = stats_of(x, n, false, 1), expected;

    ki_stats_moments(tree_of(x, n, shift), shift, n, &expected);
    expect_same(found.mean, expected.mean);
    expect_same(found.std, expected.std);
    expect_same(found.cv, expected.cv);
}

START_TEST(tree_to_the_bit)
{
    static const size_t leaves[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 21};
    uint64_t state = test_seed("tree_to_the_bit");
    double *x = malloc(22 * LEAF * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < 22 * LEAF; i++)
        x[i] = test_uniform(&state) - 0.3;
    // Short columns reveal single roundings, such as that of a fma; long ones the order of the leaves.
    for (size_t n = 1; n < 1000; n++)
        expect_tree(x + n, n);
    for (size_t i = 0; i < 22 * LEAF; i++)
        x[i] *= exp(20 * test_uniform(&state));
    for (size_t k = 0; k < sizeof leaves / sizeof *leaves; k++)
        expect_tree(x, leaves[k] * LEAF - (size_t)(test_random(&state) % LEAF));
    free(x);
}
END_TEST

// With the one fma, whose product is not rounded: about the exact variance where most digits cancel.
START_TEST(moments_of_sums)
{
    kn_stats r;

    // Sums of three elements close to a third each.
    for (int i = 1; i < 100; i++) {
        struct stats_sums sums = {1 + i * 0x1p-30, 1.0 / 3 + i * 0x1p-29};
        double offset = sums.sum / 3;

        ki_stats_moments(sums, 5, 3, &r);
        expect_same(r.mean, 5 + offset);
        expect_same(r.std, sqrt(fma(-offset, sums.sum, sums.squares) / 3));
        expect_same(r.cv, r.std / r.mean);
    }
    // A variance that is negative because of rounding becomes 0.
    ki_stats_moments((struct stats_sums){3, 2.9999999}, 0, 3, &r);
    expect_stats((kn_stats){3, r.mean, r.std, r.cv, 0, 0}, 1, 0, 0, 0, 0);
    ck_assert_uint_eq(r.n, 3);
}
END_TEST

// Exact values, computed in integers.
START_TEST(real_file)
{
    static const double cv[] = {-0.72210659, 6.57664114, 0.63885642};
    static const double median[] = {-33, -7, 45}, mad[] = {11, 17, 11};
    char path[4200];
    struct csv_table table;
    kn_error err = KN_ERROR_INIT;

    if (!test_data_path("acc/ACC_msr2023.csv", path, sizeof path))
        return;
    ck_assert_msg(csv_read(path, NULL, &table, &err) == KN_OK, "%s", err.text);
    ck_assert_uint_eq(table.column_count, 3);
    for (size_t i = 0; i < 3; i++)
        for (int single = 0; single < 2; single++) {
            kn_stats r = stats_of(table.columns[i].values, table.columns[i].count, single != 0, 1);

            ck_assert_uint_eq(r.n, 117156);
            if (i == 0)
                ck_assert_double_eq_tol(r.mean, -30.056728, 0.5e-6);
            ck_assert_double_eq_tol(r.cv, cv[i], 0.5e-8);
            expect_same(r.median, median[i]);
            expect_same(r.mad, mad[i]);
        }
    csv_free(&table);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {small_columns,   special_values, mad_scale,          single_precision,
                                  random_columns,  far_from_zero,  integers_are_exact, tree_to_the_bit,
                                  moments_of_sums, real_file};

    return TEST_RUN("stats reference", CK_FORK_GETENV, tests);
}
