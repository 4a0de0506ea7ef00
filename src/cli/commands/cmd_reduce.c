// SPDX-License-Identifier: Apache-2.0
// koine reduce: reduces a column of numbers to one, by a known operation or by the user's own.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/report.h"
#include "cli/tool.h"

static const char *const op_names[] = {"sum", "min", "max", "moments", NULL};
enum { OP_SUM, OP_MIN, OP_MAX, OP_MOMENTS };
static const kn_reduce_op ops[] = {
    [OP_SUM] = KN_REDUCE_SUM, [OP_MIN] = KN_REDUCE_MIN, [OP_MAX] = KN_REDUCE_MAX};

struct reduce_arguments {
    struct tool_arguments tool;
    int op;
    const char *combine, *identity, *map;
};

#define FIELD(type, field) OPTION_FIELD(type, struct reduce_arguments, field)

static const struct option_row options[] = {
    {"op", FIELD(OPTION_CHOICE, op), .choices = op_names, .fallback = "sum", .help = "what to compute"},
    {"combine", FIELD(OPTION_PATH, combine), .metavar = "SNIPPET",
     .help = "use this operation instead: an expression in OpenCL C in two values, a and b (\"max(a, b)\")"},
    {"identity", FIELD(OPTION_PATH, identity), .metavar = "V",
     .help = "with --combine: the identity element of the operation (\"0\")"},
    {"map", FIELD(OPTION_PATH, map), .metavar = "SNIPPET",
     .help = "with --combine: an expression in x that is applied to each element first (\"x * x\")"},
    TOOL_COLUMN_OPTION(struct reduce_arguments),
    {.name = NULL},
};

struct reduction {
    const struct reduce_arguments *arguments;
    struct tool tool;
    struct npy values;
    kn_buffer *buffer;
    kn_number number;
    kn_moments moments;
    uint64_t combined; // room for an element
};

static kn_status check_arguments(const struct reduce_arguments *arguments, kn_error *err)
{
    if (!arguments->combine != !arguments->identity)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--combine and --identity go together");
    if (arguments->map && !arguments->combine)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--map needs --combine");
    if (arguments->combine && arguments->op != OP_SUM)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--op %s and --combine are two operations; choose one of them",
                       op_names[arguments->op]);
    return KN_OK;
}

static kn_status reduce_on_host(struct reduction *r, kn_error *err)
{
    const struct npy *values = &r->values;

    if (r->arguments->combine)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "the host's code does not support --combine; name a device, such as cpu");
    if (r->arguments->op == OP_MOMENTS)
        return kn_host_moments(values->data, values->type, values->count, NULL, &r->moments, NULL, err);
    return kn_host_reduce(values->data, values->type, values->count, ops[r->arguments->op], &r->number, NULL,
                          err);
}

// A snippet needs a device.
static kn_status open_place(struct reduction *r, kn_error *err)
{
    const kn_work work = estimate_of_array(&r->values, 1, 3, "algo/reduce.cl");

    return tool_open(&r->tool, TOOL_DEVICE_OR_HOST, r->arguments->combine ? NULL : &work, err);
}

static kn_status reduce(struct reduction *r, kn_error *err)
{
    const struct reduce_arguments *arguments = r->arguments;
    const kn_combine how = KN_INIT(kn_combine, .combine = arguments->combine, .identity = arguments->identity,
                                   .map = arguments->map);
    kn_queue *queue = r->tool.place.queue;
    kn_type type = r->values.type;
    size_t n = r->values.count;

    if (n == 0 && (arguments->combine || arguments->op == OP_MIN || arguments->op == OP_MAX))
        return ki_fail_at(err, KN_ERROR_INPUT, arguments->tool.common.operands.items[0], 0,
                          "has no elements");
    if (!queue)
        return reduce_on_host(r, err);
    if (arguments->combine)
        return kn_reduce_with(queue, r->buffer, type, n, &how, type, &r->combined, err);
    if (arguments->op == OP_MOMENTS)
        return kn_reduce_moments(queue, r->buffer, type, n, NULL, &r->moments, err);
    return kn_reduce(queue, r->buffer, type, n, ops[arguments->op], &r->number, err);
}

