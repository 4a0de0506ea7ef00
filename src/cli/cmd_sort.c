// SPDX-License-Identifier: Apache-2.0
// koine sort: a column of numbers in numpy's order.
#include <stdio.h>

#include "commands.h"
#include "report.h"
#include "tool.h"

struct sort_arguments {
    struct tool_arguments tool;
};

static const struct option_row options[] = {
    TOOL_OUT_OPTION(struct sort_arguments),
    TOOL_COLUMN_OPTION(struct sort_arguments),
    {.name = NULL},
};

static kn_status sort(struct tool *tool, struct npy *keys, kn_error *err)
{
    kn_buffer *buffer = NULL;
    kn_status status = tool_upload(tool, keys, &buffer, err);

    if (!status) {
        tool_compute(tool);
        status =
            tool_computed(tool, kn_sort(tool->place.queue, buffer, keys->type, keys->count, NULL, err), err);
    }
    if (!status)
        status = tool_download(tool, buffer, keys, err);
    kn_buffer_free(buffer);
    return status;
}

static kn_status report(struct tool *tool, const struct npy *keys, kn_error *err)
{
    json_t *root = tool_report(tool);

    report_put(&root, "n", json_integer((json_int_t)keys->count));
    report_put(&root, "type", json_string(npy_type_name(keys)));
    if (tool_shows_text(tool)) {
        printf("sorted %zu %s ", keys->count, npy_type_name(keys));
        tool_print_place(tool);
    }
    return tool_report_write(tool, root, err);
}

static kn_status run_sort(void *given, kn_error *err)
{
    const struct sort_arguments *arguments = given;
    struct npy keys = {.data = NULL};
    struct tool tool;
    kn_status status = tool_begin(&tool, &arguments->tool, 1, "IN.npy", true, err);

    if (!status)
        status = tool_read_column(&tool, arguments->tool.common.operands.items[0], &keys, err);
    if (!status)
        status = tool_open(&tool, err);
    if (!status)
        status = sort(&tool, &keys, err);
    if (!status)
        status = tool_write(&tool, &keys, err);
    if (!status)
        status = report(&tool, &keys, err);
    npy_free(&keys);
    tool_end(&tool);
    return status;
}

const struct command command_sort = {
    .name = "sort",
    .summary = "Sorts a column of numbers on a device",
    .operands = "IN.npy",
    .description = "The order is numpy's: ascending, not-a-number last. The input is an array of one "
                   "dimension, or with --column a "
                   "column of a CSV file; - is standard input.",
    .common = COMMON_DEVICE | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine sort keys.npy -o sorted.npy", "an array of float32 or float64, on the best device"},
                 {"koine sort ACC_001.csv --column acc_x -o acc_x.npy --device cpu",
                  "a column of a CSV file"}},
    .arguments_size = sizeof(struct sort_arguments),
    .run = run_sort,
};
