// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of windows on the host and on devices: reference results from windows that are each
// sorted in double.
#ifndef KN_TESTS_UNIT_HOST_WINDOWS_SUPPORT_H
#define KN_TESTS_UNIT_HOST_WINDOWS_SUPPORT_H

#include "host_robust_support.h"

#include <koine/window.h>

// The median and MAD of the n elements of x; NaN if there are none, or one is NaN.
static inline void window_middles(const double *x, size_t n, double *median, double *mad)
{
    double *sorted = malloc((n + 1) * sizeof *sorted);
    bool is_nan = n == 0;

    ck_assert_ptr_nonnull(sorted);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = x[i];
        is_nan |= isnan(x[i]) != 0;
    }
    *median = is_nan ? NAN : median_of(sorted, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = fabs(x[i] - *median);
    *mad = isfinite(*median) ? median_of(sorted, n) : NAN;
    free(sorted);
}

// Makes one element in 64 NaN, on average.
static inline void put_nan(struct column *c, uint64_t *state)
{
    for (size_t i = 0; i < c->n; i++)
        if (test_random(state) % 64 == 0)
            put(c, i, NAN);
}

static inline double window_read(const void *x, kn_type type, size_t i)
{
    return type == KN_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static inline void expect_number(const char *what, size_t i, double found, double expected)
{
    ck_assert_msg(test_same(found, expected), "window %zu: %s %.17g, expected %.17g", i, what, found,
                  expected);
}

// Checks what kn_host_windows or kn_windows returned for window i, the n elements from `first` on, with two
// quantiles.
static inline void expect_window(const struct column *c, size_t i, size_t first, size_t n, const double *q,
                                 const kn_stats *found, const double *quantiles)
{
    const char *x = (const char *)c->x + first * kn_type_size(c->type);
    double median, mad, wanted[2];
    kn_robust robust;

    EXPECT_OK(kn_host_robust(x, c->type, n, &robust, NULL, NULL, &err));
    EXPECT_OK(kn_host_quantiles(x, c->type, n, q, 2, wanted, NULL, &err));
    window_middles(c->values + first, n, &median, &mad);
    ck_assert_uint_eq(found->n, n);
    expect_number("median", i, found->median, median);
    expect_number("MAD", i, found->mad, mad);
    expect_number("mean", i, found->mean, robust.mean);
    expect_number("deviation", i, found->std, sqrt(robust.variance));
    expect_number("CV", i, found->cv, sqrt(robust.variance) / robust.mean + 0.0);
    expect_number("first quantile", i, quantiles[0], wanted[0]);
    expect_number("second quantile", i, quantiles[1], wanted[1]);
}

// Checks what kn_host_rolling or kn_rolling returned for every element.
static inline void expect_rolling(const char *name, const struct column *c, size_t width,
                                  const kn_rolling_options *options, const void *medians, const void *mads)
{
    const size_t before = options->position == KN_WINDOW_TRAILING ? width - 1 : width / 2;
    const double divisor = options->mad_scale == KN_STATS_MAD_NORMAL ? 0.6744897501960817 : 1;

    for (size_t i = 0; i < c->n; i++) {
        size_t first = i > before ? i - before : 0;
        size_t end = i + width - before < c->n ? i + width - before : c->n;
        double median, mad, found[2] = {window_read(medians, c->type, i), window_read(mads, c->type, i)};

        window_middles(c->values + first, end - first, &median, &mad);
        if (options->edges == KN_WINDOW_OMIT && end - first < width)
            median = mad = NAN;
        ck_assert_msg(test_same(found[0], test_rounded(median, c->type)) &&
                          test_same(found[1], test_rounded(mad / divisor, c->type)),
                      "%s, %s, n %zu, width %zu, element %zu: median %.17g, MAD %.17g, expected %.17g, %.17g",
                      name, kn_type_name(c->type), c->n, width, i, found[0], found[1], median, mad / divisor);
    }
}

#endif
