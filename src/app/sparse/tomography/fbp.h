// SPDX-License-Identifier: Apache-2.0
// Filtered back-projection: each projection is convolved with a ramp (filter.h), and each pixel sums the
// filtered projections at its position on the detector, interpolated between two detectors, times the weight
// of each projection: pi / angles if they are evenly spaced.
//
// Of fans, fbp_fan.h says what is different.
//
// Projections are taken to be 0 beyond the first and the last detector; the interpolation falls to that
// value.
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
// Arrays of the type, which must not overlap. The bits are the same with any number of threads.
void ki_sparse_fbp_host_run(struct sparse_fbp_host *host, const void *sinogram, void *picture);
// "scalar", "AVX2" or "AVX-512".
const char *ki_sparse_fbp_host_level(const struct sparse_fbp_host *host);
// The bytes that it holds, with all threads.
size_t ki_sparse_fbp_host_memory(const struct sparse_parallel *geometry, kn_type type);

// ---- devices ----

struct sparse_fbp_device;

// In single precision. Compiles, and measures which back-projection is faster. Errors: those of the device;
// KN_ERROR_LIMIT for more than its loops or launches allow; KN_ERROR_MEMORY.
kn_status ki_sparse_fbp_device_create(kn_queue *queue, const struct sparse_parallel *geometry,
                                      kn_tomography_filter filter, struct sparse_fbp_device **made,
                                      kn_error *err);
void ki_sparse_fbp_device_free(struct sparse_fbp_device *device); // NULL is fine
// Asynchronous, on two buffers of floats. KN_ERROR_ARGUMENT for buffers that are too small or in another
// context.
kn_status ki_sparse_fbp_device_run(kn_queue *queue, const struct sparse_fbp_device *device,
                                   const kn_buffer *sinogram, kn_buffer *picture, kn_error *err);
// The launches, and the reason for the choice.
const char *ki_sparse_fbp_device_text(const struct sparse_fbp_device *device);
// The bytes of buffers that it holds on the device.
size_t ki_sparse_fbp_device_memory(kn_queue *queue, const struct sparse_parallel *geometry);

#endif
