// SPDX-License-Identifier: Apache-2.0
// koine sort: a column of numbers in numpy's order or in one of the user's own; values that go along; the
// order itself; the first of them alone.
#include "cmd_sort.h"

#include <stdio.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/report.h"

static const char *const algorithm_names[] = {"auto", "bitonic", "radix", "merge",
                                              NULL}; // as kn_sort_algorithm
static const char *const nan_names[] = {"last", "error", NULL};

#define FIELD(type, field) OPTION_FIELD(type, struct sort_arguments, field)

static const struct option_row options[] = {
    TOOL_OUT_OPTION(struct sort_arguments),
    {"descending", FIELD(OPTION_FLAG, descending), .help = "largest first; NaN stay last"},
    {"by-key", FIELD(OPTION_PATH, by_key), .metavar = "VALUES.npy",
     .help = "the input is keys: sort these values, as many, by them"},
    {"argsort", FIELD(OPTION_FLAG, argsort),
     .help = "the result is the indices that sort the input, from 0, as int64"},
    {"top", FIELD(OPTION_COUNT, top), .metavar = "K",
     .help = "only the first K of the result, without sorting the rest: the least, or with --descending the "
             "greatest"},
    {"segments", FIELD(OPTION_PATH, segments), .metavar = "OFFSETS.npy",
     .help = "sort each segment separately: segments begin at these offsets, the last of which is the end"},
    {"less", FIELD(OPTION_PATH, less), .metavar = "SNIPPET",
     .help = "order by this expression in OpenCL C, true if element a comes before element b (\"a % 10 < b % "
             "10\")"},
    {"algorithm", FIELD(OPTION_CHOICE, algorithm), .choices = algorithm_names, .fallback = "auto",
     .help = "how to sort"},
    {"nan", FIELD(OPTION_CHOICE, nan), .choices = nan_names, .fallback = "last",
     .help = "NaN come last, or are refused"},
    TOOL_COLUMN_OPTION(struct sort_arguments),
    {.name = NULL},
};

static kn_status check_arguments(const struct sort_arguments *arguments, kn_error *err)
{
    const bool named = arguments->algorithm != KN_SORT_AUTO;
    const char *algorithm = algorithm_names[arguments->algorithm];

    if (arguments->argsort && (arguments->by_key || arguments->segments || arguments->less))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--argsort cannot be combined with --by-key, --segments or --less");
    if (arguments->top && (arguments->segments || arguments->less || named))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--top selects before it sorts, in numpy's order: it cannot be combined with %s",
                       arguments->segments ? "--segments"
                       : arguments->less   ? "--less"
                                           : "--algorithm");
    if (arguments->less && (arguments->segments || arguments->descending))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--less is itself an order: it cannot be combined with --segments or --descending");
    if ((arguments->less || arguments->segments) && named && arguments->algorithm != KN_SORT_MERGE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--algorithm %s: --less and --segments sort by merging",
                       algorithm);
    if (arguments->argsort && named && arguments->algorithm != KN_SORT_RADIX)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--algorithm %s: --argsort sorts by radix", algorithm);
    if (arguments->tool.common.ranks && sort_alone(arguments))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s computes everything at once, which ranks of MPI do not share; start the command once",
            sort_alone(arguments));
    if (arguments->tool.common.resume && sort_alone(arguments))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--resume: %s computes everything at once, not in parts",
                       sort_alone(arguments));
    if (arguments->by_key && arguments->algorithm == KN_SORT_BITONIC)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--algorithm bitonic sorts only keys, without --by-key");
    return KN_OK;
}

// ---- output ----

static kn_status report(struct sorting *sorting, kn_error *err)
{
    const struct npy *keys = &sorting->keys;
    const size_t top = sorting->arguments->top;
    json_t *root = tool_report(&sorting->tool, sorting->keys.type);

    report_put(&root, "n", json_integer((json_int_t)keys->count));
    report_put(&root, "type", json_string(npy_type_name(keys)));
    report_put(&root, "pieces", json_integer((json_int_t)sorting->pieces));
    report_put(&root, "top", top ? json_integer((json_int_t)top) : json_null());
    report_put(&root, "algorithm", json_string(algorithm_names[sorting->arguments->algorithm]));
    if (tool_shows_text(&sorting->tool)) {
        if (top)
            printf("the first %zu of %zu %s ", top, keys->count, npy_type_name(keys));
        else
            printf("sorted %zu %s ", keys->count, npy_type_name(keys));
        if (sorting->pieces > 1)
            printf("in %zu pieces ", sorting->pieces);
        tool_print_place(&sorting->tool);
    }
    return tool_report_write(&sorting->tool, root, err);
}

