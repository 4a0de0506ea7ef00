// SPDX-License-Identifier: Apache-2.0
// Tests the option tables: what the parser accepts and refuses, and that every command's table is valid.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/commands.h"
#include "cli/framework/help.h"
#include "cli/framework/memory.h"
#include "cli/framework/nearest.h"
#include "support/assertions.h"

struct sample_arguments {
    struct common_arguments common;
    struct string_list names;
    size_t count;
    bool two_words;
    int colour;
    const char *text;
};

static const char *const colours[] = {"red", "green", NULL};

static const struct option_row sample_options[] = {
    {"name", 'n', OPTION_FIELD(OPTION_STRINGS, struct sample_arguments, names), .metavar = "NAME",
     .help = "a name"},
    {"count", OPTION_FIELD(OPTION_COUNT, struct sample_arguments, count), .metavar = "N", .fallback = "3",
     .help = "a count"},
    {"two-words", 't', OPTION_FIELD(OPTION_FLAG, struct sample_arguments, two_words), .help = "a flag"},
    {"colour", OPTION_FIELD(OPTION_CHOICE, struct sample_arguments, colour), .choices = colours,
     .fallback = "green", .help = "a colour"},
    {"text", OPTION_FIELD(OPTION_STRING, struct sample_arguments, text), .metavar = "TEXT", .help = "a text"},
    {.name = NULL},
};

static const struct command sample = {
    .name = "sample",
    .summary = "Is a sample",
    .operands = "FILE...",
    .common = COMMON_JSON | COMMON_PRECISION | COMMON_MEMORY,
    .precision = "float",
    .options = sample_options,
    .arguments_size = sizeof(struct sample_arguments),
};

enum { WORDS_MAX = 8 };

static struct sample_arguments arguments;
static kn_error err;

// Parses the words (ends in NULL) that follow "koine sample".
static kn_status parse(const char *const *words)
{
    char *argv[WORDS_MAX + 2] = {"sample"};
    int argc = 1;

    memset(&arguments, 0, sizeof arguments);
    memset(&err, 0, sizeof err);
    for (; *words; words++)
        argv[argc++] = (char *)(size_t)*words;
    return options_parse(&sample, argc, argv, &arguments, &err);
}

START_TEST(defaults_come_from_the_table)
{
    ck_assert_int_eq(parse((const char *const[]){NULL}), KN_OK);
    ck_assert_uint_eq(arguments.count, 3);
    ck_assert_int_eq(arguments.colour, 1);
    ck_assert_int_eq(arguments.common.precision, PRECISION_FLOAT);
    ck_assert(!arguments.two_words);
    ck_assert_ptr_null(arguments.text);
    ck_assert_uint_eq(arguments.common.operands.count, 0);
    options_free(&sample, &arguments);
}
END_TEST

START_TEST(values_reach_their_fields)
{
    ck_assert_int_eq(parse((const char *const[]){"a", "--name=x", "-n", "y", "--two_words", "--count=12",
                                                 "--", "-b", NULL}),
                     KN_OK);
    ck_assert_uint_eq(arguments.names.count, 2);
    ck_assert_str_eq(arguments.names.items[0], "x");
    ck_assert_str_eq(arguments.names.items[1], "y");
    ck_assert_uint_eq(arguments.count, 12);
    ck_assert(arguments.two_words);
    ck_assert_uint_eq(arguments.common.operands.count, 2);
    ck_assert_str_eq(arguments.common.operands.items[0], "a");
    ck_assert_str_eq(arguments.common.operands.items[1], "-b");
    options_free(&sample, &arguments);
}
END_TEST

