// SPDX-License-Identifier: Apache-2.0
// The input files that a command line names: its operands, and the values of options, except of those that
// name what the command writes (option_row.writes).
#ifndef KN_CLI_NAMED_FILES_H
#define KN_CLI_NAMED_FILES_H

#include <sys/stat.h>

#include "cli/framework/options.h"

typedef void named_file_visit(void *data, const char *path, const struct stat *facts);

// Calls `visit` for the file of that name, if there is a regular one, and for the files of a .cfl/.hdr pair
// that is named without an ending.
void named_file(const char *name, named_file_visit *visit, void *data);

// The same for each name in the arguments of a command. A value that is no name, but equals one, counts too.
void named_files(const struct command *command, const void *arguments, named_file_visit *visit, void *data);

#endif
