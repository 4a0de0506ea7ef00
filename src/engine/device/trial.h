// SPDX-License-Identifier: Apache-2.0
// A form of a computation (a rung of cl/lib/subgroup.clh, a shape of a kernel) that not every driver compiles
// rightly is tried on a small problem before its results are used. The verdict is kept in the context, and
// beside the programs in the cache on disk, by device, driver and the kernels' text: a device tries a form
// once.
#ifndef KN_ENGINE_DEVICE_TRIAL_H
#define KN_ENGINE_DEVICE_TRIAL_H

#include "base/hash.h"
#include "engine/engine.h"

struct engine_trial {
    const char *what;    // "sub-groups 2", for the log; with `kernels` it is all that the verdict depends on
    const char *kernels; // the file whose text it depends on: "algo/rungs.cl"
    const void *form;    // the trial's own
    // Runs it on a queue that nobody else has, and says whether it did what it should.
    kn_status (*run)(kn_queue *queue, const void *form, bool *right, kn_error *err);
};

// Whether it serves. A form that does not compile or gives wrong results does not: the log has a warning that
// says why. It is a warning the first time, and told at KN_LOG_INFO when the verdict is read from the disk.
// A failure that says nothing of the form (no memory, a lost device) is returned, and nothing is kept.
kn_status ki_engine_trial(kn_context *context, const struct engine_trial *trial, bool *serves, kn_error *err);

#endif
