// SPDX-License-Identifier: Apache-2.0
// What drivers' compilers are known to abort the whole process on. A process that ended so, with these words,
// is no failure of Koine's; with other words, or on another driver, it is.
#ifndef KN_TESTS_KNOWN_ABORTS_H
#define KN_TESTS_KNOWN_ABORTS_H

#include <string.h>

#include <koine/device.h>

struct known_abort {
    const char *platform, *driver; // how its name and its version begin
    const char *subject;           // of tests/conformance, or "fuzz"; NULL ends the table
    const char *words;             // that it leaves on standard error
    const char *why;
};

// The subject's line for the device; with a log, only if its words are in there. NULL: there is none.
static inline const struct known_abort *known_abort(const kn_device_info *device, const char *subject,
                                                    const char *log)
{
#define POCL_5 "Portable Computing Language", "5."
#define POCL_6 "Portable Computing Language", "6."
#define NO_WAIT                                                                                              \
    "_cl_wait_group_events",                                                                                 \
        "PoCL 5.0 and 6.0 abort: their library of functions lacks wait_group_events (6.12.10)"
#define PHI_NODES                                                                                            \
    "Cannot add context restore for a PHI node at the region entry!",                                        \
        "PoCL 5.0 and 6.0 abort: an assertion on PHI nodes at a region's entry (WorkitemLoops.cc) fails"
    static const struct known_abort table[] = {
        {POCL_5, "copies", NO_WAIT},
        {POCL_6, "copies", NO_WAIT},
        {POCL_5, "local", NO_WAIT},
        {POCL_6, "local", NO_WAIT},
        {POCL_5, "synchronisation", PHI_NODES},
        {POCL_6, "synchronisation", PHI_NODES},
        {POCL_5, "fuzz", "isGVarUsedByFunction(&Var, F) == true",
         "PoCL 5.0 aborts: its assertion on the use of local variables (isAutomaticLocal) fails"},
        {0},
    };
#undef POCL_5
#undef POCL_6
#undef NO_WAIT
#undef PHI_NODES

    for (const struct known_abort *known = table; known->subject; known++)
        if (strncmp(device->platform, known->platform, strlen(known->platform)) == 0 &&
            strncmp(device->driver, known->driver, strlen(known->driver)) == 0 &&
            strcmp(subject, known->subject) == 0 && (!log || strstr(log, known->words)))
            return known;
    return NULL;
}

#endif
