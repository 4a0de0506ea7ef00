// SPDX-License-Identifier: Apache-2.0
#include "occupancy.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { WARP = 32, REGISTERS_UNIT = 256, SHARED_UNIT = 128, REGISTERS = 65536 };

static const struct multiprocessor {
    int arch;
    unsigned warps, groups;
    size_t shared_kib;
} multiprocessors[] = {
    {70, 64, 32, 96},   {75, 32, 16, 64},   {80, 64, 32, 164},  {86, 48, 16, 100},
    {87, 48, 16, 164},  {89, 48, 24, 100},  {90, 64, 32, 228},  {100, 64, 32, 228},
    {103, 64, 32, 228}, {120, 48, 24, 100}, {121, 48, 24, 100},
};

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static void take_limit(struct occupancy *found, size_t groups, const char *what)
{
    if (groups < found->groups) {
        found->groups = (unsigned)groups;
        found->limited_by = what;
    }
}

bool occupancy_of(int arch, size_t registers, size_t shared_bytes, size_t group_items,
                  struct occupancy *found)
{
    const struct multiprocessor *unit = NULL;
    size_t warps = (group_items + WARP - 1) / WARP, warp_registers, shared;

    memset(found, 0, sizeof *found);
    for (size_t i = 0; i < KI_COUNT(multiprocessors); i++)
        if (multiprocessors[i].arch == arch)
            unit = &multiprocessors[i];
    if (!unit || !warps)
        return false;
    warp_registers = round_up((registers ? registers : 1) * WARP, REGISTERS_UNIT);
    shared = round_up(shared_bytes + (arch >= 80 ? 1024 : 0), SHARED_UNIT);
    *found = (struct occupancy){unit->groups, 0, unit->warps, "work-groups"};
    take_limit(found, unit->warps / warps, "work-items");
    // A multiprocessor has four register files, and all registers of a warp are in one of them.
    take_limit(found, REGISTERS / 4 / warp_registers * 4 / warps, "registers");
    if (shared)
        take_limit(found, (unit->shared_kib << 10) / shared, "local memory");
    found->warps = found->groups * (unsigned)warps;
    return true;
}
