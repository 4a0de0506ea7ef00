// SPDX-License-Identifier: Apache-2.0
// Frames, or pairs of frames, on their way: several are computed together while others are prepared, and
// results are reported in order.
#ifndef KN_APP_AUTOCORR_SERIES_FLOW_H
#define KN_APP_AUTOCORR_SERIES_FLOW_H

#include <koine/experimental/autocorr.h>

#include "app/autocorr/methods.h"
#include "analyse.h"

// One on its way: its pixels, its task, and the results.
struct autocorr_pending {
    kn_autocorr_grey grey; // its own; without pixels if they belong to something else
    struct autocorr_task task;
    struct autocorr_frame frame;
    kn_autocorr_prepared prepared;
    kn_autocorr_verified verified;
    kn_autocorr_analysis analysis; // which points to these when it is told
    size_t lag;                    // of a pair, to its second frame
};

struct autocorr_flow_batch;

struct autocorr_flow {
    struct autocorr_engine *engine;
    const kn_autocorr_series_options *settings; // normalization, sums, values and verification count
    kn_autocorr_pipeline *pipeline;
    // Receives each finished one, in order. What is left in it is freed.
    kn_status (*done)(void *data, struct autocorr_pending *pending, kn_error *err);
    void *data;
    double bound;                          // the greatest of all sums
    struct autocorr_workspace *workspaces; // of each thread
    unsigned workspace_count;
    struct autocorr_flow_batch *batches, *waiting; // for more, and for a start
    struct autocorr_flow_batch *started;           // empty, or under way
};

// Makes room in a flow whose first five members are set, and all others 0. KN_ERROR_MEMORY.
kn_status ki_autocorr_flow_begin(struct autocorr_flow *flow, kn_error *err);
// Discards what is under way. A flow of zeros is fine.
void ki_autocorr_flow_end(struct autocorr_flow *flow);

// Takes over what is pending. Errors are those of the engine and of `done`.
kn_status ki_autocorr_flow_add(struct autocorr_flow *flow, struct autocorr_pending *pending, kn_error *err);
// Starts those that wait, and finishes those that were started before.
kn_status ki_autocorr_flow_advance(struct autocorr_flow *flow, kn_error *err);
// Finishes all.
kn_status ki_autocorr_flow_drain(struct autocorr_flow *flow, kn_error *err);

void ki_autocorr_pending_drop(struct autocorr_pending *pending);

#endif
