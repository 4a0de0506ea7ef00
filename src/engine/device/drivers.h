// SPDX-License-Identifier: Apache-2.0
// Drivers that end the process which opens them: each is tried once by a small program of its own
// (koine-probe), what came of it is kept in the cache on disk for as long as the driver's files are the same,
// and one that failed is not opened. No driver is tried, and all are opened directly, where koine-probe is
// not installed.
#ifndef KN_ENGINE_DEVICE_DRIVERS_H
#define KN_ENGINE_DEVICE_DRIVERS_H

#include "backend/backend.h"

enum { ENGINE_DRIVER_WHY = 256 };

struct engine_left_out {
    struct be_driver driver;
    char why[ENGINE_DRIVER_WHY]; // "it ends a program that opens it: signal 6 (Aborted)"
};

// Opens the drivers of a path that can be opened; *list, which the caller frees, are those that were left
// out. `cache_dir`: where verdicts are kept; NULL: nowhere.
kn_status ki_engine_drivers_open(const struct ki_backend *backend, const char *cache_dir,
                                 struct engine_left_out **list, size_t *count, kn_error *err);

#endif
