// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/array.h"
#include "base/error.h"

bool memory_parse(const char *text, size_t *bytes)
{
    static const char powers[] = "kMGT";
    uintmax_t number;
    const char *power;
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    number = strtoumax(text, &end, 10);
    power = *end ? strchr(powers, *end == 'K' ? 'k' : *end) : NULL;
    if (errno || number < 1 || (*end && !power))
        return false;
    if (power) {
        const bool binary = end[1] == 'i';
        const char *unit = end + 1 + binary;

        for (const char *step = powers; step <= power; step++)
            if (__builtin_mul_overflow(number, binary ? 1024 : 1000, &number))
                return false;
        if (*unit && strcmp(unit, "B") != 0)
            return false;
    }
    *bytes = (size_t)number;
    return number <= SIZE_MAX;
}

size_t memory_resident(void)
{
    FILE *file;
    uintmax_t all, pages = 0;

#ifdef __GLIBC__
    malloc_trim(0); // otherwise what ended threads left free counts as held
#endif
    file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%ju %ju", &all, &pages) != 2)
        pages = 0;
    fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

void memory_keep_nothing(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
#endif
}

// The number behind `key` in a file of the system; SIZE_MAX if it has none.
static size_t number_in(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    size_t number = SIZE_MAX;
    char line[256];

    while (file && number == SIZE_MAX && fgets(line, sizeof line, file)) {
        uintmax_t found;

        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%ju", &found) == 1)
            number = (size_t)found;
    }
    if (file)
        fclose(file);
    return number;
}

size_t memory_peak(void)
{
    const size_t kilobytes = number_in("/proc/self/status", "VmHWM:");

    return kilobytes == SIZE_MAX ? 0 : kilobytes * 1024;
}

static size_t less(size_t a, size_t b)
{
    return a < b ? a : b;
}

// The rest of a limit; SIZE_MAX if there is none.
static size_t rest(size_t limit, size_t used)
{
    return limit == SIZE_MAX || used == SIZE_MAX ? SIZE_MAX : limit - less(limit, used);
}

static size_t available(void)
{
    const size_t kilobytes = number_in("/proc/meminfo", "MemAvailable:");
    const size_t physical = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t system = kilobytes == SIZE_MAX ? physical : kilobytes * 1024;
    struct rlimit space;

    system = less(system, rest(number_in("/sys/fs/cgroup/memory.max", ""),
                               number_in("/sys/fs/cgroup/memory.current", "")));
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        system = less(system, rest((size_t)space.rlim_cur,
                                   number_in("/proc/self/statm", "") * (size_t)sysconf(_SC_PAGESIZE)));
    return system;
}

size_t memory_left(const struct common_arguments *common)
{
    return common->memory_limit ? rest(common->memory_limit, memory_resident()) : available() / 4 * 3;
}

size_t memory_for_data(const struct common_arguments *common)
{
    const size_t left = memory_left(common);

    return left - less(left, MEMORY_BESIDE);
}

// What the program holds differs a little from one run to the next: a suggested limit has one to two MB more.
kn_status memory_check(const struct common_arguments *common, size_t needs, const char *what, kn_error *err)
{
    const double mega = 1e6;
    const size_t held = memory_resident(), all = held + needs;
    char limit[48];

    if (!common->memory_limit || needs <= memory_left(common))
        return KN_OK;
    if (common->memory_limit < 100000) // the unit is missing, or the number is another argument
        snprintf(limit, sizeof limit, "%zu bytes", common->memory_limit);
    else
        snprintf(limit, sizeof limit, "%.1f MB", (double)common->memory_limit / mega);
    return ki_fail(err, KN_ERROR_MEMORY,
                   "--memory-limit of %s: %s needs %.1f MB besides the %.1f MB that the program itself "
                   "takes; --memory-limit %zuM is enough",
                   limit, what, (double)needs / mega, (double)held / mega, all / 1000000 + 2);
}