// With --resume; how the input is divided follows from the number of elements.
static kn_status keep_parts(struct sorting *sorting, kn_error *err)
{
    const struct tool_arguments *arguments = &sorting->arguments->tool;
    struct resume *resume = &sorting->tool.resume;

    if (arguments->common.ranks) // which keep nothing
        return KN_OK;
    resume_plan(resume, &command_sort, sorting->arguments);
    resume_plan_number(resume, sorting->keys.count);
    return resume_open(resume, &arguments->common, arguments->out, false, err);
}

static kn_status sort_whole(struct sorting *sorting, kn_error *err)
{
    const struct common_arguments *common = &sorting->arguments->tool.common;
    const bool dry_run = common->dry_run;
    kn_status status = dry_run ? sort_read_sizes(sorting, err) : sort_read_input(sorting, err);

    if (!status)
        status = sort_open_place(sorting, err);
    if (!status)
        status = keep_parts(sorting, err);
    if (!status && dry_run)
        return sort_dry_run(sorting, &(struct sort_division){1, sorting->keys.count, 0}, err);
    if (!status)
        status = (sorting->tool.share.count || common->resume) && sorting->keys.count
                     ? sort_share(sorting, err)
                     : sort_compute(sorting, err);
    return status || !ranks_writes(common->ranks) ? status
                                                  : tool_write(&sorting->tool, sort_result(sorting), err);
}

static kn_status run_sort(void *given, kn_error *err)
{
    const struct sort_arguments *arguments = given;
    struct sorting sorting = {.arguments = arguments, .pieces = 1, .tool.shares = true};
    kn_status status = tool_begin(&sorting.tool, &arguments->tool, 1, "IN.npy", true, err);

    if (!status)
        status = check_arguments(arguments, err);
    if (!status)
        status =
            arguments->tool.common.memory_limit ? sort_limited(&sorting, err) : sort_whole(&sorting, err);
    if (!status && !arguments->tool.common.dry_run && ranks_writes(arguments->tool.common.ranks))
        status = report(&sorting, err);
    status = resume_close(&sorting.tool.resume, status, err);
    sort_free_buffers(&sorting);
    npy_free(&sorting.keys);
    npy_free(&sorting.values);
    npy_free(&sorting.offsets);
    npy_free(&sorting.first);
    tool_end(&sorting.tool);
    return status;
}

const struct command command_sort = {
    .name = "sort",
    .summary = "Sorts a column of numbers on a device",
    .operands = "IN.npy",
    .description =
        "The order is numpy's: ascending, NaN last. Sorting is stable: equal elements keep their order, "
        "which matters with --by-key, --argsort and --less. The input is an array of one dimension, or with "
        "--column a column of a CSV file; - is standard input.\n\n"
        "--top K finds the K-th element without sorting, and sorts the elements before it: of equal elements "
        "the first ones are taken, and -0 and 0 are equal. With --argsort the result is the K indices, with "
        "--by-key the values of the K least keys.\n\n"
        "The offsets of --segments begin with 0, do not descend, and end with the number of elements, as the "
        "row pointers of a CSR matrix do.\n\n"
        "Several devices (--device all, or --device given more than once) sort parts of the input, which are "
        "then merged on the host; the result is that of one device, and takes the memory of three inputs. So "
        "do the processes that mpirun or srun starts, in a koine built with MPI (see koine(1)), the first of "
        "which merges. With --resume, on one device too, the parts that are finished are kept in OUT.parts, "
        "as large as the input, until the result is written; after an interruption the same command sorts "
        "only the others. --top, --segments, --less, --algorithm merge and --memory-limit use one device.\n\n"
        "--memory-limit bounds the memory of the process, including drivers and the buffers of a CPU device, "
        "and separately the buffers on a GPU; a driver's compiler may take more while it compiles. A larger "
        "input is sorted in pieces, which are written to temporary files beside the result (in TMPDIR, for "
        "standard output), as large as the input, and merged (external sorting): the result is the same. "
        "With --segments a piece is as many whole segments as fit, and the longest has to fit. --less sorts "
        "only whole arrays, since pieces cannot be merged by an order that only a device's compiler knows.",
    .common = COMMON_DEVICE | COMMON_JSON | COMMON_FORCE | COMMON_MEMORY | COMMON_RESUME | COMMON_DRY_RUN |
              COMMON_RANKS | COMMON_SHARES_RANKS,
    .options = options,
    .examples = {{"koine sort keys.npy -o sorted.npy --descending", "an array, on the best device"},
                 {"koine sort ACC_001.csv --column acc_x --argsort -o order.npy",
                  "the order of a column of a CSV file"}},
    .arguments_size = sizeof(struct sort_arguments),
    .run = run_sort,
};
