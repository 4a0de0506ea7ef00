// SPDX-License-Identifier: Apache-2.0
// From a frame's sums to its rings and lengths, on the host.
#ifndef KN_APP_AUTOCORR_SERIES_ANALYSE_H
#define KN_APP_AUTOCORR_SERIES_ANALYSE_H

#include "app/autocorr/host/host_fourier.h"
#include "app/autocorr/normalize.h"
#include "app/autocorr/radial.h"

// A frame's sums, and the results from them.
struct autocorr_frame {
    uint64_t *products;          // over the offsets; may be NULL if they are not wanted
    double *values;              // over the offsets, normalised; NULL likewise
    struct ki_kept *kept;        // the source of the memory for values; NULL: nothing is kept
    struct autocorr_ring *rings; // R + 1
    bool rings_on_device;        // they were computed there (device_radial.h), else by the host
    kn_autocorr_lengths lengths;
};

// What a thread keeps from one frame to the next; all zero at first.
struct autocorr_workspace {
    struct autocorr_fourier *fourier; // of windows with a mask
    struct autocorr_window *windows;
    size_t offsets; // windows that there is room for
};

void ki_autocorr_workspace_free(struct autocorr_workspace *workspace);

// The frame's values, where they are wanted or its rings are not there; its rings, where they are not; its
// lengths. Of the settings normalization and values count. `frame` has products, where values are made, and
// room for rings. The transforms take `options`
// where they are made. KN_ERROR_MEMORY, and ki_autocorr_check's.
kn_status ki_autocorr_analyse(struct autocorr_workspace *workspace,
                              const kn_autocorr_series_options *settings, const kn_host_options *options,
                              const struct autocorr_task *task, struct autocorr_frame *frame, kn_error *err);

// The same from the windows' sums, wherever they come from; they are not looked at where no values are made.
kn_status ki_autocorr_conclude(const kn_autocorr_series_options *settings, size_t max_offset,
                               const struct autocorr_window *windows, struct autocorr_frame *frame,
                               kn_error *err);

static inline bool autocorr_makes_values(const kn_autocorr_series_options *settings,
                                         const struct autocorr_frame *frame)
{
    return settings->values || !frame->rings_on_device;
}

#endif
