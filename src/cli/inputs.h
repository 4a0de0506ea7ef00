// SPDX-License-Identifier: Apache-2.0
// The files that a command reads: those named, and for a folder the ones in it, in order.
#ifndef KN_CLI_INPUTS_H
#define KN_CLI_INPUTS_H

#include <stddef.h>

#include "cli/framework/options.h"

struct inputs {
    char **paths;
    size_t count;
    size_t capacity;
};

// Appends the files of each item: itself, or, for a folder, its files whose names end in one of `endings`
// (NULL ends them), sorted by byte. KN_ERROR_INPUT for a folder that cannot be read or has no such file.
kn_status inputs_add(struct inputs *inputs, const struct string_list *items, const char *const *endings,
                     kn_error *err);
// The bytes of all files together; anything else, such as standard input, counts as 0.
double inputs_bytes(const struct inputs *inputs);
void inputs_free(struct inputs *inputs);

#endif
