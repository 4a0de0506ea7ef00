// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's assembler reports of a kernel, and how many of its work-groups a multiprocessor holds.
#ifndef KN_TOOLS_COMPARE_OCCUPANCY_H
#define KN_TOOLS_COMPARE_OCCUPANCY_H

#include <stdbool.h>
#include <stddef.h>

// Of the kernel, from ptxas's report ("ptxas info    : Used 14 registers, ..."), as NVRTC and NVIDIA's OpenCL
// have it in their build logs. -1: not stated.
struct ptxas_report {
    long registers;
    long stack_bytes, spill_bytes; // a work-item's; the stack holds the spills too
    long shared_bytes;             // static, of a work-group
};

// `kernel`, or `koine_kernel`. False if the report says nothing of it.
bool ptxas_read(const char *report, const char *kernel, struct ptxas_report *found);

struct occupancy {
    unsigned groups;        // that a multiprocessor holds at once; 0: one is too large
    unsigned warps, most;   // in them, and that it has room for
    const char *limited_by; // "registers", "local memory", "work-items", "work-groups"
};

// By the rules of the CUDA programming guide ("Technical specifications per compute capability"): warps of
// 32, registers given out by 256 a warp, 1 KiB of shared memory a group taken by the system from sm_80 on.
// `arch` is 90 for sm_90; false for one that is not in the table. `shared_bytes`: static and dynamic.
bool occupancy_of(int arch, size_t registers, size_t shared_bytes, size_t group_items,
                  struct occupancy *found);

#endif
