// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/text.h"
#include "memory.h"
#include "nearest.h"

enum { SPELLING_MAX = 48, ROW_VALUE = 256 }; // getopt returns ROW_VALUE + row for a long option

const char *const precision_names[] = {"float", "double", NULL};
const char *const policy_names[] = {"default", "strict", "fast", NULL};

static const char *const device_words[] = {"auto", "cpu", "gpu", "host", "all", NULL};

#define FIELD(type, field) OPTION_FIELD(type, struct common_arguments, field)

static const struct {
    unsigned bit; // 0: every command has it
    struct option_row row;
} common_rows[] = {
    {COMMON_DEVICE,
     {"device", 'd', FIELD(OPTION_STRINGS, devices), .metavar = "SPEC", .choices = device_words,
      .help = "use this device: opencl:0.0, cpu, gpu, host, auto, all, or part of a name; may be repeated"}},
    {COMMON_PRECISION,
     {"precision", FIELD(OPTION_CHOICE, precision), .choices = precision_names,
      .help = "the precision in which the device computes"}},
    {COMMON_POLICY,
     {"policy", FIELD(OPTION_CHOICE, policy), .choices = policy_names, .fallback = "default",
      .help = "numeric policy: strict has no contraction, fast has relaxed maths"}},
    {COMMON_JSON,
     {"json", FIELD(OPTION_PATH, json), .writes = true, .metavar = "FILE",
      .help = "write the result as JSON; - is standard output, and then nothing else is written there"}},
    {COMMON_OUTPUT,
     {"output", FIELD(OPTION_PATH, output), .writes = true, .metavar = "DIR",
      .help = "write the result files into this folder; it is created if necessary"}},
    {COMMON_REPORT,
     {"report", FIELD(OPTION_PATH, report), .writes = true, .metavar = "FILE.html",
      .help = "write the result as one page with tables, charts, the method, the command and hashes of the "
              "inputs"}},
    {COMMON_FORCE, {"force", 'f', FIELD(OPTION_FLAG, force), .help = "overwrite existing files"}},
    {COMMON_MEMORY,
     {"memory-limit", FIELD(OPTION_BYTES, memory_limit), .metavar = "BYTES",
      .help = "use at most this much host memory: a number of bytes, or 500k, 64M, 2GiB"}},
    {COMMON_RESUME,
     {"resume", FIELD(OPTION_FLAG, resume),
      .help = "keep finished pieces in NAME.parts beside the result, and go on with those of an interrupted "
              "run"}},
    {COMMON_DRY_RUN,
     {"dry-run", FIELD(OPTION_FLAG, dry_run),
      .help = "compute and write nothing: state the device, the memory, the expected time and the files"}},
    {0, {"quiet", 'q', FIELD(OPTION_FLAG, quiet), .help = "no progress bar"}},
    {0, {"help", 'h', FIELD(OPTION_FLAG, help), .help = "show this help"}},
};

size_t options_collect(const struct command *command, struct option_row rows[OPTION_ROWS_MAX])
{
    size_t count = 0;

    for (const struct option_row *row = command->options; row && row->name; row++)
        rows[count++] = *row;
    for (size_t i = 0; i < KI_COUNT(common_rows); i++) {
        if (common_rows[i].bit && !(command->common & common_rows[i].bit))
            continue;
        rows[count] = common_rows[i].row;
        if (common_rows[i].bit == COMMON_PRECISION)
            rows[count].fallback = command->precision;
        count++;
    }
    return count;
}

// The input of getopt_long, made from the rows.
struct spelling {
    struct option_row rows[OPTION_ROWS_MAX];
    size_t count;
    char underscored[OPTION_ROWS_MAX][SPELLING_MAX];
    struct option longs[2 * OPTION_ROWS_MAX + 1];
    char letters[2 * OPTION_ROWS_MAX + 2];
};

