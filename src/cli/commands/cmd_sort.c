// SPDX-License-Identifier: Apache-2.0
// koine sort: a column of numbers in numpy's order or in one of the user's own; values that go along; the
// order itself; the first of them alone.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/report.h"
#include "cli/tool.h"

static const char *const algorithm_names[] = {"auto", "bitonic", "radix", "merge",
                                              NULL}; // as kn_sort_algorithm
static const char *const nan_names[] = {"last", "error", NULL};
enum { NAN_LAST, NAN_ERROR };

struct sort_arguments {
    struct tool_arguments tool;
    const char *by_key, *segments, *less;
    bool descending, argsort;
    size_t top;
    int algorithm, nan;
};

#define FIELD(type, field) OPTION_FIELD(type, struct sort_arguments, field)

static const struct option_row options[] = {
    TOOL_OUT_OPTION(struct sort_arguments),
    {"descending", FIELD(OPTION_FLAG, descending), .help = "largest first; not-a-number stays last"},
    {"by-key", FIELD(OPTION_PATH, by_key), .metavar = "VALUES.npy",
     .help = "the input is keys: these values, as many, go along with them and are the result"},
    {"argsort", FIELD(OPTION_FLAG, argsort),
     .help = "the result is the elements' numbers in sorted order, from 0, as int64"},
    {"top", FIELD(OPTION_COUNT, top), .metavar = "K",
     .help = "the first K of the result alone, without sorting the others: the least, or with --descending "
             "the greatest"},
    {"segments", FIELD(OPTION_PATH, segments), .metavar = "OFFSETS.npy",
     .help = "sort each segment for itself: they begin at these offsets, of which the last is the end"},
    {"less", FIELD(OPTION_PATH, less), .metavar = "SNIPPET",
     .help = "the order: an expression in OpenCL C, true if element a comes before element b (\"a % 10 < b "
             "% 10\")"},
    {"algorithm", FIELD(OPTION_CHOICE, algorithm), .choices = algorithm_names, .fallback = "auto",
     .help = "how to sort"},
    {"nan", FIELD(OPTION_CHOICE, nan), .choices = nan_names, .fallback = "last",
     .help = "not-a-number comes last, or is refused"},
    TOOL_COLUMN_OPTION(struct sort_arguments),
    {.name = NULL},
};

struct sorting {
    const struct sort_arguments *arguments;
    struct tool tool;
    struct npy keys, values, offsets; // without data where there are none
    struct npy first;                 // of --top: the elements, their numbers, or the values of those numbers
    kn_buffer *key_buffer, *value_buffer, *offset_buffer, *first_buffer;
};

static kn_status check_arguments(const struct sort_arguments *arguments, kn_error *err)
{
    const bool named = arguments->algorithm != KN_SORT_AUTO;
    const char *algorithm = algorithm_names[arguments->algorithm];

    if (arguments->argsort && (arguments->by_key || arguments->segments || arguments->less))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--argsort does not go with --by-key, --segments or --less");
    if (arguments->top && (arguments->segments || arguments->less || named))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--top selects before it sorts, in numpy's order: it does not go with %s",
                       arguments->segments ? "--segments"
                       : arguments->less   ? "--less"
                                           : "--algorithm");
    if (arguments->less && (arguments->segments || arguments->descending))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--less is an order of its own: it does not go with --segments or --descending");
    if ((arguments->less || arguments->segments) && named && arguments->algorithm != KN_SORT_MERGE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--algorithm %s: --less and --segments sort by merging",
                       algorithm);
    if (arguments->argsort && named && arguments->algorithm != KN_SORT_RADIX)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--algorithm %s: --argsort sorts by radix", algorithm);
    if (arguments->by_key && arguments->algorithm == KN_SORT_BITONIC)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--algorithm bitonic sorts keys alone, without --by-key");
    return KN_OK;
}

// ---- input ----

static bool is_nan(const struct npy *array, size_t i)
{
    if (array->type == KN_F32)
        return isnan(((const float *)array->data)[i]);
    return array->type == KN_F64 && isnan(((const double *)array->data)[i]);
}

static kn_status refuse_nan(const struct sorting *sorting, kn_error *err)
{
    for (size_t i = 0; i < sorting->keys.count && sorting->arguments->nan == NAN_ERROR; i++)
        if (is_nan(&sorting->keys, i))
            return ki_fail_at(err, KN_ERROR_INPUT, sorting->arguments->tool.common.operands.items[0], 0,
                              "element %zu (from 0) is not a number", i);
    return KN_OK;
}

