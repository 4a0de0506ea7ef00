// SPDX-License-Identifier: Apache-2.0
// What a shell wants to know to complete a command line of koine's: made from the commands' tables.
#ifndef KN_CLI_FRAMEWORK_COMPLETION_H
#define KN_CLI_FRAMEWORK_COMPLETION_H

#include <stdbool.h>
#include <stdio.h>

// The script for "bash", "zsh" or "fish"; false if there is none for that shell.
bool completion_print(const char *shell, FILE *out);

#endif