// ---- output ----

static bool is_real(kn_type type)
{
    return type == KN_F32 || type == KN_F64;
}

static bool is_signed(kn_type type)
{
    return type == KN_I8 || type == KN_I16 || type == KN_I32 || type == KN_I64;
}

static void report_one(const struct reduction *r, const char *name, json_t **root, bool text)
{
    const kn_type type = r->values.type;
    const struct npy as = {.type = r->arguments->combine ? type
                                   : is_real(type)       ? KN_F64
                                   : is_signed(type)     ? KN_I64
                                                         : KN_U64};
    char shown[TOOL_ELEMENT];

    report_put(root, name,
               tool_element(&as,
                            r->arguments->combine ? (const void *)&r->combined : (const void *)&r->number, 0,
                            shown));
    if (text)
        printf("%s %s\n", name, shown);
}

static void report_moments(const kn_moments *moments, json_t **root, bool text)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {{"mean", moments->mean},
                {"std", sqrt(moments->variance)},
                {"variance", moments->variance},
                {"min", moments->min},
                {"max", moments->max}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        report_put(root, rows[i].name, ki_json_double(rows[i].value));
        if (text)
            printf("%s %.17g\n", rows[i].name, rows[i].value);
    }
    report_put(root, "nan_count", json_integer((json_int_t)moments->nan_count));
    if (text)
        printf("nan %zu\n", moments->nan_count);
}

static kn_status report(struct reduction *r, kn_error *err)
{
    const bool text = tool_shows_text(&r->tool);
    json_t *root = tool_report(&r->tool, r->values.type);

    report_put(&root, "n", json_integer((json_int_t)r->values.count));
    report_put(&root, "type", json_string(npy_type_name(&r->values)));
    if (r->arguments->op == OP_MOMENTS)
        report_moments(&r->moments, &root, text);
    else
        report_one(r, r->arguments->combine ? "result" : op_names[r->arguments->op], &root, text);
    if (text) {
        printf("of %zu %s ", r->values.count, npy_type_name(&r->values));
        tool_print_place(&r->tool);
    }
    return tool_report_write(&r->tool, root, err);
}

static kn_status run_reduce(void *given, kn_error *err)
{
    const struct reduce_arguments *arguments = given;
    struct reduction r = {.arguments = arguments};
    kn_status status = tool_begin(&r.tool, &arguments->tool, 1, "IN.npy", false, err);

    if (!status)
        status = check_arguments(arguments, err);
    if (!status)
        status = tool_read_column(&r.tool, arguments->tool.common.operands.items[0], &r.values, err);
    if (!status)
        status = open_place(&r, err);
    if (!status)
        status = tool_upload(&r.tool, &r.values, &r.buffer, err);
    if (!status) {
        tool_compute(&r.tool);
        status = tool_computed(&r.tool, reduce(&r, err), err);
    }
    if (!status)
        status = report(&r, err);
    kn_buffer_free(r.buffer);
    npy_free(&r.values);
    tool_end(&r.tool);
    return status;
}

const struct command command_reduce = {
    .name = "reduce",
    .summary = "Reduces a column of numbers to one on a device",
    .operands = "IN.npy",
    .description =
        "Sums are added in double precision in one fixed order, so that every device with double precision "
        "gives the same bits; those of integers are exact modulo 2^64. The minimum and maximum are NaN if "
        "the column has a NaN, as in numpy; moments leave NaN out and count them (std is divided by n). An "
        "operation of --combine has to be associative and commutative. The input is an array of one "
        "dimension, or with --column a column of a CSV file; - is standard input.",
    .common = COMMON_DEVICE | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine reduce values.npy --op moments",
                  "mean, standard deviation, minimum and maximum in one read"},
                 {"koine reduce values.npy --combine 'fmax(a, b)' --identity 0 --map 'fabs(x)'",
                  "the greatest magnitude, by an operation that you supply"}},
    .arguments_size = sizeof(struct reduce_arguments),
    .run = run_reduce,
};
