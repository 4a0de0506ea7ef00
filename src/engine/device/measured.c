// SPDX-License-Identifier: Apache-2.0
#include "measured.h"

#include <string.h>

#include "base/array.h"

#define MEASURED(name, vendor, type, backend, units, algorithm, values)                                      \
    {name, vendor, KN_DEVICE_##type, backend, units, algorithm, values},
#define RATES(...)
const struct engine_measured ki_engine_measured_devices[] = {
#include "measured_devices.h"
};
#undef RATES
#undef MEASURED
const size_t ki_engine_measured_count = KI_COUNT(ki_engine_measured_devices);

// 1 for the same number of compute units, otherwise more.
static double distance(const struct engine_measured *device, const kn_device_info *info)
{
    double units = info->compute_units ? info->compute_units : 1, theirs = device->compute_units;

    return units > theirs ? units / theirs : theirs / units;
}

const struct engine_measured *ki_engine_measured_like(const struct engine_measured *devices, size_t count,
                                                      const kn_device_info *info, const char *algorithm)
{
    const struct engine_measured *nearest = NULL;

    for (size_t i = 0; i < count; i++) {
        const struct engine_measured *device = &devices[i];

        if (strcmp(device->algorithm, algorithm) != 0 || strcmp(device->backend, info->backend) != 0)
            continue;
        if (strcmp(device->name, info->name) == 0)
            return device;
        if (strcmp(device->vendor, info->vendor) == 0 && device->type == info->type &&
            (!nearest || distance(device, info) < distance(nearest, info)))
            nearest = device;
    }
    return nearest;
}
