// SPDX-License-Identifier: Apache-2.0
// The measured devices (measured_devices.h), and which of them is most similar to a device.
#ifndef KN_ENGINE_DEVICE_MEASURED_H
#define KN_ENGINE_DEVICE_MEASURED_H

#include <koine/device.h>
#include <stdbool.h>
#include <stddef.h>

// The best values of an algorithm's tunables on a device.
struct engine_measured {
    const char *name, *vendor;
    kn_device_type type;
    const char *backend;
    unsigned compute_units;
    const char *algorithm;
    const char *values; // "GROUP=512 KEYS=16"
};

extern const struct engine_measured ki_engine_measured_devices[];
extern const size_t ki_engine_measured_count;

// The values of the device with that name on that path; otherwise of the one of the same vendor, type and
// path with the nearest number of compute units, as a ratio. NULL: none of them was measured with this
// algorithm.
const struct engine_measured *ki_engine_measured_like(const struct engine_measured *devices, size_t count,
                                                      const kn_device_info *info, const char *algorithm);

#endif
