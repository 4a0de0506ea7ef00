// SPDX-License-Identifier: Apache-2.0
// koine select: elements of given ranks, and quantiles, without sorting.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/report.h"
#include "cli/tool.h"

struct select_arguments {
    struct tool_arguments tool;
    struct string_list ranks, quantiles;
};

#define FIELD(type, field) OPTION_FIELD(type, struct select_arguments, field)

static const struct option_row options[] = {
    {"rank", FIELD(OPTION_STRINGS, ranks), .metavar = "K",
     .help =
         "the element that would stand at position K, from 0, if the column were sorted; may be repeated"},
    {"quantile", FIELD(OPTION_STRINGS, quantiles), .metavar = "Q",
     .help = "the quantile Q, from 0 to 1, as numpy's default (linear between neighbours); may be repeated"},
    TOOL_COLUMN_OPTION(struct select_arguments),
    {.name = NULL},
};

struct selection {
    const struct select_arguments *arguments;
    struct tool tool;
    struct npy column;
    kn_buffer *buffer;
    size_t *ranks;
    double *quantiles;
    void *elements; // of the ranks
    double *values; // of the quantiles
};

static kn_status parse(struct selection *selection, kn_error *err)
{
    const struct string_list *ranks = &selection->arguments->ranks,
                             *quantiles = &selection->arguments->quantiles;

    if (ranks->count + quantiles->count == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "expected --rank K or --quantile Q; try 'koine select --help'");
    selection->ranks = calloc(ranks->count + 1, sizeof *selection->ranks);
    selection->elements = calloc(ranks->count + 1, sizeof(uint64_t));
    selection->quantiles = calloc(quantiles->count + 1, sizeof *selection->quantiles);
    selection->values = calloc(quantiles->count + 1, sizeof *selection->values);
    if (!selection->ranks || !selection->elements || !selection->quantiles || !selection->values)
        return ki_fail_memory(err, 0, "reading the options");
    for (size_t i = 0; i < ranks->count; i++) {
        const char *word = ranks->items[i];
        char *end;

        errno = 0;
        selection->ranks[i] = (size_t)strtoumax(word, &end, 10);
        if (*word < '0' || *word > '9' || *end || errno)
            return ki_fail(err, KN_ERROR_ARGUMENT, "--rank: '%s' is not a whole number of at least 0", word);
    }
    for (size_t i = 0; i < quantiles->count; i++) {
        const char *word = quantiles->items[i];
        char *end;

        selection->quantiles[i] = strtod(word, &end);
        if (!*word || *end || !(selection->quantiles[i] >= 0 && selection->quantiles[i] <= 1))
            return ki_fail(err, KN_ERROR_ARGUMENT, "--quantile: '%s' is not a number from 0 to 1", word);
    }
    return KN_OK;
}

static kn_status check_ranks(const struct selection *selection, kn_error *err)
{
    const char *path = selection->arguments->tool.common.operands.items[0];

    if (selection->column.count == 0)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "the column has no elements");
    for (size_t i = 0; i < selection->arguments->ranks.count; i++)
        if (selection->ranks[i] >= selection->column.count)
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "--rank %zu: %s has %zu elements, whose ranks go from 0 to %zu",
                           selection->ranks[i], path, selection->column.count, selection->column.count - 1);
    return KN_OK;
}

static kn_status open_place(struct selection *selection, kn_error *err)
{
    const kn_work work = estimate_of_array(&selection->column, 6, 3, "algo/select.cl");

    return tool_open(&selection->tool, TOOL_DEVICE_OR_HOST, &work, err);
}

