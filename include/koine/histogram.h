// SPDX-License-Identifier: Apache-2.0
// Histograms on the device.
#ifndef KOINE_HISTOGRAM_H
#define KOINE_HISTOGRAM_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// How many of the first n elements of `x`, of any type, lie in each bin, as numpy.histogram has it: bin i has
// those with edges[i] <= x < edges[i + 1], and the last one those equal to edges[bins], too. What lies
// outside of the edges, and NaN, is not counted. `counts` becomes `bins` numbers of uint64_t; what is behind
// them stays. The edges, bins + 1 of them, do not descend and are not NaN; infinite ones are fine. Elements
// are compared with them exactly, 64-bit integers too. The counts are the same on every device. Waits for
// what the queue has to do before; what it enqueues is asynchronous. Method: counters for each work-group in
// local memory, several of each where there is room, so that equal elements do not wait for one another; then
// they are added up. Where the bins have no room in local memory, atomic counters in global memory. Cost:
// reads x once, a search of log2(bins) steps an element. Errors: KN_ERROR_ARGUMENT (no bins, edges that
// descend); KN_ERROR_UNSUPPORTED (KN_F64 without double precision); KN_ERROR_LIMIT (counts held in parts,
// more than 2^30 bins).
KN_API kn_status kn_histogram(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                              const double *edges, size_t bins, kn_buffer *counts, kn_error *err);

// The same with `bins` bins of equal width between low and high, which are finite, low < high. Edge i is, in
// double, low + i * ((high - low) / bins), as numpy.linspace has it, and the last one high. Cost: reads x
// once, some 10 operations an element.
KN_API kn_status kn_histogram_even(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double low,
                                   double high, size_t bins, kn_buffer *counts, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
