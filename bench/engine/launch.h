// SPDX-License-Identifier: Apache-2.0
// What bench/launch needs of a native API: its own loop over a kernel of bench/kernels/launch.cl, with the
// same arguments as Koine, in Koine's queue.
#ifndef KN_BENCH_LAUNCH_H
#define KN_BENCH_LAUNCH_H

#include <stdbool.h>

#include "bench/bench.h"

struct launch_case {
    kn_context *context;
    kn_queue *queue;
    kn_kernel *kernel; // Koine's
    const char *name;
    const char *folder; // of launch.cl
    kn_range range;
    const kn_arg *args;
    size_t arg_count;
};

struct launch_loop;

struct launch_native {
    const char *call; // what the loop calls
    const char
        *set_call; // and what it calls before each, to set the arguments; NULL: they come with the launch
    struct launch_loop *(*open)(const struct launch_case *of);
    // `count` launches, without waiting for them. `set`: with the arguments set anew before each.
    void (*run)(struct launch_loop *loop, int count, bool set);
    void (*close)(struct launch_loop *loop);
};

extern const struct launch_native launch_cuda, launch_opencl;

#endif
