// SPDX-License-Identifier: Apache-2.0
// The results of correlating frames some lags apart, over their pairs (kn_autocorr_lag in koine/autocorr.h).
#ifndef KN_APP_AUTOCORR_LAG_LAGS_H
#define KN_APP_AUTOCORR_LAG_LAGS_H

#include <koine/autocorr.h>

#include "app/autocorr/series/analyse.h"

// Sums over pairs until they are finished, then means. All zero: empty.
struct autocorr_lags {
    size_t frames, count; // of lags
    size_t max_offset;
    kn_autocorr_normalization normalization;
    kn_autocorr_lag *lags;
    struct autocorr_ring *rings; // R + 1 a lag
    double *values;              // over the offsets, lag after lag; NULL: not wanted
    double *correlations;        // of each pair, `frames` a lag; NaN where there is none
    kn_autocorr_ring *rings_told;
    kn_autocorr_lags told; // the form for programs, once they are finished
};

// For lags 0 to max_lag of so many frames. KN_ERROR_MEMORY.
kn_status ki_autocorr_lags_begin(size_t frames, size_t max_lag, size_t max_offset, bool values,
                                 kn_autocorr_normalization normalization, struct autocorr_lags *lags,
                                 kn_error *err);
void ki_autocorr_lags_free(struct autocorr_lags *lags);

// Adds the pair of frames `first` and `first` + `lag`, with rings, and with values if they are wanted. Pairs
// of a lag come in the order of their first frames, so that the means have the same bits whatever computes
// them.
void ki_autocorr_lags_add(struct autocorr_lags *lags, size_t lag, size_t first,
                          const struct autocorr_frame *pair);
// From sums to means and lengths. `bound` is of all sums.
void ki_autocorr_lags_finish(struct autocorr_lags *lags, double bound);

#endif
