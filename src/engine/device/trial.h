// SPDX-License-Identifier: Apache-2.0
// Tries a form of a computation (a rung of cl/lib/subgroup.clh, a shape of a kernel) that some drivers
// compile wrongly on a small problem before its results are used. The verdict is kept in the context, and
// beside the programs in the cache on disk, by device, driver and the text of the kernels, so that each form
// is tried once on a device.
#ifndef KN_ENGINE_DEVICE_TRIAL_H
#define KN_ENGINE_DEVICE_TRIAL_H

#include "base/hash.h"
#include "engine/engine.h"

struct engine_trial {
    const char *what;    // "sub-groups 2", for the log; the verdict depends on this and on `kernels` alone
    const char *kernels; // the file whose text it depends on: "algo/rungs.cl"
    const void *form;    // passed to `run`
    // Runs it on a queue of its own, and says whether the result was right.
    kn_status (*run)(kn_queue *queue, const void *form, bool *right, kn_error *err);
};

// Whether the form can be used; not if it does not compile or gives wrong results, for which the log gives
// the reason, as a warning the first time, and at KN_LOG_INFO when the verdict is read from the disk. A
// failure that says nothing about the form (out of memory, a lost device) is returned, and nothing is kept.
kn_status ki_engine_trial(kn_context *context, const struct engine_trial *trial, bool *serves, kn_error *err);

#endif
