// SPDX-License-Identifier: Apache-2.0
// The files a command shall read: those named, and for a folder the ones in it, in order.
#ifndef KN_CLI_INPUTS_H
#define KN_CLI_INPUTS_H

#include <stddef.h>

#include "cli/framework/options.h"

struct inputs {
    char **paths;
    size_t count;
    size_t capacity;
};

// Appends what each item stands for: itself, or (a folder) its files whose name ends in one of `endings`
// (NULL ends them), sorted by byte. KN_ERROR_INPUT for a folder that cannot be read or has no such file.
kn_status inputs_add(struct inputs *inputs, const struct string_list *items, const char *const *endings,
                     kn_error *err);
// Bytes of all that are files; what is not, such as standard input, counts as none.
double inputs_bytes(const struct inputs *inputs);
void inputs_free(struct inputs *inputs);

#endif
