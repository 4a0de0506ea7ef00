// SPDX-License-Identifier: Apache-2.0
// All devices of all backends, ranked, and the one that a word means.
#ifndef KN_ENGINE_DEVICE_DEVICE_H
#define KN_ENGINE_DEVICE_DEVICE_H

#include "backend/backend.h"

struct engine_device {
    const struct ki_backend *backend;
    struct be_device device;
    bool left_out; // no device: a driver that is not opened, with the reason in why_not
};

struct engine_devices {
    struct engine_device *items; // best first; unusable ones last
    size_t count, capacity;
    char why[256]; // for each path that has none, why: "CUDA: ...; OpenCL: ..."
};

// Those that `spec` may mean (NULL: all): a path that cannot have it is not opened, "auto" and "gpu" end with
// the first path that has a usable GPU. Drivers that would end the process are left out; what is known of
// them is kept in `cache_dir` (NULL: the default folder; "": nowhere).
kn_status ki_engine_devices_find(struct engine_devices *devices, const char *spec, const char *cache_dir,
                                 kn_error *err);
void ki_engine_devices_free(struct engine_devices *devices);

// Sorts them, names the entries that are one device, and marks the default; part of ki_engine_devices_find.
void ki_engine_devices_rank(struct engine_devices *devices);

// The device that `spec` means (see kn_context_open).
kn_status ki_engine_devices_match(const struct engine_devices *devices, const char *spec,
                                  const struct engine_device **match, kn_error *err);

#endif
