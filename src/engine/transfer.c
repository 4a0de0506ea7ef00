// SPDX-License-Identifier: Apache-2.0
// Copies of ordinary host memory. A GPU's driver copies it piece by piece through its own pinned memory, with
// one thread and one after the other; here two pinned pieces take turns, so that filling one overlaps with
// sending the other, and several threads fill it: one processor core copies more slowly than the bus.
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"

#define COPY_THREADS 8
#define SLICE        ((size_t)1 << 20) // bytes that a thread copies at a time

struct kn_pinned {
    kn_queue *queue;
    struct be_host host;
};

struct copy {
    char *to;
    const char *from;
    size_t bytes;
};

static void copy_slice(void *context, size_t i)
{
    const struct copy *copy = context;
    size_t start = i * SLICE, rest = copy->bytes - start;

    memcpy(copy->to + start, copy->from + start, rest < SLICE ? rest : SLICE);
}

// memcpy by several threads.
static void copy_by_threads(void *to, const void *from, size_t bytes)
{
    ki_parallel(COPY_THREADS, (bytes + SLICE - 1) / SLICE, KI_STATIC, copy_slice,
                &(struct copy){to, from, bytes});
}

static bool is_direct(const kn_queue *queue, size_t bytes)
{
    return bytes < ENGINE_STAGE_FROM || !queue->context->staged;
}

static kn_status stage_ready(kn_queue *queue, size_t i, kn_error *err)
{
    const struct ki_backend *backend = queue->context->backend;
    kn_status status = KN_OK;

    if (!queue->stage[i].data)
        return backend->host_alloc(queue->native, ENGINE_STAGE_BYTES, &queue->stage[i], err);
    if (queue->busy[i]) {
        status = backend->event_wait(queue->busy[i], err);
        backend->event_free(queue->busy[i]);
        queue->busy[i] = NULL;
    }
    return status;
}

static size_t stage_length(size_t bytes, size_t done)
{
    return bytes - done < ENGINE_STAGE_BYTES ? bytes - done : ENGINE_STAGE_BYTES;
}

kn_status ki_engine_stage_write(kn_queue *queue, struct be_memory *to, size_t offset, const void *data,
                                size_t bytes, kn_error *err)
{
    const struct ki_backend *backend = queue->context->backend;
    kn_status status = KN_OK;

    if (is_direct(queue, bytes)) {
        struct be_copy copy = {offset, bytes, true};
        return backend->copy_to_device(queue->native, to, data, &copy, NULL, err);
    }
    for (size_t done = 0, i = 0; done < bytes && !status; i = (i + 1) % ENGINE_STAGES) {
        struct be_copy copy = {offset + done, stage_length(bytes, done), false};
        status = stage_ready(queue, i, err);
        if (!status) {
            copy_by_threads(queue->stage[i].data, (const char *)data + done, copy.bytes);
            status =
                backend->copy_to_device(queue->native, to, queue->stage[i].data, &copy, &queue->busy[i], err);
        }
        if (!status)
            status = backend->queue_flush(queue->native, err);
        done += copy.bytes;
    }
    for (size_t i = 0; i < ENGINE_STAGES && !status; i++)
        status = stage_ready(queue, i, err);
    return status;
}

kn_status ki_engine_stage_read(kn_queue *queue, struct be_memory *from, size_t offset, void *data,
                               size_t bytes, kn_error *err)
{
    const struct ki_backend *backend = queue->context->backend;
    size_t started = 0;
    kn_status status = KN_OK;

    if (is_direct(queue, bytes)) {
        struct be_copy copy = {offset, bytes, true};
        return backend->copy_to_host(queue->native, from, data, &copy, NULL, err);
    }
    // Piece k is in flight to one stage while piece k - 1 is taken out of the other.
    for (size_t done = 0, i = 0; done < bytes && !status; i++) {
        size_t s = i % ENGINE_STAGES;
        if (started < bytes) {
            struct be_copy copy = {offset + started, stage_length(bytes, started), false};
            status = stage_ready(queue, s, err);
            if (!status)
                status = backend->copy_to_host(queue->native, from, queue->stage[s].data, &copy,
                                               &queue->busy[s], err);
            if (!status)
                status = backend->queue_flush(queue->native, err);
            started += copy.bytes;
        }
        if (i + 1 >= ENGINE_STAGES && !status) {
            size_t oldest = (i + 1) % ENGINE_STAGES;
            size_t length = stage_length(bytes, done);
            status = stage_ready(queue, oldest, err);
            if (!status)
                copy_by_threads((char *)data + done, queue->stage[oldest].data, length);
            done += length;
        }
    }
    return status;
}

void ki_engine_stage_free(kn_queue *queue)
{
    const struct ki_backend *backend = queue->context->backend;

    for (size_t i = 0; i < ENGINE_STAGES; i++) {
        if (queue->busy[i])
            backend->event_free(queue->busy[i]);
        if (queue->stage[i].data)
            backend->host_free(queue->native, &queue->stage[i]);
    }
}

// ---- the application's own pinned memory ----

kn_status kn_pinned_create(kn_queue *queue, size_t bytes, kn_pinned **pinned, kn_error *err)
{
    kn_pinned *made;
    kn_status status;

    if (!queue || !pinned || bytes == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_pinned_create: queue or pinned is NULL, or no bytes are asked for");
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "pinned memory");
    atomic_fetch_add(&queue->holders, 1);
    made->queue = queue;
    status = queue->context->backend->host_alloc(queue->native, bytes, &made->host, err);
    if (status) {
        ki_engine_queue_release(queue);
        free(made);
        return status;
    }
    *pinned = made;
    return KN_OK;
}

void *kn_pinned_get_data(kn_pinned *pinned)
{
    return pinned ? pinned->host.data : NULL;
}

void kn_pinned_free(kn_pinned *pinned)
{
    if (!pinned)
        return;
    pinned->queue->context->backend->host_free(pinned->queue->native, &pinned->host);
    ki_engine_queue_release(pinned->queue);
    free(pinned);
}
