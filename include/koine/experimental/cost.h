// SPDX-License-Identifier: Apache-2.0
// What work costs in time, by one model for the host and all devices: how much of each kind of thing is done,
// at the rates that koine tune measured of the device, or else of the measured device that is most like it.
// It is for choices between ways whose costs differ by a factor; it is no promise. Not promised itself
// (koine/experimental.h).
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

// What a computation does: the host and a device may have different algorithms for it.
typedef struct kn_work_done {
    double bytes;      // of memory that are read and written, limited by the memory's speed
    double operations; // limited by the arithmetic's
    double prepared;   // bytes of memory that one thread of the host reads and writes before
} kn_work_done;

typedef struct kn_work {
    size_t struct_size; // KN_INIT sets it
    kn_work_done host, device;
    double copied;       // bytes, to the device and back
    double launches;     // of kernels
    const char *program; // one that the kernels need, "algo/sort/sort_merge.cl", or how the names of several
                         // begin of which one is enough: if the cache has none for the device, it has no
                         // program of theirs. NULL: all are compiled
    unsigned programs;   // how many they need
} kn_work;

// Seconds. Of the host all are 0 but `compute`.
typedef struct kn_cost {
    double start;   // of the driver and a context
    double build;   // of programs that are not compiled yet
    double copy;    // to the device and back, with what the host prepares for it
    double compute; // of kernels and their launches, or of the host's code, on all of its threads but for
                    // what it prepares
} kn_cost;

// `device`: NULL for the host; one without a name stands for the best GPU before it is known. *cost is set if
// KN_OK is returned. Cost: without a program nothing; with one that may have to be compiled the cache is
// looked through (koine/experimental/cache.h). Errors: KN_ERROR_ARGUMENT.
KN_API kn_status kn_cost_estimate(const kn_work *work, const kn_device_info *device, kn_cost *cost,
                                  kn_error *err);

// A device's rates as koine tune measures and keeps them, which estimates for this very device then take: MB
// of its memory and millions of operations a second, MB copied a second, microseconds of the driver's start
// and a context (0: not known) and of a program that is compiled, nanoseconds of a launch.
KN_API const kn_tunables *kn_cost_get_tunables(void);

// Sizes at which one method of a device overtakes another, by their number: "crossover-sort-bitonic-32bit"
// and so on, each with one value. NULL behind the last.
KN_API const kn_tunables *kn_cost_get_crossover_tunables(size_t number);
// The value that the algorithm has of itself on the context's device. Errors: KN_ERROR_ARGUMENT, also for
// other tunables.
KN_API kn_status kn_cost_get_crossover_usual(const kn_context *context, const kn_tunables *tunables,
                                             unsigned *value, kn_error *err);

#ifdef __cplusplus
}
#endif

#endif
