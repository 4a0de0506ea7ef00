// SPDX-License-Identifier: Apache-2.0
// Protects the process from drivers that end it when they are opened: a separate program (koine-probe) opens
// each driver once, the verdict is kept in the cache on disk as long as the driver's files do not change, and
// drivers that failed are skipped. If koine-probe is not installed, all drivers are opened directly.
#ifndef KN_ENGINE_DEVICE_DRIVERS_H
#define KN_ENGINE_DEVICE_DRIVERS_H

#include "backend/backend.h"

enum { ENGINE_DRIVER_WHY = 256 };

struct engine_left_out {
    struct be_driver driver;
    char why[ENGINE_DRIVER_WHY]; // "it ends a program that opens it: signal 6 (Aborted)"
};

// Opens the drivers of a path that can be opened; *list, which the caller frees, has those that were skipped.
// `cache_dir`: where verdicts are kept; NULL: nowhere.
kn_status ki_engine_drivers_open(const struct ki_backend *backend, const char *cache_dir,
                                 struct engine_left_out **list, size_t *count, kn_error *err);

#endif
