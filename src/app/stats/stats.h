// SPDX-License-Identifier: Apache-2.0
// Robust statistics of a column: mean, standard deviation, coefficient of variation, median, median absolute
// deviation.
#ifndef KN_APP_STATS_STATS_H
#define KN_APP_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>
#include <koine/types.h>

// The MAD of normally distributed data, divided by this, estimates their standard deviation (the normal
// distribution's upper quartile, as scipy.stats.median_abs_deviation(scale="normal")).
#define STATS_MAD_SCALE_NORMAL 0.6744897501960817

enum stats_method {
    STATS_AUTO,   // fused
    STATS_SORT,   // bottom-up merge sort with the sums gathered in its last merge; devices: bitonic sort,
                  // padded
    STATS_SELECT, // sums, then selection of the median and of the deviations' median
    STATS_FUSED,  // all in one read (koine/robust.h); whole numbers of 8 bits are kept in bytes and counted
    STATS_METHODS
};

struct stats_options {
    bool single;      // values are rounded to float first; sums stay double
    double mad_scale; // the MAD is divided by it: 1, or STATS_MAD_SCALE_NORMAL
    kn_policy policy; // of the kernels; what promises bits is compiled strictly whatever it says
    enum stats_method method;
    unsigned threads; // of the parallel variants; 0: all that ki_threads gives
};

#define STATS_OPTIONS_INIT                                                                                   \
    {                                                                                                        \
        .mad_scale = 1.0, .policy = KN_POLICY_DEFAULT                                                        \
    }

// A column with a not-a-number, or without elements, has not-a-number everywhere. -0 is returned as 0.
struct stats_result {
    size_t n;
    double mean;
    double std; // divided by n, not n - 1; not-a-number if an element is infinite
    double cv;  // std / mean with the mean's sign: infinite if only the mean is 0, not-a-number if both are
    double median; // of an even number of elements: the mean of the two middle ones
    double mad;    // median of |x - median|; not-a-number if the median is infinite
};

// The serial reference, in double precision: moments in the fixed tree of moments.h, so that every variant
// and device can equal it to the bit; median and MAD from two full sorts. KN_ERROR_MEMORY (it copies the
// column).
kn_status ki_stats_reference(const double *x, size_t n, const struct stats_options *options,
                             struct stats_result *result, kn_error *err);

#endif
