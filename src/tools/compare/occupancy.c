// SPDX-License-Identifier: Apache-2.0
#include "occupancy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

// ---- ptxas's report ----

// The number before `text` in the line; -1 if the line does not have it.
static long number_before(const char *line, size_t length, const char *text)
{
    const size_t text_length = strlen(text);

    for (size_t at = 1; at + text_length <= length; at++) {
        size_t digit = at;

        if (memcmp(line + at, text, text_length) != 0)
            continue;
        while (digit > 0 && isdigit((unsigned char)line[digit - 1]))
            digit--;
        if (digit < at)
            return strtol(line + digit, NULL, 10);
    }
    return -1;
}

// Whether the line has `text` and behind it the kernel's symbol.
static bool names_kernel(const char *line, size_t length, const char *text, const char *kernel)
{
    static const char prefix[] = "koine_";
    const size_t kernel_length = strlen(kernel);
    const char *name = strstr(line, text), *end = line + length;

    if (!name || name >= end)
        return false;
    name += strlen(text);
    if (strncmp(name, prefix, sizeof prefix - 1) == 0 && strncmp(kernel, prefix, sizeof prefix - 1) != 0)
        name += sizeof prefix - 1;
    return strncmp(name, kernel, kernel_length) == 0 && !isalnum((unsigned char)name[kernel_length]) &&
           name[kernel_length] != '_';
}

bool ptxas_read(const char *report, const char *kernel, struct ptxas_report *found)
{
    bool in_entry = false, in_function = false;

    *found = (struct ptxas_report){-1, -1, -1, -1};
    for (const char *line = report; *line;) {
        size_t length = strcspn(line, "\n");
        long stack = number_before(line, length, " bytes stack frame");
        long registers = number_before(line, length, " registers");

        if (strncmp(line, "ptxas", 5) == 0 && memchr(line, ':', length)) {
            if (number_before(line, length, " bytes gmem") < 0 && memchr(line, '\'', length))
                in_entry = names_kernel(line, length, "Compiling entry function '", kernel);
            if (strstr(line, "Function properties for ") &&
                strstr(line, "Function properties for ") < line + length)
                in_function = names_kernel(line, length, "Function properties for ", kernel);
        }
        if (stack >= 0 && in_function) {
            found->stack_bytes = stack;
            found->spill_bytes = number_before(line, length, " bytes spill stores");
        }
        if (registers >= 0 && in_entry) {
            long shared = number_before(line, length, " bytes smem");

            found->registers = registers;
            found->shared_bytes = shared < 0 ? 0 : shared;
        }
        line += length + (line[length] == '\n');
    }
    return found->registers >= 0;
}

// ---- occupancy ----

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
    // A multiprocessor has four register files, and a warp's registers lie in one of them.
    take_limit(found, REGISTERS / 4 / warp_registers * 4 / warps, "registers");
    if (shared)
        take_limit(found, (unit->shared_kib << 10) / shared, "local memory");
    found->warps = found->groups * (unsigned)warps;
    return true;
}
