// SPDX-License-Identifier: Apache-2.0
// `koine cache build [COMMAND...]`: the commands compute small examples on a device, so that the programs
// that they need are compiled in advance.
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

// Runs the examples of the commands with these names, or of all commands if there are none, on the first
// place of `places`. Commands run at the same time, each in a separate process, because some drivers compile
// one program at a time. Errors: KN_ERROR_ARGUMENT for a name that is not a command with examples;
// KN_ERROR_NO_DEVICE for the host; an example's own.
kn_status cache_build(const struct places *places, const char *const *names, size_t count,
                      const char *command, struct cache_build *build, kn_error *err);

#endif
