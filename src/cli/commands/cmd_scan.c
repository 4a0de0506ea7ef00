// SPDX-License-Identifier: Apache-2.0
// koine scan: the prefixes of a column of numbers, like numpy's cumsum and accumulate.
#include <stdio.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/report.h"
#include "cli/tool.h"

static const char *const op_names[] = {"sum", "product", "min", "max", NULL}; // as kn_reduce_op

struct scan_arguments {
    struct tool_arguments tool;
    int op;
    bool exclusive;
    const char *combine, *identity, *map;
};

#define FIELD(type, field) OPTION_FIELD(type, struct scan_arguments, field)

static const struct option_row options[] = {
    TOOL_OUT_OPTION(struct scan_arguments),
    {"op", FIELD(OPTION_CHOICE, op), .choices = op_names, .fallback = "sum",
     .help = "the operation: running sum, product, minimum or maximum"},
    {"exclusive", FIELD(OPTION_FLAG, exclusive),
     .help = "leave out the element itself: the first result is the identity"},
    {"combine", FIELD(OPTION_PATH, combine), .metavar = "SNIPPET",
     .help = "use this operation instead: an associative expression in OpenCL C in two values, a before b"},
    {"identity", FIELD(OPTION_PATH, identity), .metavar = "V",
     .help = "with --combine: the identity element of the operation (\"0\")"},
    {"map", FIELD(OPTION_PATH, map), .metavar = "SNIPPET",
     .help = "with --combine: an expression in x that is applied to each element first (\"x * x\")"},
    TOOL_COLUMN_OPTION(struct scan_arguments),
    {.name = NULL},
};

static kn_status check_arguments(const struct scan_arguments *arguments, kn_error *err)
{
    if (!arguments->combine != !arguments->identity)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--combine and --identity go together");
    if (arguments->map && !arguments->combine)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--map needs --combine");
    if (arguments->combine && arguments->op != KN_REDUCE_SUM)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--op %s and --combine are two operations; choose one of them",
                       op_names[arguments->op]);
    return KN_OK;
}

static kn_status scan(const struct scan_arguments *arguments, struct tool *tool, struct npy *values,
                      kn_error *err)
{
    const kn_combine how = KN_INIT(kn_combine, .combine = arguments->combine, .identity = arguments->identity,
                                   .map = arguments->map);
    kn_scan_kind kind = arguments->exclusive ? KN_SCAN_EXCLUSIVE : KN_SCAN_INCLUSIVE;
    kn_queue *queue = tool->place.queue;
    kn_buffer *buffer = NULL;
    kn_status status = tool_upload(tool, values, &buffer, err);

    if (!status) {
        tool_compute(tool);
        status = arguments->combine
                     ? kn_scan_with(queue, buffer, values->type, values->count, &how, kind, buffer, err)
                     : kn_scan(queue, buffer, values->type, values->count, (kn_reduce_op)arguments->op, kind,
                               buffer, err);
        status = tool_computed(tool, status, err);
    }
    if (!status)
        status = tool_download(tool, buffer, values, err);
    kn_buffer_free(buffer);
    return status;
}

static kn_status report(struct tool *tool, const struct npy *values, kn_error *err)
{
    json_t *root = tool_report(tool, values->type);

    report_put(&root, "n", json_integer((json_int_t)values->count));
    report_put(&root, "type", json_string(npy_type_name(values)));
    if (tool_shows_text(tool)) {
        printf("prefixes of %zu %s ", values->count, npy_type_name(values));
        tool_print_place(tool);
    }
    return tool_report_write(tool, root, err);
}

static kn_status run_scan(void *given, kn_error *err)
{
    const struct scan_arguments *arguments = given;
    struct npy values = {.data = NULL};
    struct tool tool;
    kn_status status = tool_begin(&tool, &arguments->tool, 1, "IN.npy", true, err);

    if (!status)
        status = check_arguments(arguments, err);
    if (!status)
        status = tool_read_column(&tool, arguments->tool.common.operands.items[0], &values, err);
    if (!status)
        status = tool_open(&tool, TOOL_DEVICE, NULL, err);
    if (!status)
        status = scan(arguments, &tool, &values, err);
    if (!status)
        status = tool_write(&tool, &values, err);
    if (!status)
        status = report(&tool, &values, err);
    npy_free(&values);
    tool_end(&tool);
    return status;
}

const struct command command_scan = {
    .name = "scan",
    .summary = "Computes prefix sums (a scan) of a column of numbers on a device",
    .operands = "IN.npy",
    .description = "Element i of the result reduces elements 0 to i, in the type of the input: sums and "
                   "products of integers are modulo 2^bits (numpy's cumsum widens them). Floats are combined "
                   "in one fixed order, so that every device gives the same bits. The input is an array of "
                   "one dimension, or with --column a column of a CSV file; - is standard input.",
    .common = COMMON_DEVICE | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine scan counts.npy --exclusive -o offsets.npy",
                  "the offset at which each of these counts begins"},
                 {"koine scan values.npy --op max -o highs.npy", "the running maximum"}},
    .arguments_size = sizeof(struct scan_arguments),
    .run = run_scan,
};