static void spell(struct spelling *spelling, const struct command *command)
{
    size_t longs = 0, letters = 0;

    memset(spelling, 0, sizeof *spelling);
    spelling->count = options_collect(command, spelling->rows);
    spelling->letters[letters++] = ':'; // a missing value is distinguished from an unknown option
    for (size_t i = 0; i < spelling->count; i++) {
        const struct option_row *row = &spelling->rows[i];
        int takes_value = row->type == OPTION_FLAG ? no_argument : required_argument;
        char *other = spelling->underscored[i];

        spelling->longs[longs++] = (struct option){row->name, takes_value, NULL, ROW_VALUE + (int)i};
        snprintf(other, SPELLING_MAX, "%s", row->name);
        for (char *c = other; *c; c++)
            *c = *c == '-' ? '_' : *c;
        if (strcmp(other, row->name) != 0)
            spelling->longs[longs++] = (struct option){other, takes_value, NULL, ROW_VALUE + (int)i};
        if (!row->letter)
            continue;
        spelling->letters[letters++] = row->letter;
        if (takes_value == required_argument)
            spelling->letters[letters++] = ':';
    }
}

static const struct option_row *row_of(const struct spelling *spelling, int value)
{
    if (value >= ROW_VALUE && (size_t)(value - ROW_VALUE) < spelling->count)
        return &spelling->rows[value - ROW_VALUE];
    for (size_t i = 0; i < spelling->count; i++)
        if (value && spelling->rows[i].letter == value)
            return &spelling->rows[i];
    return NULL;
}

static kn_status usage(const char *name, kn_error *err, const char *what)
{
    const char *joint = what[strlen(what) - 1] == '?' ? " Or" : ";";

    return ki_fail(err, KN_ERROR_ARGUMENT, "%s%s try 'koine %s --help'", what, joint, name);
}

static kn_status bad_value(const char *name, const struct option_row *row, const char *value, kn_error *err)
{
    struct ki_text text = KI_TEXT_INIT;
    kn_status status;

    if (row->type == OPTION_CHOICE) {
        ki_text_format(&text, "--%s: '%s' is not one of", row->name, value);
        for (const char *const *word = row->choices; *word; word++)
            ki_text_format(&text, "%s %s", word == row->choices ? "" : ",", *word);
    } else if (row->type == OPTION_COUNT) {
        ki_text_format(&text, "--%s: '%s' is not a whole number of at least 1", row->name, value);
    } else if (row->type == OPTION_BYTES) {
        ki_text_format(&text,
                       "--%s: '%s' is not a number of bytes of at least 1, such as 500000, 500k, 64M or 2GiB",
                       row->name, value);
    } else {
        ki_text_format(&text, "--%s: the value is empty, expected %s", row->name, row->metavar);
    }
    status = usage(name, err, ki_text_string(&text));
    ki_text_free(&text);
    return status;
}

static bool parse_count(const char *value, size_t *count)
{
    char *end;
    uintmax_t number;

    if (*value < '0' || *value > '9')
        return false;
    errno = 0;
    number = strtoumax(value, &end, 10);
    if (errno || *end || number < 1 || number > SIZE_MAX)
        return false;
    *count = (size_t)number;
    return true;
}

static bool parse_choice(const struct option_row *row, const char *value, int *index)
{
    for (int i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], value) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static kn_status store(const char *name, const struct option_row *row, const char *value, void *arguments,
                       kn_error *err)
{
    void *field = (char *)arguments + row->offset;
    struct string_list *list = field;

    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return KN_OK;
    case OPTION_STRINGS:
        if (!*value)
            break;
        return KI_ARRAY_PUSH(list->items, list->count, list->capacity, value)
                   ? KN_OK
                   : ki_fail_memory(err, 0, "reading the options");
    case OPTION_PATH:
        if (!*value)
            break;
        *(const char **)field = value;
        return KN_OK;
    case OPTION_STRING:
        *(const char **)field = value;
        return KN_OK;
    case OPTION_COUNT:
        if (!parse_count(value, field))
            break;
        return KN_OK;
    case OPTION_BYTES:
        if (!memory_parse(value, field))
            break;
        return KN_OK;
    case OPTION_CHOICE:
        if (!parse_choice(row, value, field))
            break;
        return KN_OK;
    }
    return bad_value(name, row, value, err);
}

