// SPDX-License-Identifier: Apache-2.0
// From the sums of a batch of frames on the device to their rings there (device_windows.h, device_masked.h,
// device_radial.h): what is kept between batches for it.
#ifndef KN_APP_AUTOCORR_SERIES_BATCH_RINGS_H
#define KN_APP_AUTOCORR_SERIES_BATCH_RINGS_H

#include <stdbool.h>

#include "app/autocorr/device/device_radial.h"

struct autocorr_rings;

// Whether the device has room for the tables of a frame, and 32-bit numbers for its offsets.
bool ki_autocorr_rings_fit(const kn_device_info *device, size_t max_offset);

// A mask of all frames, of ordinary memory; `bytes` NULL: there is none. Frames are black outside of it.
struct autocorr_mask {
    const uint8_t *bytes; // one a pixel; 0: left out
    size_t stride;
};

// For frames of this size and R, and with this mask or none: the same as before, or *rings (which may be
// NULL) is made anew, when all that was enqueued is done. Errors: ki_autocorr_device_radial_create's,
// ki_autocorr_masked_create's.
kn_status ki_autocorr_rings_prepare(kn_queue *queue, const struct autocorr_frames *frames,
                                    const struct autocorr_mask *mask, struct autocorr_rings **rings,
                                    kn_error *err);
// NULL is fine.
void ki_autocorr_rings_free(struct autocorr_rings *rings);

size_t ki_autocorr_rings_bytes(const struct autocorr_rings *rings, size_t count);

// The rings of all frames from their sums, into `to`. `tables` are those of all frames, if they exist
// already; if NULL, as with a mask, they are computed for some frames at a time. Returns when the kernels are
// enqueued.
kn_status ki_autocorr_rings_run(kn_queue *queue, struct autocorr_rings *rings,
                                const struct autocorr_frames *frames, kn_buffer *products,
                                const struct autocorr_tables *tables, kn_autocorr_normalization normalization,
                                kn_buffer *to, kn_error *err);

// Of `count` frames, R + 1 rings each. Waits for the queue.
kn_status ki_autocorr_rings_read(kn_queue *queue, const struct autocorr_rings *rings, kn_buffer *from,
                                 size_t count, struct autocorr_ring *host, kn_error *err);

#endif
