// SPDX-License-Identifier: Apache-2.0
// Statistics of windows of a column: of one window every so many elements, and medians and MADs (medians of
// the absolute deviations from the median) of a window around every element. All of them are exact.
#ifndef KOINE_WINDOW_H
#define KOINE_WINDOW_H

#include <koine/host.h>
#include <koine/launch.h>
#include <koine/stats.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- a window every so many elements ----

typedef struct kn_window_options {
    size_t struct_size; // KN_INIT sets it
    // One more window, of fewer elements, where elements at the end lie in no full window.
    bool partial;
    const double *quantiles; // from 0 to 1, as kn_quantiles has them; NULL: none
    size_t quantile_count;
    kn_stats_mad_scale mad_scale;
} kn_window_options;

// How many windows of `width` elements there are in a column of n, one every `step`: window i begins at
// element i * step. 0 if width or step is 0.
KN_API size_t kn_window_count(size_t n, size_t width, size_t step, bool partial);

// The statistics of each window of n elements of `x` (KN_F32, KN_F64): results[i] is about window i, one for
// each that kn_window_count counts, and quantiles[i * quantile_count + k] is its quantile k, interpolated as
// numpy does. `quantiles` may be NULL without any. NaN and infinities are treated as in kn_stats: a window
// with a NaN has NaN in every double. The sums are those of kn_host_robust for the window alone, to the bit.
// x is not changed. Method: where a window is at most eight steps long, and a whole number of them, each step
// is sorted once, and a window selects its median, quantiles and MAD from these runs without merging them;
// other windows are sorted each. Cost: about r log2(r) comparisons a window, r being the elements of a step
// or a window that are sorted for it; memory for two windows a thread. Errors: KN_ERROR_ARGUMENT (also a
// width or step of 0, and a quantile outside 0 to 1), KN_ERROR_UNSUPPORTED (other types), KN_ERROR_MEMORY.
KN_API kn_status kn_host_windows(const void *x, kn_type type, size_t n, size_t width, size_t step,
                                 kn_stats *results, double *quantiles, const kn_window_options *options,
                                 const kn_host_options *host, kn_error *err);

// The same on the device, of a buffer of the queue's context: kn_host_windows' answers, to the bit. Waits.
// Method: kn_robust_columns, of columns that overlap; with quantiles a sort of each window besides. Cost: a
// read of each window, and with quantiles that of kn_sort_segments_by_key. Errors: those of kn_host_windows
// and of kn_robust_columns; KN_ERROR_LIMIT for a buffer held in parts.
KN_API kn_status kn_windows(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t width,
                            size_t step, kn_stats *results, double *quantiles,
                            const kn_window_options *options, kn_error *err);

// ---- a window around every element ----

// Where the window of element i lies.
typedef enum kn_window_position {
    KN_WINDOW_CENTRED = 0, // from i - width / 2 to i + (width - 1) / 2, as scipy.ndimage.median_filter and
                           // pandas.rolling(center=True) have it
    KN_WINDOW_TRAILING = 1 // from i - width + 1 to i, as pandas.rolling
} kn_window_position;

// What becomes of windows that reach beyond the column.
typedef enum kn_window_edges {
    KN_WINDOW_SHRINK = 0, // what they have of the column (pandas: min_periods=1)
    KN_WINDOW_OMIT = 1    // NaN (pandas: the default)
} kn_window_edges;

typedef struct kn_rolling_options {
    size_t struct_size; // KN_INIT sets it
    kn_window_position position;
    kn_window_edges edges;
    kn_stats_mad_scale mad_scale;
} kn_rolling_options;

// medians[i] and mads[i], of x's type, are the median and the MAD of the window of `width` elements around
// element i of the n elements of `x` (KN_F32, KN_F64). Either may be NULL, and neither may be x. They are
// computed in double and rounded to the type. A window with a NaN has NaN; one with an infinite median has a
// MAD of NaN. Method: stretches of 2 width elements are sorted, with their positions; in that order the
// median moves by about one element from a window to the next (Suomela 2014), and so do both ends of the
// interval that holds the half of the window nearest to the median. Cost: two sorted elements an output, and
// a few steps, more where the data are unlike in the halves of a stretch, at most of the order of width;
// memory for 24 bytes an element of a stretch and thread. Errors: KN_ERROR_ARGUMENT (also a width of 0),
// KN_ERROR_UNSUPPORTED (other types), KN_ERROR_LIMIT (a width of 2^30 or more), KN_ERROR_MEMORY.
KN_API kn_status kn_host_rolling(const void *x, kn_type type, size_t n, size_t width, void *medians,
                                 void *mads, const kn_rolling_options *options, const kn_host_options *host,
                                 kn_error *err);

// The same on the device, of buffers of the queue's context: kn_host_rolling's answers, to the bit.
// Asynchronous but for a wait before each sort. Without double precision there are medians alone. Memory: 12
// bytes an element of two columns (16 for KN_F64) and as much for their sort, up to a fraction of the
// device's; kept by the queue. Errors: those of kn_host_rolling; KN_ERROR_UNSUPPORTED (KN_F64, or mads,
// without double precision; rusticl on a CPU, which ends the kernel's loops too early), KN_ERROR_LIMIT (a
// buffer held in parts).
KN_API kn_status kn_rolling(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t width,
                            kn_buffer *medians, kn_buffer *mads, const kn_rolling_options *options,
                            kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
