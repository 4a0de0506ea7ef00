// SPDX-License-Identifier: Apache-2.0
// Absolute deviations, and medians of sorted data and of their deviations.
#ifndef KOINE_DEVIATION_H
#define KOINE_DEVIATION_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// out[i] = |x[i] - centre| for the first n elements (KN_F32 or KN_F64), computed in double (without
// double precision in integers) and rounded to the type. `out` may be `x`. Asynchronous. Cost: one read and
// one write of n elements.
KN_API kn_status kn_abs_diff(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double centre,
                             kn_buffer *out, kn_error *err);

// The median of n > 0 sorted elements without NaN: the middle one, or the mean of the middle two. -0 is
// returned as 0. Waits. Cost: reads at most two elements.
KN_API kn_status kn_median_sorted(kn_queue *queue, const kn_buffer *sorted, kn_type type, size_t n,
                                  double *median, kn_error *err);

// The median of |x - median| of n > 0 sorted elements without NaN, where `median` is theirs: the deviations
// form two sorted runs, and their middle is found by bisection along the merge path (Odeh, Green, Mwassi,
// Shmueli, Birk 2012). Exact. Not-a-number if the median is not finite. Waits. Cost: 4 log2(n) reads on the
// device; without double precision, or of a buffer in parts, as many copies of one element.
KN_API kn_status kn_mad_sorted(kn_queue *queue, const kn_buffer *sorted, kn_type type, size_t n,
                               double median, double *mad, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
