// SPDX-License-Identifier: Apache-2.0
// The last frames of a series, which are correlated with those that come after them.
#ifndef KN_APP_AUTOCORR_LAG_RECENT_H
#define KN_APP_AUTOCORR_LAG_RECENT_H

#include "app/autocorr/series/flow.h"
#include "copies.h"
#include "lags.h"

struct autocorr_recent_frame;

struct autocorr_recent {
    const kn_autocorr_series_options *settings; // of the series
    kn_autocorr_series_options pair_settings;
    size_t frames; // of the series
    struct autocorr_lags *lags;
    kn_autocorr_pipeline pipeline; // of the pairs
    struct autocorr_flow pairs;
    struct autocorr_copies copies;      // of frames on the device
    bool has_copies;                    // they are begun
    struct autocorr_recent_frame *kept; // in order: frames that later pairs still need
    size_t count, room;
};

// For a series of this many frames with a max_lag. Pairs are computed by `engine`, and go to `lags`.
// KN_ERROR_MEMORY.
kn_status ki_autocorr_recent_begin(struct autocorr_engine *engine, const kn_autocorr_series_options *settings,
                                   size_t frames, struct autocorr_lags *lags, struct autocorr_recent *recent,
                                   kn_error *err);
void ki_autocorr_recent_end(struct autocorr_recent *recent); // of zeros is fine

// A frame that will be computed stays on the device from then on, if there is room: together with all others
// in `most` bytes.
kn_status ki_autocorr_recent_keep(struct autocorr_recent *recent, struct autocorr_task *frame, size_t most,
                                  kn_error *err);
// A finished frame: takes over its pixels.
kn_status ki_autocorr_recent_add(struct autocorr_recent *recent, struct autocorr_pending *frame,
                                 kn_error *err);
// After the last frame: finishes all pairs, and computes their means.
kn_status ki_autocorr_recent_finish(struct autocorr_recent *recent, kn_error *err);

// The callback of a flow of pairs, whose `data` is the struct autocorr_lags.
kn_status ki_autocorr_take_pair(void *data, struct autocorr_pending *pair, kn_error *err);

#endif
