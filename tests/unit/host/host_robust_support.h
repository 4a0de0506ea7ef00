// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of kn_host_robust: columns of many patterns, and reference results. Medians and MADs
// come from a sorted copy, sums from kn_host_sums, which test_host_reduce compares with the tree as it is
// documented.
#ifndef KN_TESTS_UNIT_HOST_HOST_ROBUST_SUPPORT_H
#define KN_TESTS_UNIT_HOST_HOST_ROBUST_SUPPORT_H

#include "host_support.h"

#include <float.h>
#include <math.h>

#include <koine/robust.h>

#include "support/run.h"

// ---- columns ----

static double normal(uint64_t *state) // approximately: the sum of 12 uniform numbers, less 6
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += test_uniform(state);
    return sum;
}

static double uniform(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_uniform(state);
}

static double around_zero(size_t i, size_t n, uint64_t *state)
{
    (void)n;
    return i % 2 ? normal(state) : -normal(state);
}

static double negative(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return normal(state) * 3 - 1e4;
}

static double long_tails(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return tan(3.14159 * (test_uniform(state) - 0.5));
}

static double one_sided(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return -log(1 - test_uniform(state));
}

static double bytes(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return floor(normal(state) * 20);
}

static double ten_values(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return (double)(test_random(state) % 10);
}

static double all_equal(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n, (void)state;
    return -17.25;
}

static double mostly_ties(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 100 ? 3 : normal(state) * 100;
}

static double half_and_half(size_t i, size_t n, uint64_t *state)
{
    (void)state;
    return i < n / 2 ? -1 : 1;
}

static double two_values(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 2 ? 1e6 : -1e-6;
}

// Two clusters: the median lies between them if n is even, and at the edge of one if n is odd.
static double two_heaps(size_t i, size_t n, uint64_t *state)
{
    (void)n;
    return (i % 2 ? 1000 : -1000) + normal(state);
}

static double sorted_up(size_t i, size_t n, uint64_t *state)
{
    (void)n, (void)state;
    return (double)i * 0.001 - 7;
}

static double sorted_down(size_t i, size_t n, uint64_t *state)
{
    (void)state;
    return (double)(n - i) * (double)(n - i);
}

// The periods are once and twice the length of the stretches from each of which one sample is taken.
static double period(size_t i, size_t n, uint64_t *state)
{
    size_t samples = n / 16 < 2048    ? 2048
                     : n / 16 > 65536 ? 65536
                                      : n / 16,
           stride = n / samples + (n < samples);

    (void)state;
    return (double)(i % stride) + 0.25 * (double)(i % (2 * stride));
}

static double tiny(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return (test_uniform(state) - 0.5) * (double)FLT_MIN;
}

static double huge(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 3 ? (double)FLT_MAX : -(double)FLT_MAX * test_uniform(state);
}

static double hugest(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 3 ? DBL_MAX * test_uniform(state) : -DBL_MAX;
}

static double zeros(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 4 == 0 ? 1 : test_random(state) % 2 ? 0.0 : -0.0;
}

static double some_infinite(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 9 ? normal(state) : test_random(state) % 2 ? INFINITY : -INFINITY;
}

// The median is finite, but the MAD is infinite.
static double much_infinite(size_t i, size_t n, uint64_t *state)
{
    (void)n;
    return i % 10 < 3 ? -INFINITY : i % 10 < 6 ? INFINITY : normal(state);
}

static double mostly_infinite(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 3 ? INFINITY : normal(state);
}

static double both_infinite(size_t i, size_t n, uint64_t *state)
{
    (void)n, (void)state;
    return i % 2 ? INFINITY : -INFINITY;
}

static const struct pattern {
    const char *name;
    double (*element)(size_t i, size_t n, uint64_t *state);
} patterns[] = {
    {"uniform", uniform},
    {"around 0", around_zero},
    {"negative", negative},
    {"long tails", long_tails},
    {"one-sided", one_sided},
    {"bytes", bytes},
    {"ten values", ten_values},
    {"all equal", all_equal},
    {"99 % ties", mostly_ties},
    {"half and half", half_and_half},
    {"two values", two_values},
    {"two heaps", two_heaps},
    {"sorted", sorted_up},
    {"reversed", sorted_down},
    {"period", period},
    {"tiny", tiny},
    {"huge", huge},
    {"hugest", hugest},
    {"zeros", zeros},
    {"some infinite", some_infinite},
    {"much infinite", much_infinite},
    {"mostly infinite", mostly_infinite},
    {"both infinite", both_infinite},
};

// A column of `type`, and its elements as doubles.
struct column {
    kn_type type;
    size_t n;
    void *x;
    double *values;
};

