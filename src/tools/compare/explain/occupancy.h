// SPDX-License-Identifier: Apache-2.0
// How many work-groups of a kernel a multiprocessor of NVIDIA's holds.
#ifndef KN_TOOLS_COMPARE_EXPLAIN_OCCUPANCY_H
#define KN_TOOLS_COMPARE_EXPLAIN_OCCUPANCY_H

#include <stdbool.h>
#include <stddef.h>

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
