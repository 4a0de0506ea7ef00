// SPDX-License-Identifier: Apache-2.0
// koine/recon.h: the memory that a plan will take.
#include "base/error.h"
#include "base/saturate.h"
#include "plan_internal.h"

// In addition to the sums' own memory: on the host, voxels and samples with their roles exchanged; on a
// device, the copies that calls with arrays make.
static struct mri_bytes sums_memory(const kn_queue *queue, const struct recon_request *request)
{
    size_t voxels = request->voxels, samples = request->samples;
    size_t larger = voxels > samples ? voxels : samples;
    const struct mri_bytes positions = {.host = saturate_times(saturate_plus(voxels, samples), MRI_POSITION)};

    if (queue && mri_kernel_is_transform(request->kernel))
        return ki_mri_nufft_memory(&request->matrix, samples);
    if (mri_kernel_is_transform(request->kernel))
        return ki_mri_sum_host_memory(&request->matrix, samples, request->kernel);
    if (mri_kernel_is_separable(request->kernel) && !queue)
        return mri_bytes_both(ki_mri_forward_host_memory(voxels, request->kernel),
                              ki_mri_sum_host_memory(&request->matrix, samples, request->kernel));
    return queue
               ? mri_bytes_both(ki_mri_sum_memory(queue, voxels, samples),
                                ki_mri_forward_memory(queue, voxels, samples))
               : mri_bytes_both(positions, ki_mri_sum_host_memory(&request->matrix, larger, request->kernel));
}

static struct mri_bytes normal_memory(const kn_queue *queue, const struct recon_request *request,
                                      const struct mri_toeplitz_size *size)
{
    size_t samples = request->samples;
    const struct mri_bytes between = {saturate_times(samples, MRI_COMPLEX),
                                      saturate_times(samples, MRI_PAIR)},
                           weights = {.host = saturate_times(samples, sizeof(double))};

    if (request->normal == KN_RECON_NORMAL_FORWARD)
        return mri_bytes_both(sums_memory(queue, request), between);
    if (queue && mri_kernel_is_nufft(request->kernel))
        return mri_bytes_both(weights, ki_mri_toeplitz_nufft_memory(&request->matrix, size, samples));
    return mri_bytes_both(weights, queue ? ki_mri_toeplitz_memory(queue, size, samples)
                                         : ki_mri_host_normal_memory(size, samples, request->kernel));
}

static struct mri_bytes gridding_memory(const struct recon_request *request)
{
    const struct mri_bytes weights = {
        .device = request->weights ? saturate_times(request->samples, MRI_PAIR + sizeof(float)) : 0};

    return mri_bytes_both(weights,
                          ki_mri_gridding_memory(&request->matrix, request->samples, &request->gridding));
}

static kn_status measure(const char *function, const kn_queue *queue, const kn_recon_matrix *matrix,
                         size_t samples, const kn_recon_options *options, kn_recon_memory *memory,
                         kn_error *err)
{
    kn_recon_memory found = {.plan = 0};
    struct mri_toeplitz_size size = {.points = 0};
    struct recon_request request;
    struct mri_bytes sums, normal;
    kn_status status;

    if (!memory)
        return ki_fail(err, KN_ERROR_ARGUMENT, "memory is NULL");
    status = ki_recon_read_request(function, queue, matrix, NULL, samples, options, &request, err);
    if (!status && request.normal == KN_RECON_NORMAL_TOEPLITZ)
        status = ki_mri_toeplitz_measure_for(&request.matrix, request.kernel, &size, err);
    if (status)
        return status;
    found.plan = saturate_times(samples, MRI_POSITION + (request.weights ? sizeof(double) : 0) +
                                             (request.basis ? MRI_COMPLEX : 0));
    sums = sums_memory(queue, &request);
    normal = normal_memory(queue, &request, &size);
    if (queue) {
        size_t images = saturate_times(request.voxels, 2 * MRI_PAIR),
               arrays = saturate_plus(images, saturate_times(samples, MRI_PAIR));

        found.sums = saturate_plus(sums.device, arrays);
        found.normal =
            saturate_plus(normal.device, request.normal == KN_RECON_NORMAL_FORWARD ? arrays : images);
        found.gridding = saturate_plus(gridding_memory(&request).device, arrays);
    } else {
        found.sums = sums.host;
        found.normal = normal.host;
    }
    *memory = found;
    return KN_OK;
}

kn_status kn_recon_measure(const kn_queue *queue, const kn_recon_matrix *matrix, size_t samples,
                           const kn_recon_options *options, kn_recon_memory *memory, kn_error *err)
{
    return ki_error_name(__func__, measure(__func__, queue, matrix, samples, options, memory, err), err);
}
