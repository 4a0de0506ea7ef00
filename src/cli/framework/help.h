// SPDX-License-Identifier: Apache-2.0
// What is generated from the commands' tables: the help texts (help.c), the man pages (man.c), and shell
// completion (completion.c).
#ifndef KN_CLI_FRAMEWORK_HELP_H
#define KN_CLI_FRAMEWORK_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text/text.h"
#include "options.h"

// "koine stats --help": usage, one line an option, two examples.
void help_command(const struct command *command, FILE *out);

// "koine --help": the commands, one line each. `commands` ends in NULL.
void help_overview(const struct command *const *commands, FILE *out);

// An option's spelling with its value, "-d, --device SPEC", for the help and the man page.
void help_spelling(const struct option_row *row, struct ki_text *text);

// What an option does, with its default: "overwrite existing files", "numeric policy: ... (default:
// default)".
void help_meaning(const struct option_row *row, struct ki_text *text);

// The man page "koine" or "koine-COMMAND" as roff, with the environment's variables and the exit statuses;
// false if there is no such page.
bool man_print(const char *page, FILE *out);

// The script with which the shell "bash", "zsh" or "fish" completes koine's command lines; false if there is
// none for that shell.
bool completion_print(const char *shell, FILE *out);

#endif
