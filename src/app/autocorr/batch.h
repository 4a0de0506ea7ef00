// SPDX-License-Identifier: Apache-2.0
// Tasks on their way to a device and back: what is packed, copied and kept between batches.
#ifndef KN_APP_AUTOCORR_BATCH_H
#define KN_APP_AUTOCORR_BATCH_H

#include "methods.h"

// What computes the sums of frames that are on the device.
typedef kn_status autocorr_on_device(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                                     kn_buffer *products, kn_error *err);

// Packs the tasks' pixels, black where a mask leaves them out, copies them to the device, computes, and
// copies the sums back; adds to the engine's seconds. Buffers grow, and stay until autocorr_batch_free.
// Errors: autocorr_check's; KN_ERROR_MEMORY; those of `compute`.
kn_status autocorr_batch(struct autocorr_engine *engine, const struct autocorr_task *tasks, size_t count,
                         autocorr_on_device *compute, uint64_t *products, kn_error *err);
void autocorr_batch_free(struct autocorr_kept *kept);

#endif