static kn_status check_top(const struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;

    if (arguments->top > sorting->keys.count)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--top %zu: %s has %zu elements", arguments->top,
                       arguments->tool.common.operands.items[0], sorting->keys.count);
    return KN_OK;
}

static kn_status read_values(struct sorting *sorting, kn_error *err)
{
    const char *path = sorting->arguments->by_key;
    struct npy *values = &sorting->values;
    kn_status status = npy_read(path, values, err);

    if (!status && (values->dims < 1 || values->shape[0] != sorting->keys.count))
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "has %zu values for %zu keys",
                          values->dims ? values->shape[0] : 1, sorting->keys.count);
    if (!status && values->dims != 1)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "has %zu dimensions, expected one", values->dims);
    return status;
}

// Offsets of any integer type as 64-bit numbers.
static kn_status read_offsets(struct sorting *sorting, kn_error *err)
{
    const char *path = sorting->arguments->segments;
    struct npy *offsets = &sorting->offsets;
    kn_status status = npy_read(path, offsets, err);

    if (status)
        return status;
    if (offsets->dims != 1 || offsets->count < 1)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "expected one dimension and at least one offset");
    if (offsets->type == KN_I64 || offsets->type == KN_U64)
        return KN_OK;
    if (offsets->type != KN_I32 && offsets->type != KN_U32)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "offsets of %s, expected integers of 32 or 64 bits",
                          npy_type_name(offsets));
    uint64_t *wide = malloc(offsets->count * sizeof *wide);
    if (!wide)
        return ki_fail_memory(err, offsets->count * sizeof *wide, "reading the offsets");
    for (size_t i = 0; i < offsets->count; i++)
        wide[i] = offsets->type == KN_U32 ? ((const uint32_t *)offsets->data)[i]
                                          : (uint64_t)(int64_t)((const int32_t *)offsets->data)[i];
    free(offsets->data);
    offsets->data = wide;
    offsets->type = KN_U64;
    return KN_OK;
}

static kn_status read_input(struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    kn_status status =
        tool_read_column(&sorting->tool, arguments->tool.common.operands.items[0], &sorting->keys, err);

    if (!status)
        status = refuse_nan(sorting, err);
    if (!status)
        status = check_top(sorting, err);
    if (!status && arguments->by_key)
        status = read_values(sorting, err);
    if (!status && arguments->segments)
        status = read_offsets(sorting, err);
    return status;
}

// ---- sorting ----

// --less as it is; --algorithm merge is numpy's order said as a comparison.
static kn_status sort_by_merging(struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    const bool real = sorting->keys.type == KN_F32 || sorting->keys.type == KN_F64;
    const char *order =
        real ? (arguments->descending ? "a > b || (b != b && a == a)" : "a < b || (b != b && a == a)")
             : (arguments->descending ? "a > b" : "a < b");
    const kn_less less =
        KN_INIT(kn_less, .type = kn_type_name(sorting->keys.type), .size = kn_type_size(sorting->keys.type),
                .less = arguments->less ? arguments->less : order);
    kn_queue *queue = sorting->tool.place.queue;

    if (sorting->value_buffer)
        return kn_sort_less_by_key(queue, sorting->key_buffer, sorting->keys.count, sorting->value_buffer,
                                   npy_element_size(&sorting->values), &less, err);
    return kn_sort_less(queue, sorting->key_buffer, sorting->keys.count, &less, err);
}

static kn_status sort_segments(struct sorting *sorting, kn_error *err)
{
    kn_queue *queue = sorting->tool.place.queue;
    size_t n = sorting->keys.count, segments = sorting->offsets.count - 1;
    kn_type type = sorting->keys.type;
    kn_order order = sorting->arguments->descending ? KN_DESCENDING : KN_ASCENDING;

    if (sorting->value_buffer)
        return kn_sort_segments_by_key(queue, sorting->key_buffer, type, n, sorting->value_buffer,
                                       npy_element_size(&sorting->values), sorting->offset_buffer, segments,
                                       order, err);
    return kn_sort_segments(queue, sorting->key_buffer, type, n, sorting->offset_buffer, segments, order,
                            err);
}