static inline void put(struct column *c, size_t i, double value)
{
    if (c->type == KN_F32)
        ((float *)c->x)[i] = (float)value;
    else if (c->type == KN_F64)
        ((double *)c->x)[i] = value;
    else if (c->type == KN_I8)
        ((int8_t *)c->x)[i] = (int8_t)(value < -128 ? -128 : value > 127 ? 127 : value);
    else
        ((uint8_t *)c->x)[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    c->values[i] = c->type == KN_F32   ? (double)((float *)c->x)[i]
                   : c->type == KN_F64 ? value
                   : c->type == KN_I8  ? ((int8_t *)c->x)[i]
                                       : ((uint8_t *)c->x)[i];
}

static inline struct column make_column(const struct pattern *pattern, kn_type type, size_t n,
                                        uint64_t *state)
{
    struct column c = {type, n, malloc(n * kn_type_size(type) + 1), malloc((n + 1) * sizeof(double))};

    ck_assert(c.x && c.values);
    for (size_t i = 0; i < n; i++)
        put(&c, i, pattern->element(i, n, state));
    return c;
}

static inline void free_column(struct column *c)
{
    free(c->x);
    free(c->values);
}

// ---- the reference ----

// Sorts x to find its median.
static double median_of(double *x, size_t n)
{
    double lower, upper;

    qsort(x, n, sizeof *x, test_by_value);
    lower = x[(n - 1) / 2];
    upper = x[n / 2];
    if (n % 2)
        return lower + 0.0;
    return (isfinite(lower) && isfinite(upper) && isinf(lower + upper) ? lower / 2 + upper / 2
                                                                       : (lower + upper) / 2) +
           0.0;
}

static inline kn_robust reference(const struct column *c, double shift)
{
    double *sorted = malloc((c->n + 1) * sizeof *sorted), count = (double)c->n;
    kn_robust r = {.n = c->n, .shift = shift + 0.0};
    kn_sums sums;

    ck_assert_ptr_nonnull(sorted);
    memcpy(sorted, c->values, c->n * sizeof *sorted);
    r.median = median_of(sorted, c->n);
    for (size_t i = 0; i < c->n; i++)
        sorted[i] = fabs(c->values[i] - r.median);
    r.mad = isfinite(r.median) ? median_of(sorted, c->n) : NAN;
    free(sorted);
    // Sums of bytes are exact in any order.
    EXPECT_OK(kn_host_sums(c->values, KN_F64, c->n, shift, &sums, NULL, &err));
    r.sum = sums.sum;
    r.squares = sums.squares;
    r.mean = shift + sums.sum / count + 0.0;
    r.variance = fma(-(sums.sum / count), sums.sum, sums.squares) / count;
    r.variance = r.variance < 0 ? 0 : r.variance + 0.0;
    return r;
}

static void expect_value(const char *name, const char *what, const struct column *c, double found,
                         double expected)
{
    ck_assert_msg(test_same(found, expected), "%s, %s, n %zu: %s %.17g, expected %.17g", name,
                  kn_type_name(c->type), c->n, what, found, expected);
}

static inline void expect_robust(const char *name, const struct column *c, const kn_robust *found,
                                 const kn_robust *expected)
{
    bool floats = c->type == KN_F32 || c->type == KN_F64;

    ck_assert_uint_eq(found->n, expected->n);
    ck_assert_uint_eq(found->nan_count, expected->nan_count);
    expect_value(name, "median", c, found->median, expected->median);
    expect_value(name, "mad", c, found->mad, expected->mad);
    expect_value(name, "shift", c, found->shift, expected->shift);
    expect_value(name, "sum", c, found->sum, expected->sum);
    expect_value(name, "squares", c, found->squares, expected->squares);
    if (floats) {
        expect_value(name, "mean", c, found->mean, expected->mean);
        expect_value(name, "variance", c, found->variance, expected->variance);
    } else { // rounded once; the reference rounds after every operation
        double size = expected->squares / (double)c->n + 1;
        ck_assert(fabs(found->mean - expected->mean) <= 4 * DBL_EPSILON * (fabs(expected->mean) + 256));
        ck_assert(fabs(found->variance - expected->variance) <= 8 * DBL_EPSILON * size);
    }
}

// Checks a column at every level and with every number of threads. Returns in how many of these runs a
// bracket missed.
static inline size_t check_column(const char *name, const struct column *c, const kn_robust_options *options)
{
    kn_robust expected = {0}, first;
    size_t missed = 0;

    EXPECT_OK(kn_host_robust(c->x, c->type, c->n, &first, options, NULL, &err));
    expected = reference(c, first.shift);
    HOST_FOR_OPTIONS(host)
    {
        kn_robust found;
        memset(&found, 0xa5, sizeof found);
        EXPECT_OK(kn_host_robust(c->x, c->type, c->n, &found, options, &host, &err));
        expect_robust(name, c, &found, &expected);
        ck_assert_msg(found.method == first.method && found.missed == first.missed,
                      "%s, n %zu: method %d, missed %d", name, c->n, (int)found.method, found.missed);
        ck_assert_int_eq(found.method == KN_ROBUST_SELECT,
                         found.missed || (options && options->method == KN_ROBUST_SELECT));
        missed += found.missed == 1;
    }
    return missed;
}

static const kn_type types[] = {KN_F32, KN_F64, KN_I8, KN_U8};

#endif
