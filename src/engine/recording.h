// SPDX-License-Identifier: Apache-2.0
// The launches that a queue records instead of running them.
#ifndef KN_ENGINE_RECORDING_H
#define KN_ENGINE_RECORDING_H

#include "engine.h"

struct engine_recorded {
    const kn_kernel *kernel;
    bool is_first; // the first with these arguments: later ones share its copy of them and its backend kernel
};

struct kn_recording {
    kn_context *context;
    kn_recording_way way;
    char why[256]; // why it consists of launches, if another way was requested
    struct be_launch *launches;
    struct engine_recorded *recorded; // one for each launch
    size_t count, launch_capacity, recorded_capacity;
    struct be_recording *native; // NULL: launches
};

// Appends a launch whose arguments have been checked; launch->kernel is ignored.
kn_status ki_engine_record(kn_recording *recording, const kn_kernel *kernel, const struct be_launch *launch,
                           kn_error *err);

#endif
