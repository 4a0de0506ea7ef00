// SPDX-License-Identifier: Apache-2.0
// Robust statistics of a column: mean, standard deviation, coefficient of variation, median, median absolute
// deviation.
#ifndef KN_APP_STATS_STATS_H
#define KN_APP_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/stats.h>

// The MAD of normally distributed data, divided by this, estimates their standard deviation (the normal
// distribution's upper quartile, as scipy.stats.median_abs_deviation(scale="normal")).
#define STATS_MAD_SCALE_NORMAL 0.6744897501960817

#define STATS_METHODS (KN_STATS_FUSED + 1)

struct stats_options {
    bool single;      // values are rounded to float first; sums stay double
    double mad_scale; // the MAD is divided by it: 1, or STATS_MAD_SCALE_NORMAL
    kn_policy policy; // of the kernels; those that promise bits are always compiled strictly
    kn_stats_method method;
    unsigned threads; // of the parallel variants; 0: all that ki_threads returns
};

#define STATS_OPTIONS_INIT                                                                                   \
    {                                                                                                        \
        .mad_scale = 1.0, .policy = KN_POLICY_DEFAULT                                                        \
    }

// The serial reference, in double precision: moments in the fixed tree of moments.h, so that every variant
// and device can match it to the bit; median and MAD from two full sorts. KN_ERROR_MEMORY (it copies the
// column).
kn_status ki_stats_reference(const double *x, size_t n, const struct stats_options *options, kn_stats *result,
                             kn_error *err);

#endif