static kn_status sort_on_host(struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    const kn_host_options how =
        KN_INIT(kn_host_options, .order = arguments->descending ? KN_DESCENDING : KN_ASCENDING);
    struct npy *keys = &sorting->keys, *values = &sorting->values;

    if (arguments->segments || arguments->less || arguments->algorithm != KN_SORT_AUTO)
        return ki_fail(
            err, KN_ERROR_UNSUPPORTED,
            "the host's code does not take --segments, --less and --algorithm; name a device, such as cpu");
    if (arguments->argsort)
        return kn_host_argsort(keys->data, keys->type, keys->count, values->data, KN_U64, &how, err);
    if (arguments->by_key)
        return kn_host_sort_by_key(keys->data, keys->type, keys->count, values->data,
                                   npy_element_size(values), &how, err);
    return kn_host_sort(keys->data, keys->type, keys->count, &how, err);
}

// What the host does not have is the device's alone.
static kn_status open_place(struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    const bool host = !arguments->segments && !arguments->less && arguments->algorithm == KN_SORT_AUTO;
    const double bytes =
        (double)sorting->keys.count * (double)npy_element_size(&sorting->keys) +
        (double)sorting->keys.count * (double)(arguments->by_key    ? npy_element_size(&sorting->values)
                                               : arguments->argsort ? 8
                                                                    : 0);
    const kn_work work = KN_INIT(kn_work, .host.bytes = 4.2 * bytes, .device.bytes = 30 * bytes,
                                 .copied = 2 * bytes, .program = "algo/sort/sort_radix", .programs = 2);

    return tool_open(&sorting->tool, TOOL_DEVICE_OR_HOST, host ? &work : NULL, err);
}

static kn_status sort(struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    const kn_sort_options how = KN_INIT(kn_sort_options, .algorithm = (kn_sort_algorithm)arguments->algorithm,
                                        .order = arguments->descending ? KN_DESCENDING : KN_ASCENDING);
    kn_queue *queue = sorting->tool.place.queue;
    kn_type type = sorting->keys.type;
    size_t n = sorting->keys.count;

    if (!queue)
        return sort_on_host(sorting, err);
    if (arguments->segments)
        return sort_segments(sorting, err);
    if (arguments->less || arguments->algorithm == KN_SORT_MERGE)
        return sort_by_merging(sorting, err);
    if (arguments->argsort)
        return kn_argsort(queue, sorting->key_buffer, type, n, sorting->value_buffer, KN_U64, &how, err);
    if (arguments->by_key)
        return kn_sort_by_key(queue, sorting->key_buffer, type, n, sorting->value_buffer,
                              npy_element_size(&sorting->values), &how, err);
    return kn_sort(queue, sorting->key_buffer, type, n, &how, err);
}

// Room for `count` elements like those of `like`.
static kn_status make_array(struct npy *array, const struct npy *like, size_t count, kn_error *err)
{
    size_t size = npy_element_size(like);

    *array = (struct npy){.type = like->type,
                          .is_bool = like->is_bool,
                          .is_complex = like->is_complex,
                          .dims = 1,
                          .shape = {count},
                          .count = count,
                          .data = calloc(count + 1, size)};
    return array->data ? KN_OK : ki_fail_memory(err, count * size, "the result");
}

static const struct npy number = {.type = KN_I64}; // of an element, as numpy has it

// ---- the first k ----

static kn_status find_first(struct sorting *sorting, bool numbers, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    const struct npy *keys = &sorting->keys;
    kn_queue *queue = sorting->tool.place.queue;
    kn_buffer *buffer = sorting->first_buffer;
    void *first = sorting->first.data;

    if (!queue)
        return kn_host_top_k(
            keys->data, keys->type, keys->count, arguments->top, numbers ? NULL : first,
            numbers ? first : NULL, KN_U64,
            &KN_INIT(kn_host_options, .order = arguments->descending ? KN_DESCENDING : KN_ASCENDING), err);
    return kn_top_k(queue, sorting->key_buffer, keys->type, keys->count, arguments->top,
                    arguments->descending ? KN_DESCENDING : KN_ASCENDING, numbers ? NULL : buffer,
                    numbers ? buffer : NULL, KN_U64, err);
}

// Values for the numbers of their keys.
static kn_status pick_values(struct sorting *sorting, kn_error *err)
{
    const struct npy *values = &sorting->values;
    const size_t size = npy_element_size(values);
    struct npy numbers = sorting->first;
    kn_status status = make_array(&sorting->first, values, numbers.count, err);

    for (size_t i = 0; i < numbers.count && !status; i++)
        memcpy((char *)sorting->first.data + i * size,
               (const char *)values->data + ((const uint64_t *)numbers.data)[i] * size, size);
    npy_free(&numbers);
    return status;
}

