// SPDX-License-Identifier: Apache-2.0
#include "quirks.h"

#include <koine/experimental/cache.h>

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/os/env.h"

#define MESA_22                                                                                              \
    {                                                                                                        \
        .loop_limit = 65535, .group_answer_wrong = true, .local_answer_doubled = true,                       \
        .odd_structs_wrong = true, .calls_wrong = true, .double_fma_wrong = true                             \
    }

// The last line that matches counts.
static const struct {
    const char *platform; // the platform's name
    const char *device;   // the beginning of the device's name; "" for all
    const char *driver;   // the beginning of the driver's version; "" for all
    struct engine_quirks quirks;
} table[] = {
    // Mesa 22.3: LLVM aborts the process on vloadn, atomics, sincos and async copies; OpenCL C 1.1 only.
    {"Clover",
     "",
     "",
     {.why_not = "its compiler aborts the program on ordinary kernels; Mesa's rusticl replaces it "
                 "(RUSTICL_ENABLE=llvmpipe)"}},
    // Mesa 25.0, llvmpipe: functions of more than a few instructions are not inlined, and a barrier in such a
    // function ends the process at the kernel's first launch; only a function that contains the barrier
    // itself is inlined, not one that calls it (nir_function_can_inline() in nir_functions.c, and
    // emit_barrier() in lp_bld_nir_soa.c, which has no coroutine there); a loop in such a function was seen
    // to give wrong numbers. Its double precision (RUSTICL_FEATURES=fp64) has no fma: the product is rounded,
    // and then the sum.
    {"rusticl", "llvmpipe", "", {.calls_wrong = true, .double_fma_wrong = true}},
    // Mesa 22.3, llvmpipe, and presumably the versions in between: the loops of a work-item stop silently
    // after 65,535 iterations in all. If a group ends within a vector of 8 work-items, those past its end run
    // along and load 0: a loop until loaded numbers reach one that is not loaded never ends for them, and
    // uses up the iterations of all loops. It copies structs in local memory wrongly unless they begin at
    // multiples of 4 bytes; and changes that a function makes to a struct passed by value reach the caller's
    // struct, if the caller passes it again (robust_rank.cl). It reports that a kernel takes 32 work-items
    // where 1,024 work, and twice the local memory that a kernel has.
    {"rusticl", "llvmpipe", "22.", MESA_22},
    {"rusticl", "llvmpipe", "23.", MESA_22},
    {"rusticl", "llvmpipe", "24.", MESA_22},
    // NVIDIA 580: reports that a kernel takes 256 work-items where 512 run; its compiler's messages give
    // places in the text that it was handed; get_global_offset() and get_global_size() are signed 32-bit
    // numbers, extended, and so is everything that get_global_id() returns with an offset.
    {"NVIDIA CUDA", "", "", {.group_answer_wrong = true, .flat_name = "<kernel>", .range_limit = INT32_MAX}},
    // Intel's CPU runtime 2026.2 (its GPUs' platform is "Intel(R) OpenCL Graphics"): where work-items become
    // the components of a vector, get_global_id() is a signed 32-bit number, extended. Its compiler crashes
    // (signal 11, in loop-invariant code motion) on sort_bitonic.cl if a work-item has 32 keys, for any width
    // and group.
    {"Intel(R) OpenCL", "", "", {.id_limit = INT32_MAX, .bitonic_keys = 16}},
    // PoCL has its own cache ($POCL_CACHE_DIR). If binaries are requested, 3.1 takes two to three times as
    // long until a command has its first result; without them, later runs start 0.05 to 0.3 s later. 3.1: a
    // launch in a command buffer costs 0.75 us of the host's time, a single launch 0.33 us (bench/launch).
    {"Portable Computing Language", "pthread-", "", {.slow_command_buffers = true, .keeps_programs = true}},
    // PoCL 5.0 (whose devices are called cpu-..., those of 3.1 pthread-...): reports 0 for the local memory
    // of a kernel.
    {"Portable Computing Language", "cpu-", "", {.local_answer_missing = true, .keeps_programs = true}},
    // Oclgrind 21.10: miscompiles optimised code that narrows integers to odd widths (switch (x & 3)). Its
    // compiler's messages give places in the text that it was handed.
    {"Oclgrind", "", "", {.build_options = "-cl-opt-disable", .flat_name = "input.cl", .no_binaries = true}},
};

bool ki_engine_keeps_programs(const struct engine_quirks *quirks)
{
    const char *wanted = ki_env_get(KI_ENV_KEEP_PROGRAMS);

    if (quirks->no_binaries)
        return false;
    return wanted && *wanted ? strcmp(wanted, "no") != 0 : !quirks->keeps_programs;
}

bool kn_cache_keeps(const kn_device_info *device)
{
    kn_device_info info;
    struct engine_quirks quirks;

    if (!device)
        return false;
    info = *device;
    quirks = ki_engine_quirks_of(&info);
    return ki_engine_keeps_programs(&quirks);
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

struct engine_quirks ki_engine_quirks_of(kn_device_info *info)
{
    struct engine_quirks quirks = {.build_options = ""};

    for (size_t i = 0; i < KI_COUNT(table); i++)
        if (strcmp(info->platform, table[i].platform) == 0 && begins_with(info->name, table[i].device) &&
            begins_with(info->driver, table[i].driver))
            quirks = table[i].quirks;
    if (!quirks.build_options)
        quirks.build_options = "";
    if (quirks.why_not && !info->why_not[0])
        snprintf(info->why_not, sizeof info->why_not, "%s", quirks.why_not);
    info->loop_limit = quirks.loop_limit;
    return quirks;
}
