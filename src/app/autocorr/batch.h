// SPDX-License-Identifier: Apache-2.0
// Tasks on their way to a device and back: what is packed, copied and kept between batches.
#ifndef KN_APP_AUTOCORR_BATCH_H
#define KN_APP_AUTOCORR_BATCH_H

#include "methods.h"

// What computes the sums of frames that are on the device.
typedef kn_status autocorr_on_device(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                                     kn_buffer *products, kn_error *err);

// The transforms of the last frames, if they were of the same size and kind; else new ones. KN_ERROR_MEMORY
// and the others of autocorr_fft_create.
struct autocorr_fft;
kn_status autocorr_batch_fft(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                             struct autocorr_fft **fft, kn_error *err);

// The greatest root of sum (I - m)^2 sum (I' - m')^2 of the frames that were packed last, with their means m
// and m' rounded down.
double autocorr_batch_energy(const struct autocorr_engine *engine);

// Packs the tasks' pixels, black where a mask leaves them out, copies them to the device, computes, and
// copies the sums back; adds to the engine's seconds. Buffers grow, and stay until autocorr_batch_free.
// Errors: autocorr_check's; KN_ERROR_MEMORY; those of `compute`.
kn_status autocorr_batch(struct autocorr_engine *engine, const struct autocorr_task *tasks, size_t count,
                         autocorr_on_device *compute, uint64_t *products, kn_error *err);
void autocorr_batch_free(struct autocorr_kept *kept);

#endif
