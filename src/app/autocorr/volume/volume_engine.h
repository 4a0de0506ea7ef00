// SPDX-License-Identifier: Apache-2.0
// Sums of volumes on the queue's device or on the host, with what is kept from one to the next.
#ifndef KN_APP_AUTOCORR_VOLUME_VOLUME_ENGINE_H
#define KN_APP_AUTOCORR_VOLUME_VOLUME_ENGINE_H

#include "volume_device.h"

// All zero but for the queue, which is borrowed, at first.
struct autocorr_volume_engine {
    kn_queue *queue; // NULL: the host
    struct autocorr_volume_plan plan;
    struct autocorr_volume_device *device; // of the plan; NULL: there is none yet
    kn_buffer *voxels[2];                  // those that were copied there
};

void ki_autocorr_volume_engine_end(struct autocorr_volume_engine *engine);

// Makes the plan, which the two below go by, and on a device what it needs. Errors:
// ki_autocorr_volume_plan's, ki_autocorr_volume_device_create's.
kn_status ki_autocorr_volume_begin(struct autocorr_volume_engine *engine,
                                   const struct autocorr_volume *volume, bool with_second, kn_error *err);

// The sums of volumes in memory, which are copied to a device; KN_ERROR_MEMORY and the device's.
kn_status ki_autocorr_volume_sums(struct autocorr_volume_engine *engine, const struct autocorr_voxels *first,
                                  const struct autocorr_voxels *second, struct ki_kept *kept,
                                  uint64_t *products, kn_error *err);

#endif
