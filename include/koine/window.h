// SPDX-License-Identifier: Apache-2.0
// Statistics of moving (rolling) windows of a column: of one window every `step` elements, and medians and
// MADs (medians of the absolute deviations from the median) of a window around every element. All of them are
// exact.
#ifndef KOINE_WINDOW_H
#define KOINE_WINDOW_H

#include <koine/host.h>
#include <koine/launch.h>
#include <koine/stats.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- one window every `step` elements ----

typedef struct kn_window_options {
    size_t struct_size; // set by KN_INIT
    // Adds a window with fewer elements if the last elements lie in no full window.
    bool partial;
    const double *quantiles; // from 0 to 1, as in kn_quantiles; NULL: none
    size_t quantile_count;
    kn_stats_mad_scale mad_scale;
} kn_window_options;

// The number of windows of `width` elements in a column of n, one every `step` elements: window i begins at
// element i * step. 0 if width or step is 0.
KN_API size_t kn_window_count(size_t n, size_t width, size_t step, bool partial);

// Computes the statistics of each window of n elements of `x` (KN_F32, KN_F64): results[i] is that of window
// i, for as many windows as kn_window_count says, and quantiles[i * quantile_count + k] is its quantile k,
// interpolated as numpy does. `quantiles` may be NULL if none are asked for. NaN and infinities are treated
// as in kn_stats: a window with a NaN has NaN in every double. The sums are bitwise identical to those of
// kn_host_robust for the window alone. x is not changed. Method: if a window is at most eight steps long, and
// a whole number of them, each step is sorted once, and a window selects its median, quantiles and MAD from
// these runs without merging them; other windows are sorted one by one. Cost: about r log2(r) comparisons per
// window, r being the number of elements in a step or a window that are sorted for it; memory for two windows
// per thread. Errors: KN_ERROR_ARGUMENT (also a width or step of 0, and a quantile outside 0 to 1),
// KN_ERROR_UNSUPPORTED (other types), KN_ERROR_MEMORY.
KN_API kn_status kn_host_windows(const void *x, kn_type type, size_t n, size_t width, size_t step,
                                 kn_stats *results, double *quantiles, const kn_window_options *options,
                                 const kn_host_options *host, kn_error *err);

// The same on the device, for a buffer of the queue's context: bitwise identical to kn_host_windows. Waits.
// Method: kn_robust_columns, with columns that overlap; for quantiles also a sort of each window. Cost: a
// read of each window, and with quantiles that of kn_sort_segments_by_key. Errors: those of kn_host_windows
// and of kn_robust_columns; KN_ERROR_LIMIT for a buffer held in parts.
KN_API kn_status kn_windows(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t width,
                            size_t step, kn_stats *results, double *quantiles,
                            const kn_window_options *options, kn_error *err);

// ---- a window around every element ----

// Where the window of element i lies.
typedef enum kn_window_position {
    KN_WINDOW_CENTRED = 0, // from i - width / 2 to i + (width - 1) / 2, as in scipy.ndimage.median_filter and
                           // pandas.rolling(center=True)
    KN_WINDOW_TRAILING = 1 // from i - width + 1 to i, as in pandas.rolling
} kn_window_position;

// How windows that reach beyond the column are treated.
typedef enum kn_window_edges {
    KN_WINDOW_SHRINK = 0, // only their elements in the column count (pandas: min_periods=1)
    KN_WINDOW_OMIT = 1    // the result is NaN (pandas: the default)
} kn_window_edges;

typedef struct kn_rolling_options {
    size_t struct_size; // set by KN_INIT
    kn_window_position position;
    kn_window_edges edges;
    kn_stats_mad_scale mad_scale;
} kn_rolling_options;

// Rolling median and MAD: medians[i] and mads[i], of x's type, are those of the window of `width` elements
// around element i of the n elements of `x` (KN_F32, KN_F64). Either may be NULL, and neither may be x. They
// are computed in double and rounded to the type. A window with a NaN gives NaN; one with an infinite median
// has a MAD of NaN. Method: stretches of 2 width elements are sorted, with their positions; in that order the
// median moves by about one element from one window to the next (Suomela 2014), and so do both ends of the
// interval that holds the half of the window nearest to the median. Cost: two sorted elements per output, and
// a few steps, more if the data differ between the halves of a stretch, at most of the order of width; memory
// of 24 bytes per element of a stretch and thread. Errors: KN_ERROR_ARGUMENT (also a width of 0),
// KN_ERROR_UNSUPPORTED (other types), KN_ERROR_LIMIT (a width of 2^30 or more), KN_ERROR_MEMORY.
KN_API kn_status kn_host_rolling(const void *x, kn_type type, size_t n, size_t width, void *medians,
                                 void *mads, const kn_rolling_options *options, const kn_host_options *host,
                                 kn_error *err);

// The same on the device, for buffers of the queue's context: bitwise identical to kn_host_rolling.
// Asynchronous except for a wait before each sort. A device without double precision computes only medians.
// Memory: 12 bytes per element of two columns (16 for KN_F64) and as much for their sort, up to a fraction of
// the device's memory; kept by the queue. Errors: those of kn_host_rolling; KN_ERROR_UNSUPPORTED (KN_F64, or
// mads, without double precision; rusticl on a CPU, which stops the kernel's loops too early), KN_ERROR_LIMIT
// (a buffer held in parts).
KN_API kn_status kn_rolling(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t width,
                            kn_buffer *medians, kn_buffer *mads, const kn_rolling_options *options,
                            kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
