// SPDX-License-Identifier: Apache-2.0
// Estimates how much memory the frames of a series take, and decides how many of them are computed together.
#ifndef KN_APP_AUTOCORR_SERIES_SERIES_MEMORY_H
#define KN_APP_AUTOCORR_SERIES_SERIES_MEMORY_H

#include <koine/experimental/autocorr.h>

#include "app/autocorr/methods.h"

// What a series does at a time, and with what.
struct autocorr_demand {
    const kn_autocorr_series_options *settings;
    struct autocorr_engine *engine; // of the frames
    struct autocorr_engine *pairs;  // for those correlated with later ones; NULL: none are
    struct autocorr_task task;      // every frame is like it
    size_t frames, ahead;           // in all; the most that are decoded
};

// How many frames, and pairs of them, are computed together: as many as fit into settings->memory_limit. Sets
// `together` of both engines, and `no_transforms` where KN_AUTOCORR_AUTO has to do without. KN_ERROR_MEMORY,
// with what it takes, where one frame does not fit. `left`: bytes that the limit leaves of the device's
// memory.
kn_status ki_autocorr_series_fit(const struct autocorr_demand *demand, size_t *left, kn_error *err);
// The most that it takes: as it was fitted, if there is a limit, otherwise with as many frames together as
// are worth it. The same errors.
kn_status ki_autocorr_series_measure(const struct autocorr_demand *demand, kn_autocorr_memory *memory,
                                     kn_error *err);

#endif
