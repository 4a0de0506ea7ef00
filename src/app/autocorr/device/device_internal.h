// SPDX-License-Identifier: Apache-2.0
// What the methods of correlating on a device ask of one another.
#ifndef KN_APP_AUTOCORR_DEVICE_DEVICE_INTERNAL_H
#define KN_APP_AUTOCORR_DEVICE_DEVICE_INTERNAL_H

#include "device.h"

// The errors that device.h tells of, for whole-number sums in `products`; NULL for no check of them.
kn_status ki_autocorr_check_frames(const char *function, const kn_queue *queue,
                                   const struct autocorr_frames *frames, const kn_buffer *products,
                                   kn_error *err);

#endif
