// SPDX-License-Identifier: Apache-2.0
// Filtered back-projection: each projection is convolved with a ramp (filter.h), and each pixel sums what the
// filtered projections are where it is seen, interpolated between two detectors, times what each of them
// counts for: pi / angles of even ones.
//
// Beyond the first and the last detector projections are taken to be 0, to which the interpolation goes down.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_FBP_H
#define KN_APP_SPARSE_TOMOGRAPHY_FBP_H

#include <koine/tomography.h>

#include "parallel.h"

// ---- the host ----

struct sparse_fbp_host;

// `type` is KN_F32 or KN_F64; `options` may be NULL. The geometry is checked, and not kept. Errors: those of
// ki_host_plan; KN_ERROR_MEMORY.
kn_status ki_sparse_fbp_host_create(const struct sparse_parallel *geometry, kn_tomography_filter filter,
                                    kn_type type, const kn_host_options *options,
                                    struct sparse_fbp_host **made, kn_error *err);
void ki_sparse_fbp_host_free(struct sparse_fbp_host *host); // NULL is fine
// Arrays of the type, which do not overlap. The same bits with any number of threads.
void ki_sparse_fbp_host_run(struct sparse_fbp_host *host, const void *sinogram, void *picture);
// "scalar", "AVX2" or "AVX-512".
const char *ki_sparse_fbp_host_level(const struct sparse_fbp_host *host);
// Bytes that it holds, with as many threads as there are.
size_t ki_sparse_fbp_host_memory(const struct sparse_parallel *geometry, kn_type type);

// ---- devices ----

struct sparse_fbp_device;

// In single precision. Compiles, and measures which back-projection is the faster one. Errors: the device's;
// KN_ERROR_LIMIT for more than its loops or launches hold; KN_ERROR_MEMORY.
kn_status ki_sparse_fbp_device_create(kn_queue *queue, const struct sparse_parallel *geometry,
                                      kn_tomography_filter filter, struct sparse_fbp_device **made,
                                      kn_error *err);
void ki_sparse_fbp_device_free(struct sparse_fbp_device *device); // NULL is fine
// Asynchronous. Two buffers of floats. KN_ERROR_ARGUMENT for buffers too small or of another context.
kn_status ki_sparse_fbp_device_run(kn_queue *queue, const struct sparse_fbp_device *device,
                                   const kn_buffer *sinogram, kn_buffer *picture, kn_error *err);
// What it launches, and why.
const char *ki_sparse_fbp_device_text(const struct sparse_fbp_device *device);
// Bytes of buffers that it holds on the device.
size_t ki_sparse_fbp_device_memory(kn_queue *queue, const struct sparse_parallel *geometry);

#endif
