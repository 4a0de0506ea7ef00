// SPDX-License-Identifier: Apache-2.0
// The sums of a volume on a device with double precision.
#ifndef KN_APP_AUTOCORR_VOLUME_VOLUME_DEVICE_H
#define KN_APP_AUTOCORR_VOLUME_VOLUME_DEVICE_H

#include <koine/koine.h>

#include "volume_windows.h"

struct autocorr_volume_device;

// Kernels, transforms and tables of a plan, which is copied, for one thread at a time. Errors:
// KN_ERROR_UNSUPPORTED for a device without double precision; KN_ERROR_LIMIT; KN_ERROR_MEMORY.
kn_status ki_autocorr_volume_device_create(kn_queue *queue, const struct autocorr_volume_plan *plan,
                                           struct autocorr_volume_device **device, kn_error *err);
void ki_autocorr_volume_device_free(struct autocorr_volume_device *device); // NULL too

const struct autocorr_volume_plan *
ki_autocorr_volume_device_plan(const struct autocorr_volume_device *device);

// The sums of a volume whose voxels, without gaps, begin at voxel `from` of `first`, and those of the second
// one, if the plan has one, at the same place of `second`: to the host, and waits. Memory of the queue's
// scratch: 16 bytes a number of half a circle for each piece and image, and once more. The device's errors.
kn_status ki_autocorr_volume_device_sums(kn_queue *queue, struct autocorr_volume_device *device,
                                         const kn_buffer *first, const kn_buffer *second, uint64_t from,
                                         uint64_t *products, kn_error *err);

// The sums of such a volume's slices (volume_windows.h), to the host, and waits.
kn_status ki_autocorr_volume_device_slices(kn_queue *queue, struct autocorr_volume_device *device,
                                           const kn_buffer *voxels, uint64_t from,
                                           struct autocorr_cell *slices, kn_error *err);

#endif
