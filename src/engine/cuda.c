// SPDX-License-Identifier: Apache-2.0
// include/koine/cuda.h: the application's own CUDA objects in, ours out.
#include <koine/cuda.h>

#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "engine.h"

kn_status kn_context_wrap_cuda(struct CUctx_st *native, const kn_context_options *options,
                               kn_context **context, kn_error *err)
{
    struct be_context *wrapped = NULL;
    struct be_device described;
    kn_status status;

    if (!native || !context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_context_wrap_cuda: native or context is NULL");
    status = ki_backend_cuda.context_wrap(native, NULL, &wrapped, &described, err);
    if (status)
        return status;
    status = ki_engine_context_create("kn_context_wrap_cuda", &ki_backend_cuda, wrapped, &described, options,
                                      context, err);
    if (status) {
        ki_backend_cuda.context_close(wrapped);
        free(described.extensions);
    }
    return status;
}

static bool is_cuda(const kn_context *context)
{
    return context && context->backend == &ki_backend_cuda;
}

kn_status kn_queue_wrap_cuda(kn_context *context, struct CUstream_st *native, kn_queue **queue, kn_error *err)
{
    if (!context || !native || !queue)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_queue_wrap_cuda: context, native or queue is NULL");
    if (!is_cuda(context))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_queue_wrap_cuda: %s is not a CUDA context",
                       context->device.info.spec);
    return ki_engine_queue_wrap(context, native, queue, err);
}

kn_status kn_buffer_wrap_cuda(kn_context *context, unsigned long long native, size_t bytes,
                              kn_buffer **buffer, kn_error *err)
{
    if (!context || !native || !bytes || !buffer)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_buffer_wrap_cuda: context, native, bytes or buffer is NULL or 0");
    if (!is_cuda(context))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_buffer_wrap_cuda: %s is not a CUDA context",
                       context->device.info.spec);
    return ki_engine_buffer_wrap(context, (void *)(uintptr_t)native, bytes, buffer, err);
}

struct CUctx_st *kn_context_get_cuda(const kn_context *context)
{
    return is_cuda(context) ? context->backend->context_native(context->native) : NULL;
}

struct CUstream_st *kn_queue_get_cuda(const kn_queue *queue)
{
    return queue && is_cuda(queue->context) ? queue->context->backend->queue_native(queue->native) : NULL;
}

unsigned long long kn_buffer_get_cuda(const kn_buffer *buffer)
{
    return buffer && buffer->native && is_cuda(buffer->context)
               ? (unsigned long long)(uintptr_t)buffer->context->backend->memory_native(buffer->native)
               : 0;
}
