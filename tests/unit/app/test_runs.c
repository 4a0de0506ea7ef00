// SPDX-License-Identifier: Apache-2.0
// Medians of a column sorted in runs, against the reference, which sorts all of it.
#include "../support.h"

#include <float.h>
#include <math.h>

#include "../../../src/app/stats/runs.h"
#include "../../../src/app/stats/stats.h"
#include "../run.h"

enum { MOST = 5000 };

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void expect_medians(const double *x, size_t n, size_t length)
{
    const struct stats_options options = STATS_OPTIONS_INIT;
    struct stats_result expected;
    double values[MOST], median, mad;
    struct stats_runs runs = {values, n, length};

    ck_assert_uint_le(n, MOST);
    memcpy(values, x, n * sizeof *x);
    for (size_t first = 0; first < n; first += length)
        qsort(values + first, n - first < length ? n - first : length, sizeof *values, compare);
    ck_assert_int_eq(stats_reference(x, n, &options, &expected, NULL), KN_OK);
    median = stats_runs_median(&runs);
    ck_assert_msg(same(median, expected.median), "n %zu in runs of %zu: median %.17g, expected %.17g", n,
                  length, median, expected.median);
    if (!isfinite(median))
        return;
    mad = stats_runs_mad(&runs, median);
    ck_assert_msg(same(mad, expected.mad), "n %zu in runs of %zu: MAD %.17g, expected %.17g", n, length, mad,
                  expected.mad);
}

#define EXPECT_MEDIANS(...)                                                                                  \
    do {                                                                                                     \
        const double column[] = {__VA_ARGS__};                                                               \
        for (size_t length = 1; length <= sizeof column / sizeof *column + 1; length++)                      \
            expect_medians(column, sizeof column / sizeof *column, length);                                  \
    } while (0)

START_TEST(small_columns)
{
    EXPECT_MEDIANS(3);
    EXPECT_MEDIANS(2, 1);
    EXPECT_MEDIANS(5, 5, 5, 5, 5);
    EXPECT_MEDIANS(1, 2, 2, 2, 3, 9);
    EXPECT_MEDIANS(9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    EXPECT_MEDIANS(0, 0, 0, 0, 0, 1, 2, 3);
    EXPECT_MEDIANS(-0.0);
    EXPECT_MEDIANS(-0.0, 0.0, -0.0);
    EXPECT_MEDIANS(0.0, -0.0);
    EXPECT_MEDIANS(-1, 1);
    EXPECT_MEDIANS(0.1, 0.2, 0.3, 0.4, 1e-17);
}
END_TEST

START_TEST(extreme_columns)
{
    EXPECT_MEDIANS(INFINITY);
    EXPECT_MEDIANS(-INFINITY, -INFINITY);
    EXPECT_MEDIANS(-INFINITY, INFINITY);
    EXPECT_MEDIANS(INFINITY, 1, 2, -INFINITY);
    EXPECT_MEDIANS(1, 2, INFINITY);
    EXPECT_MEDIANS(1, INFINITY, INFINITY, 4, 5);
    EXPECT_MEDIANS(INFINITY, INFINITY, 3, 4);
    EXPECT_MEDIANS(-INFINITY, -INFINITY, 3, 4);
    EXPECT_MEDIANS(DBL_MAX, DBL_MAX, -DBL_MAX);
    EXPECT_MEDIANS(DBL_MAX, DBL_MAX);
    EXPECT_MEDIANS(-DBL_MAX, DBL_MAX);
    EXPECT_MEDIANS(0x1p1022, 0x1.fffffffffffffp1023);
    EXPECT_MEDIANS(-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX, 1);
    EXPECT_MEDIANS(DBL_TRUE_MIN, -DBL_TRUE_MIN, 3 * DBL_TRUE_MIN, 0);
}
END_TEST

static double random_element(int kind, uint64_t *state)
{
    uint64_t bits = test_random(state);
    double value;

    switch (kind) {
    case 0:
        return (double)(bits % 9) - 4;
    case 1:
        return test_uniform(state);
    case 2:
        return bits % 20 ? (double)(float)test_uniform(state) : bits & 64 ? INFINITY : -INFINITY;
    case 3:
        return 1e15 + (double)(bits % 1000) / 8;
    default:
        memcpy(&value, &bits, sizeof value);
        return isnan(value) ? 0 : value;
    }
}

START_TEST(random_columns)
{
    uint64_t state = test_seed("random_columns");
    double x[MOST];

    for (int i = 0; i < 600; i++) {
        size_t n = 1 + test_random(&state) % (i % 20 ? 60 : MOST);
        for (size_t k = 0; k < n; k++)
            x[k] = random_element(i % 5, &state);
        expect_medians(x, n, 1 + test_random(&state) % (n + 2)); // mostly with a short last run
        expect_medians(x, n, (size_t)1 << (test_random(&state) % 13));
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {small_columns, extreme_columns, random_columns};

    return TEST_RUN("stats of runs", CK_FORK_GETENV, tests);
}
