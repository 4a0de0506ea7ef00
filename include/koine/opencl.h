// SPDX-License-Identifier: Apache-2.0
// libkoine inside an OpenCL application: these functions wrap the application's context, queue and buffers in
// Koine's handles. Wrapping retains the application's object and releases it on close or free; it never takes
// ownership.
#ifndef KOINE_OPENCL_H
#define KOINE_OPENCL_H

#include <CL/cl.h>

#include <koine/koine.h>

#ifdef __cplusplus
extern "C" {
#endif

// `device` is one of the context's devices, or NULL for its first. `options` may be NULL.
KN_API kn_status kn_context_wrap_opencl(cl_context native, cl_device_id device,
                                        const kn_context_options *options, kn_context **context,
                                        kn_error *err);
// Wraps an in-order queue of that context. Event times need CL_QUEUE_PROFILING_ENABLE.
KN_API kn_status kn_queue_wrap_opencl(kn_context *context, cl_command_queue native, kn_queue **queue,
                                      kn_error *err);
KN_API kn_status kn_buffer_wrap_opencl(kn_context *context, cl_mem native, kn_buffer **buffer, kn_error *err);

// The native handle of an object, which still owns it; NULL if the object is not on the OpenCL path, or is a
// buffer held in parts.
KN_API cl_context kn_context_get_opencl(const kn_context *context);
KN_API cl_command_queue kn_queue_get_opencl(const kn_queue *queue);
KN_API cl_mem kn_buffer_get_opencl(const kn_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
