// SPDX-License-Identifier: Apache-2.0
// libkoine inside a CUDA application that uses the driver API (or the runtime API, whose streams and pointers
// are the same): these functions wrap the application's context, stream and memory in Koine's handles. No
// CUDA header is needed: the types below are those that cuda.h calls CUcontext, CUstream and CUdeviceptr.
// Wrapping never takes ownership: the application's objects must outlive Koine's handles to them.
#ifndef KOINE_CUDA_H
#define KOINE_CUDA_H

#include <koine/koine.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUctx_st;
struct CUstream_st;

// `options` may be NULL. Errors: KN_ERROR_NO_DEVICE without NVIDIA's driver; KN_ERROR_UNSUPPORTED, with the
// reason, if NVRTC is missing or does not support the device.
KN_API kn_status kn_context_wrap_cuda(struct CUctx_st *native, const kn_context_options *options,
                                      kn_context **context, kn_error *err);
// Wraps a stream of that context: what Koine enqueues runs after the work already in it. The default streams
// are CU_STREAM_LEGACY and CU_STREAM_PER_THREAD (cuda.h), not NULL.
KN_API kn_status kn_queue_wrap_cuda(kn_context *context, struct CUstream_st *native, kn_queue **queue,
                                    kn_error *err);
// Wraps `bytes` of device memory that begin at `native`.
KN_API kn_status kn_buffer_wrap_cuda(kn_context *context, unsigned long long native, size_t bytes,
                                     kn_buffer **buffer, kn_error *err);

// The native handle of an object, which still owns it; NULL (0) if the object is not on the CUDA path, or is
// a buffer held in parts.
KN_API struct CUctx_st *kn_context_get_cuda(const kn_context *context);
KN_API struct CUstream_st *kn_queue_get_cuda(const kn_queue *queue);
KN_API unsigned long long kn_buffer_get_cuda(const kn_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
