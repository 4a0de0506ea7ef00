// SPDX-License-Identifier: Apache-2.0
// Buffers: device memory in one piece, or in parts where one allocation cannot hold it.
#include "engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// The largest power of two that one allocation may have.
static size_t part_size(const kn_context *context)
{
    size_t size = (size_t)1 << (sizeof size * 8 - 1);

    while (size > 1 && size > context->device.info.max_alloc)
        size /= 2;
    return size;
}

// Drivers that allocate lazily would give parts without end.
static kn_status create_parts(kn_buffer *buffer, kn_error *err)
{
    const uint64_t memory = buffer->context->device.info.global_memory;
    size_t size = part_size(buffer->context);
    size_t count = buffer->bytes / size + (buffer->bytes % size != 0);

    if (buffer->bytes > memory)
        return ki_fail(err, KN_ERROR_MEMORY, "%zu bytes for a buffer, and the device has %" PRIu64,
                       buffer->bytes, memory);
    buffer->part_bytes = size;
    buffer->parts = calloc(count, sizeof *buffer->parts);
    if (!buffer->parts)
        return ki_fail_memory(err, count * sizeof *buffer->parts, "a buffer in parts");
    for (size_t i = 0; i < count; i++) {
        kn_buffer *part = &buffer->parts[i];
        part->context = buffer->context;
        part->bytes = i + 1 < count ? size : buffer->bytes - i * size;
        kn_status status =
            buffer->context->backend->memory_alloc(buffer->context->native, part->bytes, &part->native, err);
        if (status)
            return status;
        buffer->part_count = i + 1;
    }
    return KN_OK;
}

kn_status kn_buffer_create(kn_context *context, size_t bytes, kn_buffer **buffer, kn_error *err)
{
    kn_buffer *made;
    kn_status status = KN_OK;

    if (!context || !buffer)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_buffer_create: context or buffer is NULL");
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a buffer");
    made->context = ki_engine_hold(context);
    made->bytes = bytes;
    if (bytes > context->device.info.max_alloc)
        status = create_parts(made, err);
    else // an empty buffer has one byte, so that it can be passed to kernels
        status = context->backend->memory_alloc(context->native, bytes ? bytes : 1, &made->native, err);
    if (status) {
        kn_buffer_free(made);
        return status;
    }
    *buffer = made;
    return KN_OK;
}

kn_status ki_engine_buffer_wrap(kn_context *context, void *native, size_t bytes, kn_buffer **buffer,
                                kn_error *err)
{
    kn_buffer *made = calloc(1, sizeof *made);
    kn_status status;

    if (!made)
        return ki_fail_memory(err, sizeof *made, "a buffer");
    made->context = ki_engine_hold(context);
    made->bytes = bytes;
    status = context->backend->memory_wrap(context->native, native, &made->native, &made->bytes, err);
    if (status)
        kn_buffer_free(made);
    else
        *buffer = made;
    return status;
}

void kn_buffer_free(kn_buffer *buffer)
{
    if (!buffer)
        return;
    if (buffer->native)
        buffer->context->backend->memory_free(buffer->native);
    for (size_t i = 0; i < buffer->part_count; i++)
        buffer->context->backend->memory_free(buffer->parts[i].native);
    free(buffer->parts);
    ki_engine_release(buffer->context);
    free(buffer);
}

size_t kn_buffer_get_size(const kn_buffer *buffer)
{
    return buffer ? buffer->bytes : 0;
}

size_t kn_buffer_get_part_count(const kn_buffer *buffer)
{
    return !buffer ? 0 : buffer->part_count ? buffer->part_count : 1;
}

kn_buffer *kn_buffer_get_part(const kn_buffer *buffer, size_t index)
{
    if (!buffer || index >= kn_buffer_get_part_count(buffer))
        return NULL;
    return buffer->part_count ? &buffer->parts[index] : (kn_buffer *)buffer; // drops const, like strchr
}

// ---- copies ----

static kn_status check_range(const kn_queue *queue, const kn_buffer *buffer, size_t offset, size_t bytes,
                             const char *function, kn_error *err)
{
    if (!queue || !buffer)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: queue or buffer is NULL", function);
    if (queue->context != buffer->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the buffer belongs to another context than the queue",
                       function);
    if (offset > buffer->bytes || bytes > buffer->bytes - offset)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu bytes from byte %zu on, of a buffer of %zu bytes",
                       function, bytes, offset, buffer->bytes);
    return ki_engine_check_runs(queue, function, err);
}

// The same, with a check of the host memory.
static kn_status check_copy(const kn_queue *queue, const kn_buffer *buffer, size_t offset, const void *data,
                            size_t bytes, const char *function, kn_error *err)
{
    kn_status status = check_range(queue, buffer, offset, bytes, function, err);

    if (!status && !data && bytes)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: data is NULL", function);
    return status;
}

// The stretch from `offset` to the end of its part: the part, the place in it, and the number of bytes, at
// most `bytes`.
struct piece {
    struct be_memory *memory;
    size_t offset;
    size_t bytes;
};

static struct piece piece_at(const kn_buffer *buffer, size_t offset, size_t bytes)
{
    struct piece piece = {buffer->native, offset, bytes};

    if (buffer->part_count) {
        const kn_buffer *part = &buffer->parts[offset / buffer->part_bytes];
        piece.memory = part->native;
        piece.offset = offset % buffer->part_bytes;
        if (piece.bytes > part->bytes - piece.offset)
            piece.bytes = part->bytes - piece.offset;
    }
    return piece;
}

