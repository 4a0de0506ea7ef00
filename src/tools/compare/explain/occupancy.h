// SPDX-License-Identifier: Apache-2.0
// How many work-groups of a kernel fit on a multiprocessor of an NVIDIA GPU.
#ifndef KN_TOOLS_COMPARE_EXPLAIN_OCCUPANCY_H
#define KN_TOOLS_COMPARE_EXPLAIN_OCCUPANCY_H

#include <stdbool.h>
#include <stddef.h>

struct occupancy {
    unsigned groups;        // resident on a multiprocessor at once; 0: a single one is too large
    unsigned warps, most;   // in those groups, and the greatest number on a multiprocessor
    const char *limited_by; // "registers", "local memory", "work-items", "work-groups"
};

// Follows the CUDA programming guide ("Technical specifications per compute capability"): warps of 32,
// registers allocated 256 at a time for each warp, 1 KiB of shared memory per group reserved by the system
// from sm_80 on. `arch` is 90 for sm_90; false if the table does not have it. `shared_bytes`: static and
// dynamic.
bool occupancy_of(int arch, size_t registers, size_t shared_bytes, size_t group_items,
                  struct occupancy *found);

#endif
