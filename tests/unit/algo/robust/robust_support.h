// SPDX-License-Identifier: Apache-2.0
// What the tests of kn_robust_stats and related functions share: columns of many patterns; median and MAD of
// sorted copies in double precision, which must match exactly; sums of kn_reduce_moments, whose tree is
// written out in test_reduce.
#ifndef KN_TESTS_UNIT_ALGO_ROBUST_ROBUST_SUPPORT_H
#define KN_TESTS_UNIT_ALGO_ROBUST_ROBUST_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

#include <float.h>
#include <math.h>

enum { MOST = 1 << 20 };

static double *x, *sorted;
static uint64_t state;

static inline void set_up(void)
{
    test_open();
    state = test_seed("robust");
    x = malloc(MOST * sizeof *x);
    sorted = malloc(MOST * sizeof *sorted);
    ck_assert(x && sorted);
}

static inline void tear_down(void)
{
    free(x);
    free(sorted);
    test_close();
}

static const size_t sizes[] = {0,   1,    2,    3,    31,   32,   33,   63,    64,    65,    255,    256,
                               257, 1000, 4095, 4096, 4097, 8191, 8192, 65535, 65536, 65537, 100003, 262147};
#define SIZES (sizeof sizes / sizeof *sizes)

// Oclgrind is an interpreter: only short columns there.
static inline bool is_tried(size_t n)
{
    return !test_is_slow() || n <= 65;
}

// ---- the reference ----

static inline double middle_of_sorted(size_t n)
{
    double lower = sorted[(n - 1) / 2], upper = sorted[n / 2], sum = lower + upper;

    if (isinf(sum) && isfinite(lower) && isfinite(upper))
        return lower / 2 + upper / 2;
    return sum / 2 + 0.0;
}

// Of x[0..n), which has no NaN.
static inline void reference(size_t n, double *median, double *mad)
{
    memcpy(sorted, x, n * sizeof *x);
    qsort(sorted, n, sizeof *sorted, test_by_value);
    *median = middle_of_sorted(n);
    *mad = NAN;
    if (!isfinite(*median))
        return;
    for (size_t i = 0; i < n; i++)
        sorted[i] = fabs(x[i] - *median);
    qsort(sorted, n, sizeof *sorted, test_by_value);
    *mad = middle_of_sorted(n);
}

// ---- columns ----

enum pattern {
    NORMAL,
    UNIFORM,
    FAR_FROM_ZERO, // the leading digits of all numbers are equal
    HEAVY_TAILED,
    GRID,         // like an 8-bit sensor
    GRID_BETWEEN, // the median is one of two values, or between them
    MOSTLY_TIES,
    ALL_EQUAL,
    TWO_VALUES,
    ASCENDING,
    DESCENDING,
    PERIODIC,
    ZEROS,  // of both signs
    GAP,    // two clusters, with the median between them
    HALVES, // equally many of either sign: the two middle values are as far apart as keys can be
    DENORMALS,
    LARGEST,    // squares overflow float
    INFINITIES, // some
    MANY_INFINITIES,
    PATTERNS
};

static inline double normal(void)
{
    return sqrt(-2 * log(1 - test_uniform(&state))) * cos(6.283185307179586 * test_uniform(&state));
}

static inline double make(kn_type type, enum pattern pattern, size_t i, size_t n)
{
    uint64_t random = test_random(&state);
    double sign = random & 1 ? 1 : -1, u = test_uniform(&state), scale = type == KN_F32 ? FLT_MAX : DBL_MAX;

    switch (pattern) {
    case UNIFORM:
        return u;
    case FAR_FROM_ZERO:
        return (type == KN_F32 ? 1e6 : 1e12) + normal() * (type == KN_F32 ? 10 : 1);
    case HEAVY_TAILED: // Cauchy's
        return tan(3.14159265358979323846 * (u - 0.5));
    case GRID:
        return rint(fmax(-128, fmin(127, 20 * normal() - 33)));
    case GRID_BETWEEN:
        return rint(fmax(-128, fmin(127, 20 * normal() - 32.5)));
    case MOSTLY_TIES:
        return random % 100 ? 0.375 : normal();
    case ALL_EQUAL:
        return -4.25;
    case TWO_VALUES:
        return random & 2 ? 1.5 : -7;
    case ASCENDING:
        return (double)i - (double)n / 3;
    case DESCENDING:
        return (double)n / 3 - (double)i;
    case PERIODIC:
        return (double)(i % 64);
    case ZEROS:
        return sign * 0.0;
    case GAP:
        return sign * (1000 + u);
    case HALVES:
        return (i % 2 ? 1 : -1) * (1000 + u);
    case DENORMALS:
        return sign * u * (type == KN_F32 ? FLT_MIN : DBL_MIN) / 4;
    case LARGEST:
        return random % 3 ? sign * u * scale : sign * scale;
    case INFINITIES:
        return random % 50 ? normal() : sign * (double)INFINITY;
    case MANY_INFINITIES:
        return random % 3 ? (double)INFINITY : normal();
    default:
        return normal();
    }
}

static inline void fill(size_t n, kn_type type, enum pattern pattern)
{
    for (size_t i = 0; i < n; i++)
        x[i] = test_rounded(make(type, pattern, i, n), type);
}

static inline void expect_same(const char *what, double found, double expected, size_t n, int pattern,
                               int method)
{
    ck_assert_msg(test_same(found, expected), "n %zu, pattern %d, method %d: %s %.17g, expected %.17g", n,
                  pattern, method, what, found, expected);
}

// Compares with the reference for x[0..n), in the precision of the buffer.
static inline void expect_result(const kn_robust *found, kn_buffer *buffer, kn_type type, size_t n,
                                 int pattern, int method)
{
    double median, mad;
    kn_moments moments;

    ck_assert_uint_eq(found->n, n);
    ck_assert_uint_eq(found->nan_count, 0);
    if (n == 0) {
        ck_assert(isnan(found->mean) && isnan(found->variance) && isnan(found->shift) && isnan(found->sum) &&
                  isnan(found->squares) && isnan(found->median) && isnan(found->mad));
        return;
    }
    reference(n, &median, &mad);
    EXPECT_OK(kn_reduce_moments(queue, buffer, type, n, &found->shift, &moments, &err));
    expect_same("median", found->median, median, n, pattern, method);
    expect_same("MAD", found->mad, mad, n, pattern, method);
    expect_same("sum", found->sum, moments.sum, n, pattern, method);
    expect_same("squares", found->squares, moments.squares, n, pattern, method);
    expect_same("mean", found->mean, moments.mean, n, pattern, method);
    expect_same("variance", found->variance, moments.variance, n, pattern, method);
}

#endif
