// SPDX-License-Identifier: Apache-2.0
// What a queue records instead of running it.
#ifndef KN_ENGINE_RECORDING_H
#define KN_ENGINE_RECORDING_H

#include "engine.h"

struct engine_recorded {
    const kn_kernel *kernel;
    bool
        is_first; // of those with these arguments: they share its copy of them, and its kernel of the backend
};

struct kn_recording {
    kn_context *context;
    kn_recording_way way;
    char why[256]; // launches where something better was wanted
    struct be_launch *launches;
    struct engine_recorded *recorded; // beside each
    size_t count, launch_capacity, recorded_capacity;
    struct be_recording *native; // NULL: launches
};

// Appends a launch that was checked; its kernel is not looked at.
kn_status ki_engine_record(kn_recording *recording, const kn_kernel *kernel, const struct be_launch *launch,
                           kn_error *err);

#endif
