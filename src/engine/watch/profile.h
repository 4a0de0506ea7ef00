// SPDX-License-Identifier: Apache-2.0
// A queue's record of its launches.
#ifndef KN_ENGINE_WATCH_PROFILE_H
#define KN_ENGINE_WATCH_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "backend/backend.h"

struct engine_record {
    char kernel[64];
    struct be_event *event;
};

struct engine_profile {
    bool on;
    struct engine_record *records;
    size_t count, capacity;
};

// Takes ownership of `event`.
kn_status ki_engine_profile_add(struct engine_profile *profile, const struct ki_backend *backend,
                                const char *kernel, struct be_event *event, kn_error *err);
void ki_engine_profile_clear(struct engine_profile *profile, const struct ki_backend *backend);

#endif
