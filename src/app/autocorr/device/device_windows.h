// SPDX-License-Identifier: Apache-2.0
// The sums over all overlaps, on the device: exact, for whole rectangles. Their order in memory is that of
// cl/app/autocorr/autocorr.clh, whose kernels read them.
#ifndef KN_APP_AUTOCORR_DEVICE_DEVICE_WINDOWS_H
#define KN_APP_AUTOCORR_DEVICE_DEVICE_WINDOWS_H

#include "device.h"

// Tables of `count` frames with offsets up to R, and the mean level of each image, rounded down: two numbers
// a frame.
struct autocorr_tables {
    kn_buffer *sums;   // 64 (R + 1)^2 bytes a frame
    kn_buffer *levels; // 8 bytes a frame
    size_t max_offset, count;
    // With a mask, the sums have another order (device_masked.h), and there are no levels.
    kn_buffer *pairs; // of each offset; NULL: no mask
    bool is_cross;    // second images have separate sums
};

// Checks a set of frames: the errors of ki_autocorr_check for its sizes, type and R, KN_ERROR_ARGUMENT for
// buffers that are too small, KN_ERROR_LIMIT for one held in parts.
kn_status ki_autocorr_check_images(const struct autocorr_frames *frames, kn_error *err);

// Of a frame: 64 (R + 1)^2.
size_t ki_autocorr_tables_bytes(size_t max_offset);
// KN_ERROR_MEMORY; KN_ERROR_LIMIT if the tables exceed one allocation of the device: use fewer frames.
kn_status ki_autocorr_tables_create(kn_context *context, size_t max_offset, size_t count,
                                    struct autocorr_tables *tables, kn_error *err);
// All NULL is fine.
void ki_autocorr_tables_free(struct autocorr_tables *tables);

// Fills the tables of frames[first] to frames[first + count - 1], at most as many as the tables have; R is
// theirs too. Returns when the kernels are enqueued: three of them, four with a second image. Reads each
// pixel once, and those of the top and bottom R rows some ten times.
kn_status ki_autocorr_windows_device(kn_queue *queue, const struct autocorr_frames *frames, size_t first,
                                     size_t count, const struct autocorr_tables *tables, kn_error *err);

// The tables of one frame in the host's order, `windows` of autocorr_offsets(R) elements. Waits.
kn_status ki_autocorr_tables_read(kn_queue *queue, const struct autocorr_tables *tables, size_t width,
                                  size_t height, size_t frame, struct autocorr_window *windows,
                                  kn_error *err);

#endif
