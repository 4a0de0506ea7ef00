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

// The last line that fits counts.
static const struct {
    const char *platform; // its name
    const char *device;   // and how the device's does; "" for all
    const char *driver;   // and its driver's version; "" for all
    struct engine_quirks quirks;
} table[] = {
    // Mesa 22.3: LLVM aborts the process on vloadn, atomics, sincos and async copies; OpenCL C 1.1 only.
    {"Clover",
     "",
     "",
     {.why_not = "its compiler aborts the program on ordinary kernels; Mesa's rusticl replaces it "
                 "(RUSTICL_ENABLE=llvmpipe)"}},
    // Mesa 25.0, llvmpipe: functions of more than a few instructions stay functions, and a barrier in one
    // ends the
    // process at the kernel's first launch; only one that holds the barrier itself becomes a part of its
    // caller, not
    // one that calls such a function (nir_function_can_inline() in nir_functions.c, and emit_barrier() in
    // lp_bld_nir_soa.c, which has no coroutine there); a loop in one was seen to give wrong numbers. Its
    // double precision
    // (RUSTICL_FEATURES=fp64) has no fma: the product is rounded, and the sum again.
    {"rusticl", "llvmpipe", "", {.calls_wrong = true, .double_fma_wrong = true}},
    // Mesa 22.3, llvmpipe, and taken for those between: every work-item's loops stop silently after 65,535
    // iterations in
    // all. Where a group ends within a vector of 8 work-items, those behind its end run along and load 0: a
    // loop until
    // loaded numbers reach one that is not loaded never ends for them, and uses the iterations of all loops
    // up. Copies
    // structs in local memory wrong where they do not begin at multiples of 4 bytes; and what a function does
    // to a struct
    // that it was given by value is done to the caller's, where that gives it once more (robust_rank.cl).
    // Says that a
    // kernel takes 32 work-items where 1,024 work, and twice the local memory that a kernel has.
    {"rusticl", "llvmpipe", "22.", MESA_22},
    {"rusticl", "llvmpipe", "23.", MESA_22},
    {"rusticl", "llvmpipe", "24.", MESA_22},
    // NVIDIA 580: says that a kernel takes 256 work-items where 512 run; its compiler's messages give places
    // in the
    // text that it was handed; get_global_offset() and get_global_size() are 32 bits with a sign, made
    // longer, and
    // with the offset all that get_global_id() returns.
    {"NVIDIA CUDA", "", "", {.group_answer_wrong = true, .flat_name = "<kernel>", .range_limit = INT32_MAX}},
    // Intel's CPU runtime 2026.2 (its GPUs' platform is "Intel(R) OpenCL Graphics"): where work-items become
    // a vector's
    // components, get_global_id() is 32 bits with a sign, made longer. Its compiler crashes (signal 11, in
    // moving what does
    // not change out of loops) on sort_bitonic.cl where a work-item has 32 keys, of whatever width and group.
    {"Intel(R) OpenCL", "", "", {.id_limit = INT32_MAX, .bitonic_keys = 16}},
    // PoCL has a cache of its own ($POCL_CACHE_DIR). Asked for binaries, 3.1 takes twice to three times as
    // long until a command has its first result; without them later runs start 0.05 to 0.3 s later.
    // 3.1: a launch in a command buffer costs 0.75 us of the host's time, one by one 0.33 us (bench/launch).
    {"Portable Computing Language", "pthread-", "", {.slow_command_buffers = true, .keeps_programs = true}},
    // PoCL 5.0 (whose devices are called cpu-..., those of 3.1 pthread-...): says 0 for the local memory of a
    // kernel.
    {"Portable Computing Language", "cpu-", "", {.local_answer_missing = true, .keeps_programs = true}},
    // Oclgrind 21.10: miscompiles optimised code that narrows integers to odd widths (switch (x & 3)). Its
    // compiler's
    // messages give places in the text that it was handed.
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
