// SPDX-License-Identifier: Apache-2.0
// What one read of floats or doubles finds out besides their sums: least, greatest, NaN, and the numbers of
// elements relative to the brackets around a median and around a MAD.
#ifndef KN_HOST_STATS_HOST_REALS_H
#define KN_HOST_STATS_HOST_REALS_H

#include "host/simd/levels.h"

// Without numbers: INFINITY and -INFINITY.
struct host_extremes {
    double least, greatest;
    size_t nan_count;
};

// The numbers strictly between `low` and `high`; how many these are, and how many are below low, above low
// and above high.
struct host_interval {
    double low, high;
    size_t inside, below, above_low, above_high;
};

// The first is the median's; the others are below and above it, around a deviation of about the MAD.
enum { HOST_MIDDLE, HOST_LOWER, HOST_UPPER, HOST_INTERVALS };

// What lies within the first interval, and what lies within one of the others.
struct host_sifted {
    void *middle, *arms; // room for all elements and a vector
    size_t middle_count, arm_count;
};

// For elements of one type on one kind of processor. All functions add to their result, except that the
// sifted counts are set.
struct host_reals {
    void (*extremes)(const void *x, size_t n, struct host_extremes *extremes);
    void (*sift)(const void *x, size_t n, struct host_interval intervals[HOST_INTERVALS],
                 struct host_sifted *sifted);
    // to[i] = |x[i] - centre| in double; x and `to` may be the same.
    void (*deviations)(const void *x, size_t n, double centre, double *to);
};

// KN_F32 or KN_F64.
const struct host_reals *ki_host_reals_for(kn_type type, kn_host_level level);

HOST_DECLARE_LEVELS(const struct host_reals, host_reals);

#endif
