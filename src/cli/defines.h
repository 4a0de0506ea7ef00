// SPDX-License-Identifier: Apache-2.0
// -D and -I, the options of all commands that take kernel files.
#ifndef KN_CLI_DEFINES_H
#define KN_CLI_DEFINES_H

#include <koine/experimental/source.h>
#include <koine/program.h>

#include "cli/framework/options.h"

struct build_options {
    struct string_list defines; // NAME or NAME=VALUE
    struct string_list includes;
};

// `arguments`: the type of the command's arguments; `field`: the struct build_options in them.
#define BUILD_OPTION_ROWS(arguments, field)                                                                  \
    {"define", 'D', OPTION_FIELD(OPTION_STRINGS, arguments, field.defines), .metavar = "NAME[=VALUE]",       \
     .help = "define this macro, as VALUE or as 1; may be repeated"},                                        \
    {                                                                                                        \
        "include", 'I', OPTION_FIELD(OPTION_STRINGS, arguments, field.includes),                             \
            .metavar = "DIR", .help = "look for included files here too; may be repeated"                    \
    }

// The same in the library's form.
struct build_defines {
    kn_define *defines;
    char **copies; // what the names point to
    size_t count;
    const struct string_list *includes;
};

// KN_ERROR_ARGUMENT for an invalid macro name.
kn_status build_defines_read(const struct build_options *options, struct build_defines *defines,
                             kn_error *err);
void build_defines_free(struct build_defines *defines);

kn_program_options build_program_options(const struct build_defines *defines, int policy);

// The text of standard input if the file is called "-", which the caller frees; NULL for any other file. Its
// name in messages is then build_input_name.
kn_status build_input_read(const char *path, char **text, kn_error *err);
const char *build_input_name(const char *path);

// The same for a source that is read without a device.
kn_source_options build_source_options(const struct build_defines *defines);

#endif
