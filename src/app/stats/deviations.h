// SPDX-License-Identifier: Apache-2.0
// Absolute deviations on the host, and the median of those of a sorted column.
#ifndef KN_APP_STATS_DEVIATIONS_H
#define KN_APP_STATS_DEVIATIONS_H

#include "host/host.h"

// to[i] = |x[i] - median|, in double, for n floats or doubles, with the plan's level and threads. `to` may be
// x if those are doubles.
void ki_stats_deviations(const struct host_plan *plan, const void *x, bool single, size_t n, double median,
                         double *to);

// The median of the deviations of a sorted column from its median: they fall towards the middle and rise from
// there, and two pointers walk from the middle outwards, the one at the lesser deviation first. (As printed
// in the source, algorithm 1, both begin at the middle of an odd column, which counts it twice, and they run
// past the ends of a column of ties.)
double ki_stats_bitonic_median(const double *deviations, size_t n);

#endif
