// SPDX-License-Identifier: Apache-2.0
// What a kn_autocorr_plan (koine/autocorr.h) is, and the frames of a call as tasks.
#ifndef KN_APP_AUTOCORR_PLAN_INTERNAL_H
#define KN_APP_AUTOCORR_PLAN_INTERNAL_H

#include <koine/autocorr.h>

#include "app/autocorr/methods.h"
#include "app/autocorr/device/device_windows.h"
#include "app/autocorr/series/analyse.h"

struct kn_autocorr_plan {
    kn_queue *queue;      // borrowed; NULL: the host
    kn_context *context;  // its own, which the plan holds
    size_t width, height; // of a frame; of a volume the rows of all slices
    size_t depth;         // slices of a volume; 0: frames are images
    kn_type type;         // of its pixels, as the caller has them
    size_t max_offset;
    struct autocorr_engine engine;
    kn_autocorr_normalization normalization;
    double bound;                  // of the last call
    struct ki_kept kept;           // memory of calls
    struct autocorr_tables tables; // of a frame on the device; `sums` NULL: there were none yet
    // Frames are evaluated one by one with all threads, or each by one thread.
    struct autocorr_workspace alone, *workspaces;
    struct ki_kept *workspace_kept; // beside each of these
    unsigned workspace_count;
};

// The type of the pixels that are correlated: real numbers are converted to 16 bits.
static inline kn_type plan_level_type(const kn_autocorr_plan *plan)
{
    return plan->type == KN_F32 ? KN_U16 : plan->type;
}

// The frames of a call.
struct plan_frames {
    struct autocorr_task *tasks;
    size_t count;
    uint16_t *levels; // of images of real numbers; NULL: the caller's pixels are used directly
};

// `count` tasks, at least 1. Errors: KN_ERROR_ARGUMENT for what the struct cannot be, and for real numbers
// that are not finite; KN_ERROR_MEMORY.
kn_status ki_autocorr_plan_frames(kn_autocorr_plan *plan, const kn_autocorr_frames *given, size_t count,
                                  struct plan_frames *frames, kn_error *err);
// Frames that are on the plan's device; `sums`: a buffer for sums, NULL: none. Errors: KN_ERROR_ARGUMENT for
// a plan of the host, and for buffers that are too small or another context's; KN_ERROR_UNSUPPORTED for real
// numbers; ki_autocorr_check_frames's.
kn_status ki_autocorr_plan_buffers(const char *function, const kn_autocorr_plan *plan, const kn_buffer *first,
                                   const kn_buffer *second, size_t count, const kn_buffer *sums,
                                   struct autocorr_frames *frames, kn_error *err);
void ki_autocorr_plan_frames_free(kn_autocorr_plan *plan, struct plan_frames *frames); // all NULL is fine

#endif
