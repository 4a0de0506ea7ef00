// SPDX-License-Identifier: Apache-2.0
// The man pages, as roff: made from the commands' tables, the environment's and the exit statuses'.
#ifndef KN_CLI_FRAMEWORK_MAN_H
#define KN_CLI_FRAMEWORK_MAN_H

#include <stdbool.h>
#include <stdio.h>

// The page "koine" or "koine-COMMAND"; false if there is no such page.
bool man_print(const char *page, FILE *out);

#endif
