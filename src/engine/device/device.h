// SPDX-License-Identifier: Apache-2.0
// All devices of all backends, ranked, and the device that a specification selects.
#ifndef KN_ENGINE_DEVICE_DEVICE_H
#define KN_ENGINE_DEVICE_DEVICE_H

#include "backend/backend.h"

struct engine_device {
    const struct ki_backend *backend;
    struct be_device device;
    bool left_out; // not a device, but a driver that is skipped, with the reason in why_not
};

struct engine_devices {
    struct engine_device *items; // best first; unusable ones last
    size_t count, capacity;
    char why[256]; // why paths have no devices: "CUDA: ...; OpenCL: ..."
};

// Finds the devices that `spec` may select (NULL: all). Paths that cannot match are not opened; "auto" and
// "gpu" stop at the first path with a usable GPU. Drivers that would end the process are skipped; the
// verdicts on them are kept in `cache_dir` (NULL: the default folder; "": nowhere).
kn_status ki_engine_devices_find(struct engine_devices *devices, const char *spec, const char *cache_dir,
                                 kn_error *err);
void ki_engine_devices_free(struct engine_devices *devices);

// Sorts them, marks entries that are the same device, and the default; a part of ki_engine_devices_find.
void ki_engine_devices_rank(struct engine_devices *devices);

// The device that `spec` selects (see kn_context_open).
kn_status ki_engine_devices_match(const struct engine_devices *devices, const char *spec,
                                  const struct engine_device **match, kn_error *err);

#endif
