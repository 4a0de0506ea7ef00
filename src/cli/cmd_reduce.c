// SPDX-License-Identifier: Apache-2.0
// koine reduce: a column of numbers to one.
#include <stdio.h>

#include "commands.h"
#include "report.h"
#include "tool.h"

static const char *const op_words[] = {"sum", NULL};

struct reduce_arguments {
    struct tool_arguments tool;
    int op;
};

static const struct option_row options[] = {
    {"op", 0, OPTION_CHOICE, NULL, op_words, "sum", offsetof(struct reduce_arguments, op), "what to compute"},
    TOOL_COLUMN_OPTION(struct reduce_arguments),
    {.name = NULL},
};

static kn_status reduce(struct tool *tool, const struct npy *values, double *result, kn_error *err)
{
    kn_buffer *buffer = NULL;
    kn_status status = tool_upload(tool, values, &buffer, err);

    if (!status) {
        tool_compute(tool);
        status = tool_computed(
            tool, kn_reduce_sum(tool->place.queue, buffer, values->type, values->count, result, err), err);
    }
    kn_buffer_free(buffer);
    return status;
}

static kn_status report(struct tool *tool, const struct npy *values, double result, kn_error *err)
{
    const struct reduce_arguments *arguments = (const void *)tool->arguments;
    json_t *root = tool_report(tool);

    report_put(&root, "n", json_integer((json_int_t)values->count));
    report_put(&root, "type", json_string(npy_type_name(values)));
    report_put(&root, op_words[arguments->op], kn_json_double(result));
    if (tool_shows_text(tool)) {
        printf("%s %.17g\n%zu %s ", op_words[arguments->op], result, values->count, npy_type_name(values));
        tool_print_place(tool);
    }
    return tool_report_write(tool, root, err);
}

static kn_status run_reduce(void *given, kn_error *err)
{
    const struct reduce_arguments *arguments = given;
    struct npy values = {.data = NULL};
    double result = 0;
    struct tool tool;
    kn_status status = tool_begin(&tool, &arguments->tool, 1, "IN.npy", false, err);

    if (!status)
        status = tool_read_column(&tool, arguments->tool.common.operands.items[0], &values, err);
    if (!status)
        status = tool_open(&tool, err);
    if (!status)
        status = reduce(&tool, &values, &result, err);
    if (!status)
        status = report(&tool, &values, result, err);
    npy_free(&values);
    tool_end(&tool);
    return status;
}

const struct command command_reduce = {
    .name = "reduce",
    .summary = "Reduces a column of numbers to one on a device",
    .operands = "IN.npy",
    .description = "The sum is folded in double precision in one fixed order, so that every device with "
                   "double precision gives the "
                   "same bits. The input is an array of one dimension, or with --column a column of a CSV "
                   "file; - is standard input.",
    .common = COMMON_DEVICE | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine reduce values.npy", "the sum, on the best device"},
                 {"koine reduce ACC_001.csv --column acc_x --device cpu --json -",
                  "of a column of a CSV file, as JSON"}},
    .arguments_size = sizeof(struct reduce_arguments),
    .run = run_reduce,
};
