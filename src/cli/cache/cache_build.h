// SPDX-License-Identifier: Apache-2.0
// `koine cache build [COMMAND...]`: the commands compute small examples on a device, so that the programs
// that they want are compiled and kept before somebody waits for them.
#ifndef KN_CLI_CACHE_BUILD_H
#define KN_CLI_CACHE_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/experimental/cache.h>

#include "cli/choose.h"

enum { CACHE_BUILD_COMMANDS = 10 };

// In the order of a row's examples.
struct cache_build {
    struct cache_built {
        const char *command;
        size_t calls;
        double seconds;
    } rows[CACHE_BUILD_COMMANDS];
    size_t count;
    struct place place; // where; closed by the caller
};

// The examples of the commands of these names, or of all where there are none, on the first place of
// `places`. Commands run side by side, each in a process of its own, since some drivers compile one program
// at a time. Errors: KN_ERROR_ARGUMENT for a name that no command with examples has; KN_ERROR_NO_DEVICE for
// the host; an example's own.
kn_status cache_build(const struct places *places, const char *const *names, size_t count,
                      const char *command, struct cache_build *build, kn_error *err);

#endif
