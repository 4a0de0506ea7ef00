// SPDX-License-Identifier: Apache-2.0
// What a queue records instead of running it.
#ifndef KN_ENGINE_RECORDING_H
#define KN_ENGINE_RECORDING_H

#include "engine.h"

struct kn_recording {
    kn_context *context;
    kn_recording_way way;
    char why[256];              // launches where something better was wanted
    struct be_launch *launches; // each with its own kernel and its own copy of the arguments
    const kn_kernel **kernels;  // that they are of
    size_t count, launch_capacity, kernel_capacity;
    struct be_recording *native; // NULL: launches
};

// Appends a launch that was checked; its kernel is not looked at.
kn_status engine_record(kn_recording *recording, const kn_kernel *kernel, const struct be_launch *launch,
                        kn_error *err);

#endif