static kn_status select_all(struct selection *selection, kn_error *err)
{
    kn_queue *queue = selection->tool.place.queue;
    size_t ranks = selection->arguments->ranks.count, quantiles = selection->arguments->quantiles.count;
    const struct npy *column = &selection->column;
    kn_status status = KN_OK;

    if (!queue && ranks)
        status = kn_host_select(column->data, column->type, column->count, selection->ranks, ranks,
                                selection->elements, NULL, err);
    if (!queue && quantiles && !status)
        status = kn_host_quantiles(column->data, column->type, column->count, selection->quantiles, quantiles,
                                   selection->values, NULL, err);
    if (!queue)
        return status;
    if (ranks)
        status = kn_select(queue, selection->buffer, column->type, column->count, selection->ranks, ranks,
                           selection->elements, NULL, err);
    if (!status && quantiles)
        status = kn_quantiles(queue, selection->buffer, column->type, column->count, selection->quantiles,
                              quantiles, selection->values, NULL, err);
    return status;
}

static kn_status report(struct selection *selection, kn_error *err)
{
    json_t *root = tool_report(&selection->tool, selection->column.type);
    json_t *ranks = json_array(), *quantiles = json_array();
    const bool text = tool_shows_text(&selection->tool);

    for (size_t i = 0; i < selection->arguments->ranks.count; i++) {
        json_t *row = json_object();
        char element[TOOL_ELEMENT];

        report_put(&row, "rank", json_integer((json_int_t)selection->ranks[i]));
        report_put(&row, "value", tool_element(&selection->column, selection->elements, i, element));
        if (text)
            printf("rank %zu: %s\n", selection->ranks[i], element);
        report_append(&ranks, row);
    }
    for (size_t i = 0; i < selection->arguments->quantiles.count; i++) {
        json_t *row = json_object();

        if (text)
            printf("quantile %.17g: %.17g\n", selection->quantiles[i], selection->values[i]);
        report_put(&row, "quantile", ki_json_double(selection->quantiles[i]));
        report_put(&row, "value", ki_json_double(selection->values[i]));
        report_append(&quantiles, row);
    }
    report_put(&root, "n", json_integer((json_int_t)selection->column.count));
    report_put(&root, "type", json_string(npy_type_name(&selection->column)));
    report_put(&root, "ranks", ranks);
    report_put(&root, "quantiles", quantiles);
    if (text) {
        printf("%zu %s ", selection->column.count, npy_type_name(&selection->column));
        tool_print_place(&selection->tool);
    }
    return tool_report_write(&selection->tool, root, err);
}

static kn_status run_select(void *given, kn_error *err)
{
    const struct select_arguments *arguments = given;
    struct selection selection = {.arguments = arguments};
    struct tool *tool = &selection.tool;
    kn_status status = tool_begin(tool, &arguments->tool, 1, "IN.npy", false, err);

    if (!status)
        status = parse(&selection, err);
    if (!status)
        status = tool_read_column(tool, arguments->tool.common.operands.items[0], &selection.column, err);
    if (!status)
        status = check_ranks(&selection, err);
    if (!status)
        status = open_place(&selection, err);
    if (!status)
        status = tool_upload(tool, &selection.column, &selection.buffer, err);
    if (!status) {
        tool_compute(tool);
        status = tool_computed(tool, select_all(&selection, err), err);
    }
    if (!status)
        status = report(&selection, err);
    kn_buffer_free(selection.buffer);
    npy_free(&selection.column);
    free(selection.ranks);
    free(selection.elements);
    free(selection.quantiles);
    free(selection.values);
    tool_end(tool);
    return status;
}

const struct command command_select = {
    .name = "select",
    .summary = "Finds elements by rank, and quantiles, on a device without sorting",
    .operands = "IN.npy",
    .description = "Elements are exact; quantiles are numpy's, in double precision. The input is an array of "
                   "one dimension, or with --column a column of a CSV file; - is standard input.",
    .common = COMMON_DEVICE | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine select values.npy --quantile 0.5 --quantile 0.99",
                  "the median and the 99th percentile"},
                 {"koine select ACC_001.csv --column acc_x --rank 0 --json -",
                  "the minimum of a column, as JSON"}},
    .arguments_size = sizeof(struct select_arguments),
    .run = run_select,
};