static kn_status compute_first(struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    const bool numbers = arguments->argsort || arguments->by_key;
    struct tool *tool = &sorting->tool;
    kn_status status = make_array(&sorting->first, numbers ? &number : &sorting->keys, arguments->top, err);

    if (!status)
        status = tool_upload(tool, &sorting->keys, &sorting->key_buffer, err);
    if (!status)
        status = tool_upload(tool, &sorting->first, &sorting->first_buffer, err);
    if (!status) {
        tool_compute(tool);
        status = tool_computed(tool, find_first(sorting, numbers, err), err);
    }
    if (!status)
        status = tool_download(tool, sorting->first_buffer, &sorting->first, err);
    return status || !arguments->by_key ? status : pick_values(sorting, err);
}

// ---- all of them ----

static kn_status compute(struct sorting *sorting, kn_error *err)
{
    struct tool *tool = &sorting->tool;
    kn_status status = KN_OK;

    if (sorting->arguments->top)
        return compute_first(sorting, err);
    if (sorting->arguments->argsort)
        status = make_array(&sorting->values, &number, sorting->keys.count, err);
    if (!status)
        status = tool_upload(tool, &sorting->keys, &sorting->key_buffer, err);
    if (!status && sorting->values.data)
        status = tool_upload(tool, &sorting->values, &sorting->value_buffer, err);
    if (!status && sorting->offsets.data)
        status = tool_upload(tool, &sorting->offsets, &sorting->offset_buffer, err);
    if (!status) {
        tool_compute(tool);
        status = tool_computed(tool, sort(sorting, err), err);
    }
    if (!status && sorting->value_buffer)
        return tool_download(tool, sorting->value_buffer, &sorting->values, err);
    return status ? status : tool_download(tool, sorting->key_buffer, &sorting->keys, err);
}

// ---- output ----

static const struct npy *result(const struct sorting *sorting)
{
    return sorting->first.data ? &sorting->first : sorting->values.data ? &sorting->values : &sorting->keys;
}

static kn_status report(struct sorting *sorting, kn_error *err)
{
    const struct npy *keys = &sorting->keys;
    const size_t top = sorting->arguments->top;
    json_t *root = tool_report(&sorting->tool, sorting->keys.type);

    report_put(&root, "n", json_integer((json_int_t)keys->count));
    report_put(&root, "type", json_string(npy_type_name(keys)));
    report_put(&root, "top", top ? json_integer((json_int_t)top) : json_null());
    report_put(&root, "algorithm", json_string(algorithm_names[sorting->arguments->algorithm]));
    if (tool_shows_text(&sorting->tool)) {
        if (top)
            printf("the first %zu of %zu %s ", top, keys->count, npy_type_name(keys));
        else
            printf("sorted %zu %s ", keys->count, npy_type_name(keys));
        tool_print_place(&sorting->tool);
    }
    return tool_report_write(&sorting->tool, root, err);
}

static kn_status run_sort(void *given, kn_error *err)
{
    const struct sort_arguments *arguments = given;
    struct sorting sorting = {.arguments = arguments};
    kn_status status = tool_begin(&sorting.tool, &arguments->tool, 1, "IN.npy", true, err);

    if (!status)
        status = check_arguments(arguments, err);
    if (!status)
        status = read_input(&sorting, err);
    if (!status)
        status = open_place(&sorting, err);
    if (!status)
        status = compute(&sorting, err);
    if (!status)
        status = tool_write(&sorting.tool, result(&sorting), err);
    if (!status)
        status = report(&sorting, err);
    kn_buffer_free(sorting.key_buffer);
    kn_buffer_free(sorting.value_buffer);
    kn_buffer_free(sorting.offset_buffer);
    kn_buffer_free(sorting.first_buffer);
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
        "The order is numpy's: ascending, not-a-number last. Sorting is stable: what is equal "
        "keeps its order, which shows "
        "with --by-key, --argsort and --less. The input is an array of one dimension, or with "
        "--column a column of a CSV "
        "file; - is standard input.\n\n"
        "--top K finds the K-th element without sorting, and sorts what comes before it: of equal elements "
        "those that came first are taken, and -0 and 0 are equal. With --argsort the result is the K "
        "numbers, with --by-key the values of the K least keys.\n\n"
        "The offsets of --segments begin with 0, do not descend, and end with the number of "
        "elements, as the row pointers "
        "of a CSR matrix do.",
    .common = COMMON_DEVICE | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine sort keys.npy -o sorted.npy --descending", "an array, on the best device"},
                 {"koine sort ACC_001.csv --column acc_x --argsort -o order.npy",
                  "the order of a column of a CSV file"}},
    .arguments_size = sizeof(struct sort_arguments),
    .run = run_sort,
};
