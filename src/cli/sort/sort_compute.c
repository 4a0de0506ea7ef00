// SPDX-License-Identifier: Apache-2.0
// koine sort: what is in memory is sorted, or the first of it are found.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd_sort.h"

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
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "the host's code does not support --segments, --less and --algorithm; name a device, "
                       "such as cpu");
    if (sort_makes_numbers(sorting))
        return kn_host_argsort(keys->data, keys->type, keys->count, values->data, KN_U64, &how, err);
    if (values->data)
        return kn_host_sort_by_key(keys->data, keys->type, keys->count, values->data,
                                   npy_element_size(values), &how, err);
    return kn_host_sort(keys->data, keys->type, keys->count, &how, err);
}

kn_work sort_work(const struct sorting *sorting)
{
    const struct sort_arguments *arguments = sorting->arguments;
    const double bytes =
        (double)sorting->keys.count * (double)npy_element_size(&sorting->keys) +
        (double)sorting->keys.count * (double)(arguments->by_key    ? npy_element_size(&sorting->values)
                                               : arguments->argsort ? 8
                                                                    : 0);

    return KN_INIT(kn_work, .host.bytes = 4.2 * bytes, .device.bytes = 30 * bytes, .copied = 2 * bytes,
                   .program = "algo/sort/sort_radix", .programs = 2);
}

const char *sort_alone(const struct sort_arguments *arguments)
{
    return arguments->top                          ? "--top"
           : arguments->segments                   ? "--segments"
           : arguments->less                       ? "--less"
           : arguments->algorithm == KN_SORT_MERGE ? "--algorithm merge"
           : arguments->tool.common.memory_limit   ? "--memory-limit"
                                                   : NULL;
}

// What the host does not have is the device's alone.
kn_status sort_open_place(struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    const bool host = !arguments->segments && !arguments->less && arguments->algorithm == KN_SORT_AUTO;
    const kn_work work = sort_work(sorting);
    const char *alone = sort_alone(arguments);
    kn_status status = arguments->tool.common.ranks
                           ? tool_open_rank(&sorting->tool, false, !host, err)
                           : tool_open(&sorting->tool, TOOL_DEVICE_OR_HOST, host ? &work : NULL, err);

    return !status && sorting->tool.share.count && alone
               ? ki_fail(err, KN_ERROR_ARGUMENT, "--device names %zu devices; %s uses one",
                         sorting->tool.share.count, alone)
               : status;
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
    if (sort_makes_numbers(sorting))
        return kn_argsort(queue, sorting->key_buffer, type, n, sorting->value_buffer, KN_U64, &how, err);
    if (sorting->value_buffer)
        return kn_sort_by_key(queue, sorting->key_buffer, type, n, sorting->value_buffer,
                              npy_element_size(&sorting->values), &how, err);
    return kn_sort(queue, sorting->key_buffer, type, n, &how, err);
}

kn_status sort_make_array(struct npy *array, const struct npy *like, size_t count, kn_error *err)
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

const struct npy sort_number = {.type = KN_I64};

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
            keys->data, keys->type, keys->count, sorting->first.count, numbers ? NULL : first,
            numbers ? first : NULL, KN_U64,
            &KN_INIT(kn_host_options, .order = arguments->descending ? KN_DESCENDING : KN_ASCENDING), err);
    return kn_top_k(queue, sorting->key_buffer, keys->type, keys->count, sorting->first.count,
                    arguments->descending ? KN_DESCENDING : KN_ASCENDING, numbers ? NULL : buffer,
                    numbers ? buffer : NULL, KN_U64, err);
}

kn_status sort_pick(const struct npy *numbers, const struct npy *from, struct npy *picked, kn_error *err)
{
    const size_t size = npy_element_size(from);
    kn_status status = sort_make_array(picked, from, numbers->count, err);

    for (size_t i = 0; i < numbers->count && !status; i++)
        memcpy((char *)picked->data + i * size,
               (const char *)from->data + ((const uint64_t *)numbers->data)[i] * size, size);
    return status;
}

kn_status sort_find_first(struct sorting *sorting, size_t count, bool numbers, kn_error *err)
{
    struct tool *tool = &sorting->tool;
    kn_status status = sort_make_array(&sorting->first, numbers ? &sort_number : &sorting->keys, count, err);

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
    return status;
}

static kn_status compute_first(struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    struct npy numbers;
    kn_status status = sort_find_first(sorting, arguments->top, arguments->argsort || arguments->by_key, err);

    if (status || !arguments->by_key)
        return status;
    numbers = sorting->first;
    status = sort_pick(&numbers, &sorting->values, &sorting->first, err);
    npy_free(&numbers);
    return status;
}

// ---- all of them ----

static void free_buffer(kn_buffer **buffer)
{
    kn_buffer_free(*buffer);
    *buffer = NULL;
}

void sort_free_buffers(struct sorting *sorting)
{
    free_buffer(&sorting->key_buffer);
    free_buffer(&sorting->value_buffer);
    free_buffer(&sorting->offset_buffer);
    free_buffer(&sorting->first_buffer);
}

kn_status sort_compute(struct sorting *sorting, kn_error *err)
{
    struct tool *tool = &sorting->tool;
    kn_status status = KN_OK;

    if (sorting->arguments->top)
        return compute_first(sorting, err);
    if (sort_makes_numbers(sorting))
        status = sort_make_array(&sorting->values, &sort_number, sorting->keys.count, err);
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
        status = tool_download(tool, sorting->value_buffer, &sorting->values, err);
    return status || (sorting->value_buffer && !sorting->in_pieces)
               ? status
               : tool_download(tool, sorting->key_buffer, &sorting->keys, err);
}

const struct npy *sort_result(const struct sorting *sorting)
{
    return sorting->first.data ? &sorting->first : sorting->values.data ? &sorting->values : &sorting->keys;
}
