// SPDX-License-Identifier: Apache-2.0
// Filtered back-projection of cone beams by Feldkamp, Davis and Kress (Practical cone-beam algorithm, Journal
// of the Optical Society of America A 1, 1984), for a flat panel and a source on a circle.
//
// With u and v, the distances of a detector from the axis and from the middle line of the panel, L from
// source to detectors and S from source to axis: projections are multiplied by L / sqrt(L^2 + u^2 + v^2), and
// each line is convolved with the filter (filter.h). Each voxel sums them where it is seen, interpolated
// between four detectors, times L S / d^2, where d is its distance from the source along the ray through the
// axis; and times a weight for each projection. In the middle slice that is the flat fan's.
//
// At a pixel of all slices, u and d are the same, and v is linear in z: what depends on u is computed once.
// Projections are filtered and summed in batches, which bound the memory.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_CONE_FDK_H
#define KN_APP_SPARSE_TOMOGRAPHY_CONE_FDK_H

#include <koine/tomography.h>

#include "app/sparse/tomography/parallel.h"

// The projections of a batch if it may have `most` numbers, of which a projection has `numbers`: as even as
// possible, and at least one.
size_t ki_sparse_fdk_batch(size_t angles, size_t numbers, size_t most);

// ---- the host ----

struct sparse_fdk_host;

// `type` is KN_F32 or KN_F64; `options` may be NULL. `batch`: projections at a time; 0: as many as bounded
// memory holds. The geometry, a cone's, is checked, and not kept. Errors: those of ki_host_plan;
// KN_ERROR_ARGUMENT for projections that are not all around; KN_ERROR_MEMORY.
kn_status ki_sparse_fdk_host_create(const struct sparse_parallel *geometry, kn_tomography_filter filter,
                                    kn_type type, const kn_host_options *options, size_t batch,
                                    struct sparse_fdk_host **made, kn_error *err);
void ki_sparse_fdk_host_free(struct sparse_fdk_host *host); // NULL is fine
// Arrays of the type, which must not overlap. The bits are the same with any number of threads.
void ki_sparse_fdk_host_run(struct sparse_fdk_host *host, const void *projections, void *volume);
// "scalar", "AVX2" or "AVX-512".
const char *ki_sparse_fdk_host_level(const struct sparse_fdk_host *host);
// The bytes that it holds, with all threads.
size_t ki_sparse_fdk_host_memory(const struct sparse_parallel *geometry, kn_type type);

// ---- devices ----

struct sparse_fdk_device;

// In single precision; compiles. `batch` as above. Errors: those of the device; KN_ERROR_ARGUMENT for
// projections that are not all around; KN_ERROR_LIMIT for more than launches allow; KN_ERROR_MEMORY.
kn_status ki_sparse_fdk_device_create(kn_queue *queue, const struct sparse_parallel *geometry,
                                      kn_tomography_filter filter, size_t batch,
                                      struct sparse_fdk_device **made, kn_error *err);
void ki_sparse_fdk_device_free(struct sparse_fdk_device *device); // NULL is fine
// Asynchronous, on two buffers of floats. KN_ERROR_ARGUMENT for buffers that are too small or in another
// context.
kn_status ki_sparse_fdk_device_run(kn_queue *queue, const struct sparse_fdk_device *device,
                                   const kn_buffer *projections, kn_buffer *volume, kn_error *err);
// How many projections are filtered at a time, and slices summed together.
const char *ki_sparse_fdk_device_text(const struct sparse_fdk_device *device);
// The bytes of buffers that it holds on the device.
size_t ki_sparse_fdk_device_memory(kn_queue *queue, const struct sparse_parallel *geometry);

#endif
