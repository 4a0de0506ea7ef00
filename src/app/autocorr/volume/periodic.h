// SPDX-License-Identifier: Apache-2.0
// Periodic images: an image as a volume of one row.
#ifndef KN_APP_AUTOCORR_VOLUME_PERIODIC_H
#define KN_APP_AUTOCORR_VOLUME_PERIODIC_H

#include "app/autocorr/device/device.h"
#include "volume_engine.h"

// The sums of `count` tasks, or of frames that are on the engine's device. KN_ERROR_UNSUPPORTED with a mask;
// ki_autocorr_check's; those of volume_engine.h.
kn_status ki_autocorr_periodic_tasks(struct autocorr_volume_engine *engine, const struct autocorr_task *tasks,
                                     size_t count, uint64_t *products, kn_error *err);
kn_status ki_autocorr_periodic_frames(struct autocorr_volume_engine *engine,
                                      const struct autocorr_frames *frames, uint64_t *products,
                                      kn_error *err);

#endif
