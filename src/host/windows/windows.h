// SPDX-License-Identifier: Apache-2.0
// What windows on the host and on devices have in common: where they are, and what is refused.
#ifndef KN_HOST_WINDOWS_WINDOWS_H
#define KN_HOST_WINDOWS_WINDOWS_H

#include <koine/window.h>

// A window every `step` elements.
struct window_grid {
    size_t n, width, step, count; // the last of `count` may be shorter
};

// Reads the options and checks everything that does not depend on where the column is.
kn_status ki_window_check(const char *function, kn_type type, const struct window_grid *grid,
                          const kn_window_options *given, const kn_stats *results, const double *quantiles,
                          kn_window_options *options, kn_error *err);

// Windows at every element: that of element i is [first(i), end(i)).
struct window_rolling {
    size_t n, width;
    size_t before; // how many elements of it lie before i
    kn_rolling_options options;
};

kn_status ki_window_check_rolling(const char *function, kn_type type, size_t n, size_t width,
                                  const kn_rolling_options *given, struct window_rolling *rolling,
                                  kn_error *err);

static inline size_t window_first(const struct window_rolling *r, size_t i)
{
    return i > r->before ? i - r->before : 0;
}

static inline size_t window_end(const struct window_rolling *r, size_t i)
{
    const size_t after = r->width - r->before; // including i

    return r->n - i > after ? i + after : r->n;
}

// What a MAD is divided by.
double ki_window_mad_divisor(kn_stats_mad_scale scale);

#endif
