// SPDX-License-Identifier: Apache-2.0
// include/koine/opencl.h: the application's own OpenCL objects in, ours out.
#include <koine/opencl.h>

#include <stdlib.h>

#include "base/error.h"
#include "engine.h"

kn_status kn_context_wrap_opencl(cl_context native, cl_device_id device, const kn_context_options *options,
                                 kn_context **context, kn_error *err)
{
    struct be_context *wrapped = NULL;
    struct be_device described;
    struct engine_quirks quirks;
    kn_status status;

    if (!native || !context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_context_wrap_opencl: native or context is NULL");
    status = ki_backend_opencl.context_wrap(native, device, &wrapped, &described, err);
    if (status)
        return status;
    quirks = ki_engine_quirks_of(&described.info);
    status = quirks.why_not ? ki_fail(err, KN_ERROR_UNSUPPORTED, "%s cannot be used: %s", described.info.name,
                                      quirks.why_not)
                            : ki_engine_context_create("kn_context_wrap_opencl", &ki_backend_opencl, wrapped,
                                                       &described, options, context, err);
    if (status) {
        ki_backend_opencl.context_close(wrapped);
        free(described.extensions);
    }
    return status;
}

kn_status kn_queue_wrap_opencl(kn_context *context, cl_command_queue native, kn_queue **queue, kn_error *err)
{
    if (!context || !native || !queue)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_queue_wrap_opencl: context, native or queue is NULL");
    if (context->backend != &ki_backend_opencl)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_queue_wrap_opencl: %s is not an OpenCL context",
                       context->device.info.spec);
    return ki_engine_queue_wrap(context, native, queue, err);
}

kn_status kn_buffer_wrap_opencl(kn_context *context, cl_mem native, kn_buffer **buffer, kn_error *err)
{
    if (!context || !native || !buffer)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_buffer_wrap_opencl: context, native or buffer is NULL");
    if (context->backend != &ki_backend_opencl)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_buffer_wrap_opencl: %s is not an OpenCL context",
                       context->device.info.spec);
    return ki_engine_buffer_wrap(context, native, 0, buffer, err);
}

cl_context kn_context_get_opencl(const kn_context *context)
{
    return context && context->backend == &ki_backend_opencl
               ? context->backend->context_native(context->native)
               : NULL;
}

cl_command_queue kn_queue_get_opencl(const kn_queue *queue)
{
    return queue && queue->context->backend == &ki_backend_opencl
               ? queue->context->backend->queue_native(queue->native)
               : NULL;
}

cl_mem kn_buffer_get_opencl(const kn_buffer *buffer)
{
    return buffer && buffer->context->backend == &ki_backend_opencl && buffer->native
               ? buffer->context->backend->memory_native(buffer->native)
               : NULL;
}