kn_status kn_buffer_write(kn_queue *queue, kn_buffer *buffer, size_t offset, const void *data, size_t bytes,
                          kn_error *err)
{
    kn_status status = check_copy(queue, buffer, offset, data, bytes, "kn_buffer_write", err);

    for (size_t done = 0; done < bytes && !status;) {
        struct piece piece = piece_at(buffer, offset + done, bytes - done);
        status = ki_engine_stage_write(queue, piece.memory, piece.offset, (const char *)data + done,
                                       piece.bytes, err);
        done += piece.bytes;
    }
    return status;
}

kn_status kn_buffer_read(kn_queue *queue, const kn_buffer *buffer, size_t offset, void *data, size_t bytes,
                         kn_error *err)
{
    kn_status status = check_copy(queue, buffer, offset, data, bytes, "kn_buffer_read", err);

    for (size_t done = 0; done < bytes && !status;) {
        struct piece piece = piece_at(buffer, offset + done, bytes - done);
        status =
            ki_engine_stage_read(queue, piece.memory, piece.offset, (char *)data + done, piece.bytes, err);
        done += piece.bytes;
    }
    if (!status && bytes > 0)
        ki_flight_land_all(queue->flight); // a queue does one thing after the other
    return status;
}

// The event of the last piece stands for all of them: queues are in order.
static struct be_event **last_event(struct be_event **event, kn_event **wanted, bool last)
{
    return wanted && last ? event : NULL;
}

kn_status kn_buffer_write_async(kn_queue *queue, kn_buffer *buffer, size_t offset, const void *data,
                                size_t bytes, kn_event **event, kn_error *err)
{
    struct be_event *native = NULL;
    kn_status status = check_copy(queue, buffer, offset, data, bytes, "kn_buffer_write_async", err);

    if (!status && bytes == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_buffer_write_async: no bytes to copy");
    for (size_t done = 0; done < bytes && !status;) {
        struct piece piece = piece_at(buffer, offset + done, bytes - done);
        struct be_copy copy = {piece.offset, piece.bytes, false};
        status = queue->context->backend->copy_to_device(
            queue->native, piece.memory, (const char *)data + done, &copy,
            last_event(&native, event, done + piece.bytes == bytes), err);
        done += piece.bytes;
    }
    return status ? status : ki_engine_event_give(queue->context, native, event, err);
}

kn_status kn_buffer_read_async(kn_queue *queue, const kn_buffer *buffer, size_t offset, void *data,
                               size_t bytes, kn_event **event, kn_error *err)
{
    struct be_event *native = NULL;
    kn_status status = check_copy(queue, buffer, offset, data, bytes, "kn_buffer_read_async", err);

    if (!status && bytes == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_buffer_read_async: no bytes to copy");
    for (size_t done = 0; done < bytes && !status;) {
        struct piece piece = piece_at(buffer, offset + done, bytes - done);
        struct be_copy copy = {piece.offset, piece.bytes, false};
        status = queue->context->backend->copy_to_host(
            queue->native, piece.memory, (char *)data + done, &copy,
            last_event(&native, event, done + piece.bytes == bytes), err);
        done += piece.bytes;
    }
    return status ? status : ki_engine_event_give(queue->context, native, event, err);
}

kn_status kn_buffer_copy(kn_queue *queue, const kn_buffer *from, size_t from_offset, kn_buffer *to,
                         size_t to_offset, size_t bytes, kn_event **event, kn_error *err)
{
    struct be_event *native = NULL;
    kn_status status = check_range(queue, from, from_offset, bytes, "kn_buffer_copy (from)", err);

    if (!status)
        status = check_range(queue, to, to_offset, bytes, "kn_buffer_copy (to)", err);
    if (!status && bytes == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_buffer_copy: no bytes to copy");
    if (!status && from == to && from_offset < to_offset + bytes && to_offset < from_offset + bytes)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_buffer_copy: the ranges overlap");
    for (size_t done = 0; done < bytes && !status;) {
        struct piece source = piece_at(from, from_offset + done, bytes - done);
        struct piece target = piece_at(to, to_offset + done, source.bytes);
        status = queue->context->backend->copy_on_device(
            queue->native, source.memory, source.offset, target.memory, target.offset, target.bytes,
            last_event(&native, event, done + target.bytes == bytes), err);
        done += target.bytes;
    }
    return status ? status : ki_engine_event_give(queue->context, native, event, err);
}

kn_status kn_buffer_fill(kn_queue *queue, kn_buffer *buffer, const void *pattern, size_t pattern_size,
                         size_t offset, size_t bytes, kn_event **event, kn_error *err)
{
    struct be_event *native = NULL;
    kn_status status = check_range(queue, buffer, offset, bytes, "kn_buffer_fill", err);

    if (status)
        return status;
    if (!pattern)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_buffer_fill: pattern is NULL");
    if (pattern_size == 0 || pattern_size > 16 || (pattern_size & (pattern_size - 1)))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_buffer_fill: a pattern of %zu bytes; it may have 1, 2, 4, 8 or 16", pattern_size);
    if (bytes == 0 || bytes % pattern_size || offset % pattern_size)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "kn_buffer_fill: offset %zu or length %zu is not a multiple of the pattern's %zu bytes", offset,
            bytes, pattern_size);
    for (size_t done = 0; done < bytes && !status;) {
        struct piece piece = piece_at(buffer, offset + done, bytes - done);
        status = queue->context->backend->fill(queue->native, piece.memory, pattern, pattern_size,
                                               piece.offset, piece.bytes,
                                               last_event(&native, event, done + piece.bytes == bytes), err);
        done += piece.bytes;
    }
    return status ? status : ki_engine_event_give(queue->context, native, event, err);
}