// The words after "koine sample", and what the message must contain.
static const struct {
    const char *words[3];
    const char *message;
} refused[] = {
    {{"--cuont=1", NULL}, "unknown option --cuont, did you mean --count?"},
    {{"--two_wrods", NULL}, "did you mean --two-words?"},
    {{"--xyzzy", NULL}, "unknown option --xyzzy; try 'koine sample --help'"},
    {{"--device", "cpu", NULL}, "unknown option --device;"},
    {{"--co", "1", NULL}, "--co is ambiguous; it could be --count --colour"},
    {{"-x", NULL}, "unknown option -x"},
    {{"--count", NULL}, "--count needs a value: N"},
    {{"-n", NULL}, "--name needs a value: NAME"},
    {{"--count=0", NULL}, "'0' is not a whole number of at least 1"},
    {{"--count=-1", NULL}, "'-1' is not a whole number of at least 1"},
    {{"--count=1x", NULL}, "'1x' is not a whole number of at least 1"},
    {{"--count=18446744073709551616", NULL}, "is not a whole number of at least 1"},
    {{"--colour=blue", NULL}, "--colour: 'blue' is not one of red, green"},
    {{"--colour=gree", NULL}, "'gree' is not one of"},
    {{"--two-words=1", NULL}, "--two-words takes no value"},
    {{"--json=", NULL}, "--json: the value is empty, expected FILE"},
    {{"--name=", NULL}, "--name: the value is empty"},
    {{"--memory-limit=0", NULL}, "'0' is not a number of bytes of at least 1"},
    {{"--memory-limit=-5", NULL}, "'-5' is not a number of bytes"},
    {{"--memory-limit=", NULL}, "'' is not a number of bytes"},
    {{"--memory-limit=5X", NULL}, "'5X' is not a number of bytes"},
    {{"--memory-limit=5iB", NULL}, "'5iB' is not a number of bytes"},
    {{"--memory-limit=5MiBs", NULL}, "'5MiBs' is not a number of bytes"},
    {{"--memory-limit=18446744073710M", NULL}, "is not a number of bytes"},
};

START_TEST(wrong_usage_is_refused_in_one_line)
{
    ck_assert_int_eq(parse(refused[_i].words), KN_ERROR_ARGUMENT);
    ck_assert_msg(strstr(err.text, refused[_i].message) != NULL, "'%s' does not contain '%s'", err.text,
                  refused[_i].message);
    ck_assert_ptr_null(strchr(err.text, '\n'));
    ck_assert_ptr_nonnull(strstr(err.text, "try 'koine sample --help'"));
    options_free(&sample, &arguments);
}
END_TEST

static const struct {
    const char *text;
    size_t bytes;
} sizes[] = {
    {"1", 1},
    {"1500", 1500},
    {"1k", 1000},
    {"1K", 1000},
    {"1kB", 1000},
    {"64M", 64000000},
    {"2GB", 2000000000},
    {"1T", 1000000000000},
    {"1Ki", 1024},
    {"3KiB", 3072},
    {"3kiB", 3072},
    {"64MiB", (size_t)64 << 20},
    {"2Gi", (size_t)2 << 30},
    {"1TiB", (size_t)1 << 40},
};

START_TEST(bytes_have_suffixes)
{
    ck_assert_int_eq(parse((const char *const[]){"--memory-limit", sizes[_i].text, NULL}), KN_OK);
    ck_assert_uint_eq(arguments.common.memory_limit, sizes[_i].bytes);
    options_free(&sample, &arguments);
}
END_TEST

START_TEST(a_limit_is_the_whole_process)
{
    const size_t resident = memory_resident();
    struct common_arguments common = {.memory_limit = 0};

    ck_assert_uint_gt(resident, 100000);
    ck_assert_uint_ge(memory_peak(), resident / 2);
    ck_assert_uint_gt(memory_left(&common), 0);
    ck_assert_int_eq(memory_check(&common, SIZE_MAX / 2, "the test", &err), KN_OK);
    common.memory_limit = 2 * resident;
    ck_assert_uint_lt(memory_left(&common), 2 * resident);
    ck_assert_int_eq(memory_check(&common, resident / 2, "the test", &err), KN_OK);
    ck_assert_int_eq(memory_check(&common, 2 * resident, "the test", &err), KN_ERROR_MEMORY);
    ck_assert_ptr_nonnull(strstr(err.text, "the test needs"));
    common.memory_limit = 12;
    ck_assert_uint_eq(memory_left(&common), 0);
    ck_assert_int_eq(memory_check(&common, 1, "the test", &err), KN_ERROR_MEMORY);
    ck_assert_ptr_nonnull(strstr(err.text, "--memory-limit of 12 bytes: "));
}
END_TEST

