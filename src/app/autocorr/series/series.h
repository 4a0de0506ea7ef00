// SPDX-License-Identifier: Apache-2.0
// From frames to the correlation, the azimuthal average and the lengths of each frame (koine/autocorr.h).
// Frames are decoded by several threads while others are computed, several at once on a device.
#ifndef KN_APP_AUTOCORR_SERIES_SERIES_H
#define KN_APP_AUTOCORR_SERIES_SERIES_H

#include <koine/experimental/autocorr.h>

#include "app/autocorr/lag/lags.h"
#include "app/autocorr/methods.h"

struct kn_autocorr_series {
    kn_context *context; // the queue's, held by the series; NULL: the host
    kn_autocorr_series_options settings;
    struct autocorr_engine engine;
    struct autocorr_engine pairs;  // for frames some lags apart, while the frames themselves are under way
    struct autocorr_lags lags;     // of the last call; all zero: none were wanted
    kn_autocorr_pipeline pipeline; // of the last call
};

// The part of a frame to correlate: `mask_bytes` are those of the settings' mask; a max_offset of 0 is chosen
// from the frame. Errors, with `name`: KN_ERROR_INPUT for a mask of another size, and those of
// ki_autocorr_check and ki_autocorr_crop.
kn_status ki_autocorr_make_task(const kn_autocorr_series_options *settings, const uint8_t *mask_bytes,
                                const char *name, const kn_autocorr_grey *grey, size_t max_offset,
                                struct autocorr_task *task, kn_error *err);
// A mask's bytes, 0 where it is black; NULL for none. The caller frees them. KN_ERROR_MEMORY.
kn_status ki_autocorr_mask_bytes(const kn_autocorr_grey *mask, uint8_t **bytes, kn_error *err);

// Copies the caller's settings. KN_ERROR_ARGUMENT for settings that are invalid, or impossible on the queue.
kn_status ki_autocorr_read_settings(const char *function, const kn_queue *queue,
                                    const kn_autocorr_series_options *given,
                                    kn_autocorr_series_options *settings, kn_error *err);

// How many frames may be decoded and wait, under this limit on memory (0: none).
size_t ki_autocorr_frames_ahead(const kn_autocorr_source *frames, size_t limit);
// kn_autocorr_series_execute for a source that was read.
kn_status ki_autocorr_series_run(kn_autocorr_series *series, const kn_autocorr_source *source,
                                 kn_autocorr_take *take, void *data, kn_error *err);

#endif
