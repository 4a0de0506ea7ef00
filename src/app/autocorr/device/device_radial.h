// SPDX-License-Identifier: Apache-2.0
// From sums on the device to azimuthal averages there: ki_autocorr_normalize and ki_autocorr_radial (with
// AUTOCORR_LINEAR), in one kernel for a batch of frames. Differences are formed in integers of 128 bits, as
// on the host; the rest is in double precision if the device has it (values agree with the host's to a
// relative 1e-15 or so, an average to 1e-13), otherwise in single precision (1e-6). The same bits on each
// run.
#ifndef KN_APP_AUTOCORR_DEVICE_DEVICE_RADIAL_H
#define KN_APP_AUTOCORR_DEVICE_DEVICE_RADIAL_H

#include "device_windows.h"
#include "app/autocorr/normalize.h"
#include "app/autocorr/radial.h"

// The offsets of each ring, on the device: about 8 pi R^2 bytes.
struct autocorr_device_radial;

enum { AUTOCORR_DEVICE_RADIAL_MAX = 30000 }; // R: offsets have 32-bit numbers

// For frames of one size. Errors: ki_autocorr_check's, KN_ERROR_LIMIT for an R above that, KN_ERROR_MEMORY.
kn_status ki_autocorr_device_radial_create(kn_queue *queue, size_t width, size_t height, size_t max_offset,
                                           struct autocorr_device_radial **radial, kn_error *err);
// NULL is fine.
void ki_autocorr_device_radial_free(struct autocorr_device_radial *radial);

// Bytes of the rings of `count` frames on the device.
size_t ki_autocorr_device_radial_bytes(const struct autocorr_device_radial *radial, size_t count);

// The rings of frames `first` to first + count - 1 of `products`, whose tables are the first `count` ones of
// `tables`. Returns when the kernel is enqueued: one launch, which reads each sum twice. Errors:
// KN_ERROR_ARGUMENT for buffers that are too small or another R.
kn_status ki_autocorr_radial_device(kn_queue *queue, const struct autocorr_device_radial *radial,
                                    kn_buffer *products, size_t first, size_t count,
                                    const struct autocorr_tables *tables,
                                    kn_autocorr_normalization normalization, kn_buffer *rings, kn_error *err);

// The rings of `count` frames from `first` on, in the host's form: R + 1 rings a frame. Waits.
kn_status ki_autocorr_radial_read(kn_queue *queue, const struct autocorr_device_radial *radial,
                                  kn_buffer *rings, size_t first, size_t count, struct autocorr_ring *host,
                                  kn_error *err);

#endif
