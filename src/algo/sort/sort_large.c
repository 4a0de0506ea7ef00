// SPDX-License-Identifier: Apache-2.0
// Sorts on the device what fits there, and merges on the host.
#include <koine/sort.h>

#include <stdlib.h>

#include "base/error.h"
#include "base/sized.h"
#include "algo/columns.h"
#include "merge_runs.h"

// A device's memory holds the chunk, up to twice as much again for a sort that is not in place, and other
// things.
enum { SHARE_OF_MEMORY = 4, LEAST_CHUNK = 1 << 16 };

struct large {
    const char *function;
    kn_queue *queue;
    kn_type type;
    size_t size, n;
    kn_sort_large_options options;
    kn_sort_options sort;
};

static bool descends(const struct large *l)
{
    return l->sort.order == KN_DESCENDING;
}

static kn_status read_options(struct large *l, const kn_sort_large_options *options, kn_error *err)
{
    kn_status status = KI_SIZED_READ(l->function, kn_sort_large_options, options, &l->options, err);

    return status ? status : KI_SIZED_READ(l->function, kn_sort_options, l->options.sort, &l->sort, err);
}

static kn_status allocate(const struct large *l, size_t elements, void **memory, kn_error *err)
{
    size_t bytes = elements * l->size;

    *memory = malloc(bytes ? bytes : 1);
    return *memory ? KN_OK : ki_fail_memory(err, bytes, "merging what the device has sorted");
}

// Elements of a chunk: as requested, or as many as fit on the device.
static size_t chunk_for(const struct large *l)
{
    const kn_device_info *info = &l->queue->context->device.info;
    uint64_t bytes = info->global_memory / SHARE_OF_MEMORY;
    uint64_t most = (bytes < info->max_alloc ? bytes : info->max_alloc) / l->size;

    if (l->options.chunk)
        return l->options.chunk;
    if (most >= l->n)
        return l->n;
    return most ? (size_t)most : 1;
}

// Sorts a chunk from one piece of host memory to another.
static kn_status sort_chunk(const struct large *l, kn_buffer *buffer, const char *from, char *to,
                            size_t elements, kn_error *err)
{
    size_t bytes = elements * l->size;
    kn_status status = kn_buffer_write(l->queue, buffer, 0, from, bytes, err);

    if (!status)
        status = kn_sort(l->queue, buffer, l->type, elements, &l->sort, err);
    return status ? status : kn_buffer_read(l->queue, buffer, 0, to, bytes, err);
}

static kn_status sort_chunks(const struct large *l, size_t chunk, const char *from, char *to, kn_error *err)
{
    kn_buffer *buffer = NULL;
    kn_status status = kn_buffer_create(l->queue->context, chunk * l->size, &buffer, err);

    for (size_t done = 0; done < l->n && !status; done += chunk) {
        size_t elements = l->n - done < chunk ? l->n - done : chunk;
        status = sort_chunk(l, buffer, from + done * l->size, to + done * l->size, elements, err);
    }
    kn_buffer_free(buffer);
    return status;
}

// Chunks of a size chosen here are halved if the device has no memory for them.
static kn_status sort_in_chunks(const struct large *l, size_t chunk, void *keys, kn_error *err)
{
    kn_error reason = KN_ERROR_INIT;
    void *spare = NULL;
    unsigned levels = ki_merge_levels(l->n, chunk);
    kn_status status = levels ? allocate(l, l->n, &spare, err) : KN_OK;

    if (status)
        return status;
    status = sort_chunks(l, chunk, keys, levels % 2 ? spare : keys, &reason);
    if (!status)
        ki_merge_runs(keys, spare, l->type, l->n, chunk, descends(l), l->options.threads);
    free(spare);
    if (status == KN_ERROR_MEMORY && !l->options.chunk && chunk / 2 >= LEAST_CHUNK)
        return sort_in_chunks(l, chunk / 2, keys, err);
    if (status && err)
        *err = reason;
    return status;
}

kn_status kn_sort_large_array(kn_queue *queue, void *keys, kn_type type, size_t n,
                              const kn_sort_large_options *options, kn_error *err)
{
    struct large l = {
        .function = "kn_sort_large_array", .queue = queue, .type = type, .size = kn_type_size(type), .n = n};
    kn_status status;

    if (!queue || (!keys && n > 0))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_sort_large_array: queue or keys is NULL");
    if (l.size == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_sort_large_array: there is no type %d; see kn_type",
                       (int)type);
    status = read_options(&l, options, err);
    if (status)
        return status;
    if (n > SIZE_MAX / l.size)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_sort_large_array: %zu elements of %zu bytes are more than memory can hold", n,
                       l.size);
    return n < 2 ? KN_OK : sort_in_chunks(&l, chunk_for(&l), keys, err);
}

// ---- buffers in parts ----

static kn_status sort_parts(const struct large *l, kn_buffer *keys, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0, done = 0; done < l->n && !status; i++) {
        kn_buffer *part = kn_buffer_get_part(keys, i);
        size_t elements = kn_buffer_get_size(part) / l->size;
        elements = elements < l->n - done ? elements : l->n - done;
        status = kn_sort(l->queue, part, l->type, elements, &l->sort, err);
        done += elements;
    }
    return status;
}

static kn_status merge_parts(const struct large *l, kn_buffer *keys, size_t run, kn_error *err)
{
    unsigned levels = ki_merge_levels(l->n, run);
    void *memory[2] = {NULL, NULL};
    kn_status status = allocate(l, l->n, &memory[0], err);

    if (!status)
        status = allocate(l, l->n, &memory[1], err);
    if (!status)
        status = kn_buffer_read(l->queue, keys, 0, memory[levels % 2], l->n * l->size, err);
    if (!status) {
        ki_merge_runs(memory[0], memory[1], l->type, l->n, run, descends(l), l->options.threads);
        status = kn_buffer_write(l->queue, keys, 0, memory[0], l->n * l->size, err);
    }
    free(memory[0]);
    free(memory[1]);
    return status;
}

kn_status kn_sort_large(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n,
                        const kn_sort_large_options *options, kn_error *err)
{
    struct large l = {
        .function = "kn_sort_large", .queue = queue, .type = type, .size = kn_type_size(type), .n = n};
    kn_status status = ki_column_check_any(l.function, queue, keys, type, n, err);
    size_t run;

    if (!status)
        status = read_options(&l, options, err);
    if (status || n < 2)
        return status;
    run = kn_buffer_get_size(kn_buffer_get_part(keys, 0)) / l.size;
    if (run == 0)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: the buffer is held in parts of %zu bytes, less than an element has", l.function,
                       kn_buffer_get_size(kn_buffer_get_part(keys, 0)));
    status = sort_parts(&l, keys, err);
    return status || run >= n ? status : merge_parts(&l, keys, run, err);
}
