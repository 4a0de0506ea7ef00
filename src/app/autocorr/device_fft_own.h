// SPDX-License-Identifier: Apache-2.0
// What the files of the correlations by Fourier transforms share.
#ifndef KN_APP_AUTOCORR_DEVICE_FFT_OWN_H
#define KN_APP_AUTOCORR_DEVICE_FFT_OWN_H

#include "../../algo/fft.h"
#include "../../base/text.h"
#include "device_fft.h"

// A way to compute; `plan` is its own.
struct fft_way {
    // For batches of fft->batch frames, or fewer (autocorr_fft_limit_batch). Sets fft->points and fft->plan,
    // also where it fails, and appends to fft->text.
    kn_status (*create)(kn_queue *queue, struct autocorr_fft *fft, kn_error *err);
    // Frames `first` to first + count - 1, at most a batch, whose tables are filled.
    kn_status (*run)(kn_queue *queue, const struct autocorr_fft *fft, const struct autocorr_frames *frames,
                     size_t first, size_t count, kn_buffer *sums, kn_error *err);
    void (*free)(void *plan);
};

extern const struct fft_way autocorr_fft_fused, autocorr_fft_number;

struct autocorr_fft {
    kn_context *context;
    struct autocorr_fft_options options; // its way is the one that was chosen
    size_t width, height, max_offset, batch;
    size_t across, wanted; // columns to either side, and rows, that have overlaps: X0 < across, Y0 < wanted
    size_t points[2];      // of the circle, across and down
    kn_type type, real;    // of the pixels; what is computed in
    bool cross, exact;
    struct autocorr_tables tables;
    struct kn_text text;
    void *plan;
};

// Fewer frames a batch, so that a buffer of so many bytes a frame is one allocation of the device, and leaves
// most of its memory to others. KN_ERROR_LIMIT if one frame is too many.
kn_status autocorr_fft_limit_batch(struct autocorr_fft *fft, size_t frame_bytes, kn_error *err);

#endif
