// SPDX-License-Identifier: Apache-2.0
// How much memory the frames of a series take, by estimate, and how many of them are computed together for
// it.
#ifndef KN_APP_AUTOCORR_SERIES_SERIES_MEMORY_H
#define KN_APP_AUTOCORR_SERIES_SERIES_MEMORY_H

#include "app/autocorr/methods.h"

// Bytes at most.
struct autocorr_bytes {
    double host, device; // device: 0 on the host
};

// What `count` frames like the task take that are computed together by a method, which is not
// KN_AUTOCORR_AUTO, and as many before and behind them, and `ahead` that are decoded.
struct autocorr_bytes ki_autocorr_series_bytes(const struct autocorr_engine *engine,
                                               const kn_autocorr_series_options *settings,
                                               const struct autocorr_task *task, kn_autocorr_method method,
                                               size_t count, size_t ahead);

// How many frames like the task are computed together: as many as fit into settings->memory_limit. Sets
// engine->together, and engine->no_transforms where KN_AUTOCORR_AUTO has to do without. KN_ERROR_MEMORY, with
// what it takes, where one frame does not fit.
kn_status ki_autocorr_series_fit(struct autocorr_engine *engine, const kn_autocorr_series_options *settings,
                                 const struct autocorr_task *task, size_t ahead, kn_error *err);

#endif
