// SPDX-License-Identifier: Apache-2.0
// Histograms on the device.
#ifndef KOINE_HISTOGRAM_H
#define KOINE_HISTOGRAM_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// Counts how many of the first n elements of `x`, of any type, lie in each bin, like numpy.histogram: bin i
// has those with edges[i] <= x < edges[i + 1], and the last bin also those equal to edges[bins]. Elements
// outside the edges, and NaN, are not counted. `counts` receives `bins` numbers of uint64_t; the rest of the
// buffer is left unchanged. There are bins + 1 edges, which must not descend or be NaN; they may be infinite.
// Elements are compared with them exactly, 64-bit integers too. The counts are the same on every device.
// Waits for earlier work in the queue; what it enqueues itself is asynchronous. Method: counters for each
// work-group in local memory, several copies where there is room, so that equal elements do not wait for one
// another; then these are added up. If the bins do not fit in local memory, atomic counters in global memory.
// Cost: reads x once, with a search of log2(bins) steps per element. Errors: KN_ERROR_ARGUMENT (no bins,
// edges that descend); KN_ERROR_UNSUPPORTED (KN_F64 without double precision); KN_ERROR_LIMIT (counts held in
// parts, more than 2^30 bins).
KN_API kn_status kn_histogram(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                              const double *edges, size_t bins, kn_buffer *counts, kn_error *err);

// The same with `bins` bins of equal width between low and high, which are finite, low < high. Edge i is, in
// double, low + i * ((high - low) / bins), as numpy.linspace has it, and the last one high. Cost: reads x
// once, some 10 operations per element.
KN_API kn_status kn_histogram_even(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double low,
                                   double high, size_t bins, kn_buffer *counts, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
