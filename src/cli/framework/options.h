// SPDX-License-Identifier: Apache-2.0
// A command is a table: its options, its operands, two examples. The parser (options.c), the help text
// (help.c) and the man page (man.c) are generated from that one table, so they cannot disagree.
#ifndef KN_CLI_FRAMEWORK_OPTIONS_H
#define KN_CLI_FRAMEWORK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

// The kind of an option, and the field in the command's arguments that receives its value.
enum option_type {
    OPTION_FLAG,    // bool
    OPTION_STRING,  // const char *
    OPTION_PATH,    // const char *, never empty
    OPTION_STRINGS, // struct string_list: the option may be given several times
    OPTION_COUNT,   // size_t, from 1
    OPTION_CHOICE,  // int: the index into `choices`
    OPTION_BYTES    // size_t, from 1; k, M, GiB and the like may follow (memory.h)
};

struct command;

struct string_list {
    const char **items;
    size_t count;
    size_t capacity;
};

// The same types, for OPTION_OFFSET.
#define OPTION_FLAG_TYPE    bool
#define OPTION_STRING_TYPE  const char *
#define OPTION_PATH_TYPE    const char *
#define OPTION_STRINGS_TYPE struct string_list
#define OPTION_COUNT_TYPE   size_t
#define OPTION_CHOICE_TYPE  int
#define OPTION_BYTES_TYPE   size_t

struct option_row {
    const char *name;      // long, with hyphens (the parser takes underscores too); NULL ends a table
    char letter;           // short, 0 if there is none
    enum option_type type; // this and the offset are written by OPTION_FIELD
    size_t offset;         // of the field in the command's arguments
    const char *metavar;   // how the help shows the value; without one the choices
    const char *const
        *choices; // OPTION_CHOICE: all values; otherwise some values that shells complete; ends in NULL
    const char *fallback; // the default value; NULL: false, NULL, empty or 0
    const char *help;     // one line
    bool writes;          // OPTION_PATH: names a file or folder that the command writes
};

// The kind of an option, and the field that it sets in the command's arguments (of the given type):
//     {"top", OPTION_FIELD(OPTION_COUNT, struct sort_arguments, top), .metavar = "K", .help = "..."},
// A field of another type than the option's does not compile.
#define OPTION_FIELD(kind, arguments, field) .type = (kind), .offset = OPTION_OFFSET(kind, arguments, field)
#define OPTION_OFFSET(kind, arguments, field)                                                                \
    (offsetof(arguments, field) +                                                                            \
     0 * sizeof(struct {                                                                                     \
         _Static_assert(__builtin_types_compatible_p(__typeof__(((arguments *)0)->field), kind##_TYPE),      \
                        "the field " #field " is not of the type that " #kind " fills");                     \
         char unused;                                                                                        \
     }))

// The beginning of every command's arguments. Fields whose option the command lacks stay zero.
struct common_arguments {
    struct string_list devices;
    int precision; // enum precision_word
    int policy;    // kn_policy
    const char *json;
    const char *output;
    const char *report;  // --report
    size_t memory_limit; // bytes of the host's memory; 0: not given
    bool force;
    bool resume;
    bool dry_run;
    bool quiet;
    bool help;
    struct string_list operands;
    int word_count; // the words of the command, for its page
    char **words;
    const char *command; // "koine stats", for messages
    const struct command *definition;
    struct ranks *ranks; // cli/ranks/ranks.h; NULL: this process is alone
    bool check_failed;   // set by a command whose answer failed its check
};

enum precision_word { PRECISION_FLOAT, PRECISION_DOUBLE };
extern const char *const precision_names[];
extern const char *const policy_names[]; // in the order of kn_policy

// Which of the common options a command has (--quiet and --help it always has).
enum common_option {
    COMMON_DEVICE = 1 << 0,
    COMMON_PRECISION = 1 << 1,
    COMMON_POLICY = 1 << 2,
    COMMON_JSON = 1 << 3,
    COMMON_OUTPUT = 1 << 4,
    COMMON_FORCE = 1 << 5,
    COMMON_MEMORY = 1 << 6, // and the command keeps to it, or refuses (memory.h)
    COMMON_RESUME = 1 << 7, // resume.h
    COMMON_RANKS = 1 << 8,  // no option: several processes of a launcher are one job (cli/ranks/launcher.h)
    COMMON_REPORT = 1 << 9,
    COMMON_SHARES_RANKS = 1 << 10, // no option: and these share its work (cli/ranks/ranks.h)
    COMMON_DRY_RUN = 1 << 11       // cli/dry_run.h
};

struct command_example {
    const char *line;
    const char *meaning;
};

struct command {
    const char *name;        // "stats"
    const char *summary;     // what it does, in a line without a full stop
    const char *operands;    // as the usage line shows them; NULL: there are none
    const char *description; // for the man page; paragraphs are separated by an empty line
    unsigned common;         // enum common_option, or-ed
    const char *precision;   // the default of --precision
    const struct option_row *options;
    const char *(*operand_word)(
        size_t index); // names that operands may be, which shells complete; NULL: none
    struct command_example examples[2];
    size_t arguments_size; // of the command's arguments, whose first field is a struct common_arguments
    kn_status (*run)(void *arguments, kn_error *err);
};

// A row of the command's options, or of the common ones it has, with the default for this command.
enum { OPTION_ROWS_MAX = 48 };
size_t options_collect(const struct command *command, struct option_row rows[OPTION_ROWS_MAX]);

// Fills in the command's arguments (zeroed, `arguments_size` bytes) from argv[1] on. KN_ERROR_ARGUMENT with a
// line that says what is wrong and where to find help; the strings stay argv's.
kn_status options_parse(const struct command *command, int argc, char **argv, void *arguments, kn_error *err);

// Frees what options_parse allocated in the arguments.
void options_free(const struct command *command, void *arguments);

// "X[,Y[,Z]]", integers from 1: returns how many there are, 0 if the text has another form.
unsigned options_sizes(const char *text, size_t sizes[3]);

// Refuses operands to a command that takes at most `most`.
kn_status options_at_most(const struct common_arguments *common, size_t most, kn_error *err);

#endif
