// SPDX-License-Identifier: Apache-2.0
// A cost model: how long a computation takes, by one model for the host and all devices. It multiplies the
// amount of each kind of work by the rates that koine tune measured on the device, or else by those of the
// most similar device that was measured. It is meant for choices between methods whose costs differ by a
// factor, not as a prediction. Unstable (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_COST_H
#define KOINE_EXPERIMENTAL_COST_H

#include <koine/context.h>
#include <koine/device.h>
#include <koine/error.h>
#include <koine/experimental/tuning.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// The work of a computation; the host and a device may have different algorithms for it.
typedef struct kn_work_done {
    double bytes;      // read from and written to memory, limited by its bandwidth
    double operations; // limited by the speed of arithmetic
    double prepared;   // bytes of memory that one thread of the host reads and writes beforehand
} kn_work_done;

typedef struct kn_work {
    size_t struct_size; // set by KN_INIT
    kn_work_done host, device;
    double copied;       // bytes, to the device and back
    double launches;     // of kernels
    const char *program; // a program that the kernels need, "algo/sort/sort_merge.cl", or the beginning of
                         // the names of several, one of which is enough: if the cache has none for the
                         // device, all are to be compiled. NULL: all are compiled already
    unsigned programs;   // how many they need
} kn_work;

// Seconds. For the host all are 0 except `compute`.
typedef struct kn_cost {
    double start;   // starting the driver and a context
    double build;   // compiling programs that are not compiled yet
    double copy;    // copies to the device and back, with what the host prepares for them
    double compute; // kernels and their launches, or the host's code, on all of its threads except for what
                    // it prepares
} kn_cost;

// `device`: NULL for the host; a device without a name stands for the best GPU before it is known. *cost is
// set if KN_OK is returned. Cost: none without a program; if one may have to be compiled, the cache is
// searched (koine/experimental/cache.h). Errors: KN_ERROR_ARGUMENT.
KN_API kn_status kn_cost_estimate(const kn_work *work, const kn_device_info *device, kn_cost *cost,
                                  kn_error *err);

// A device's rates, as koine tune measures and keeps them, and as estimates for exactly this device then use
// them: MB of its memory per second, millions of operations per second, MB copied per second, microseconds to
// start the driver and a context (0: unknown), microseconds to compile a program, nanoseconds per launch.
KN_API const kn_tunables *kn_cost_get_tunables(void);

// Sizes at which one method becomes faster than another on a device, by their number:
// "crossover-sort-bitonic-32bit" and so on, each with one value. NULL past the end.
KN_API const kn_tunables *kn_cost_get_crossover_tunables(size_t number);
// The algorithm's default value on the context's device. Errors: KN_ERROR_ARGUMENT, also for other tunables.
KN_API kn_status kn_cost_get_crossover_usual(const kn_context *context, const kn_tunables *tunables,
                                             unsigned *value, kn_error *err);

#ifdef __cplusplus
}
#endif

#endif