START_TEST(tables_are_sound)
{
    const struct command *command = koine_commands[_i];
    struct option_row rows[OPTION_ROWS_MAX];
    size_t count = options_collect(command, rows);

    ck_assert_ptr_eq(command_named(command->name), command);
    ck_assert_ptr_nonnull(command->description);
    ck_assert_ptr_nonnull(command->run);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(rows[i].type == OPTION_FLAG || rows[i].metavar || rows[i].choices,
                      "--%s: no value shown", rows[i].name);
        ck_assert_msg(rows[i].type != OPTION_CHOICE || rows[i].choices, "--%s: no words", rows[i].name);
        ck_assert_msg(!rows[i].choices || (rows[i].type != OPTION_FLAG && rows[i].type != OPTION_COUNT),
                      "--%s: words", rows[i].name);
        ck_assert_msg(rows[i].offset < command->arguments_size, "--%s: its field lies outside", rows[i].name);
        ck_assert_msg(strchr(rows[i].name, '_') == NULL, "--%s: underscore", rows[i].name);
        for (size_t k = 0; k < i; k++) {
            ck_assert_str_ne(rows[i].name, rows[k].name);
            ck_assert_msg(!rows[i].letter || rows[i].letter != rows[k].letter,
                          "--%s and --%s: the same letter", rows[i].name, rows[k].name);
            ck_assert_msg(rows[i].offset != rows[k].offset, "--%s and --%s: the same field", rows[i].name,
                          rows[k].name);
        }
    }
}
END_TEST

START_TEST(distances)
{
    ck_assert_uint_eq(nearest_distance("", ""), 0);
    ck_assert_uint_eq(nearest_distance("abc", ""), 3);
    ck_assert_uint_eq(nearest_distance("", "abc"), 3);
    ck_assert_uint_eq(nearest_distance("stats", "stats"), 0);
    ck_assert_uint_eq(nearest_distance("sats", "stats"), 1);
    ck_assert_uint_eq(nearest_distance("tsats", "stats"), 1); // neighbours swapped
    ck_assert_uint_eq(nearest_distance("kitten", "sitting"), 3);
}
END_TEST

START_TEST(only_what_is_near_is_suggested)
{
    struct nearest nearest = {"plots", NULL, 0};

    nearest_offer(&nearest, "policy");
    nearest_offer(&nearest, "repetitions");
    ck_assert_ptr_null(nearest.best);
    nearest_offer(&nearest, "plats");
    nearest_offer(&nearest, "plotts");
    ck_assert_str_eq(nearest.best, "plats");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("options");
    TCase *tests = tcase_create("options");
    SRunner *runner;
    int commands = 0, failed;

    while (koine_commands[commands])
        commands++;
    tcase_add_test(tests, defaults_come_from_the_table);
    tcase_add_test(tests, values_reach_their_fields);
    tcase_add_loop_test(tests, wrong_usage_is_refused_in_one_line, 0, (int)KI_COUNT(refused));
    tcase_add_loop_test(tests, bytes_have_suffixes, 0, (int)KI_COUNT(sizes));
    tcase_add_test(tests, a_limit_is_the_whole_process);
    tcase_add_loop_test(tests, tables_are_sound, 0, commands);
    tcase_add_test(tests, distances);
    tcase_add_test(tests, only_what_is_near_is_suggested);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