// A long option that getopt_long rejected: unknown, or ambiguous.
static kn_status unknown_option(const struct spelling *spelling, const char *name, const char *given,
                                kn_error *err)
{
    char word[SPELLING_MAX];
    struct nearest nearest = {word, NULL, 0};
    struct ki_text text = KI_TEXT_INIT;
    size_t beginnings = 0;
    kn_status status;

    snprintf(word, sizeof word, "%.*s", (int)strcspn(given + 2, "="), given + 2);
    for (char *c = word; *c; c++)
        *c = *c == '_' ? '-' : *c;
    for (size_t i = 0; i < spelling->count; i++)
        beginnings += strncmp(spelling->rows[i].name, word, strlen(word)) == 0;
    if (beginnings > 1) {
        ki_text_format(&text, "option --%s is ambiguous; it could be", word);
        for (size_t i = 0; i < spelling->count; i++)
            if (strncmp(spelling->rows[i].name, word, strlen(word)) == 0)
                ki_text_format(&text, " --%s", spelling->rows[i].name);
    } else {
        for (size_t i = 0; i < spelling->count; i++)
            nearest_offer(&nearest, spelling->rows[i].name);
        ki_text_format(&text, "unknown option --%s", word);
        if (nearest.best)
            ki_text_format(&text, ", did you mean --%s?", nearest.best);
    }
    status = usage(name, err, ki_text_string(&text));
    ki_text_free(&text);
    return status;
}

static kn_status refused(const struct spelling *spelling, const char *name, int what, char **argv,
                         kn_error *err)
{
    const struct option_row *row = row_of(spelling, optopt);
    char text[160];

    if (what == ':' && row && row->type == OPTION_CHOICE)
        snprintf(text, sizeof text, "--%s needs a value", row->name);
    else if (what == ':' && row)
        snprintf(text, sizeof text, "--%s needs a value: %s", row->name, row->metavar);
    else if (row)
        snprintf(text, sizeof text, "--%s takes no value", row->name);
    else if (optopt)
        snprintf(text, sizeof text, "unknown option -%c", optopt);
    else
        return unknown_option(spelling, name, argv[optind - 1], err);
    return usage(name, err, text);
}

kn_status options_parse(const struct command *command, int argc, char **argv, void *arguments, kn_error *err)
{
    struct common_arguments *common = arguments;
    struct string_list *operands = &common->operands;
    struct spelling spelling;
    kn_status status = KN_OK;
    int found;

    spell(&spelling, command);
    for (size_t i = 0; i < spelling.count && !status; i++)
        if (spelling.rows[i].fallback)
            status = store(command->name, &spelling.rows[i], spelling.rows[i].fallback, arguments, err);
    opterr = 0;
    optind = 0; // start anew
    while (!status && (found = getopt_long(argc, argv, spelling.letters, spelling.longs, NULL)) != -1) {
        const struct option_row *row = row_of(&spelling, found);

        if (row && found != '?' && found != ':')
            status = store(command->name, row, optarg, arguments, err);
        else
            status = refused(&spelling, command->name, found, argv, err);
    }
    for (int i = optind; !status && i < argc; i++)
        if (!KI_ARRAY_PUSH(operands->items, operands->count, operands->capacity, argv[i]))
            status = ki_fail_memory(err, 0, "reading the options");
    return status;
}

void options_free(const struct command *command, void *arguments)
{
    struct option_row rows[OPTION_ROWS_MAX];
    size_t count = options_collect(command, rows);
    struct common_arguments *common = arguments;

    for (size_t i = 0; i < count; i++) {
        struct string_list *list = (struct string_list *)((char *)arguments + rows[i].offset);

        if (rows[i].type == OPTION_STRINGS)
            free(list->items);
    }
    free(common->operands.items);
}

unsigned options_sizes(const char *text, size_t sizes[3])
{
    for (unsigned d = 0; d < 3; d++) {
        uintmax_t size;
        char *end;

        if (*text < '0' || *text > '9')
            return 0;
        errno = 0;
        size = strtoumax(text, &end, 10);
        if (errno || size < 1 || size > SIZE_MAX)
            return 0;
        sizes[d] = (size_t)size;
        if (!*end)
            return d + 1;
        if (*end != ',')
            return 0;
        text = end + 1;
    }
    return 0;
}

kn_status options_at_most(const struct common_arguments *common, size_t most, kn_error *err)
{
    if (common->operands.count <= most)
        return KN_OK;
    return ki_fail(err, KN_ERROR_ARGUMENT, "unexpected argument '%s'; try '%s --help'",
                   common->operands.items[most], common->command);
}
