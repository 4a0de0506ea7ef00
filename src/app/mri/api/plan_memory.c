// SPDX-License-Identifier: Apache-2.0
// koine/recon.h: how much memory a plan takes, before it takes it.
#include "base/error.h"
#include "base/saturate.h"
#include "plan_internal.h"

enum {
    PAIR = 2 * sizeof(float),
    COMPLEX = sizeof(double complex),
    POSITION = MRI_AXES * sizeof(double),
    HOST_NUMBERS = 5 * sizeof(double), // that a sum on the host makes of each of its samples
    HOST_POINT = 24                    // of the grid of F^H W F
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void measure_host(const struct recon_request *request, const struct mri_toeplitz_size *size,
                         kn_recon_memory *memory)
{
    size_t both = saturate_plus(request->voxels, request->samples);

    memory->sums = saturate_plus(saturate_times(both, POSITION),
                                 saturate_times(larger(request->voxels, request->samples), HOST_NUMBERS));
    if (request->normal == KN_RECON_NORMAL_FORWARD)
        memory->normal = saturate_plus(memory->sums, saturate_times(request->samples, COMPLEX));
    else
        memory->normal =
            saturate_plus(saturate_plus(saturate_times(size->points, HOST_POINT),
                                        saturate_times(size->differences, COMPLEX)),
                          saturate_times(request->samples, POSITION + HOST_NUMBERS + sizeof(double)));
}

static void measure_device(const kn_queue *queue, const struct recon_request *request,
                           const struct mri_toeplitz_size *size, kn_recon_memory *memory)
{
    size_t images = saturate_times(request->voxels, 2 * PAIR), data = saturate_times(request->samples, PAIR);
    size_t arrays = saturate_plus(images, data);
    size_t sums = saturate_plus(ki_mri_sum_memory(queue, request->voxels, request->samples),
                                ki_mri_forward_memory(queue, request->voxels, request->samples));

    memory->sums = saturate_plus(sums, arrays);
    if (request->normal == KN_RECON_NORMAL_FORWARD)
        memory->normal = saturate_plus(memory->sums, data);
    else
        memory->normal = saturate_plus(
            saturate_plus(size->bytes, ki_mri_sum_memory(queue, size->points, request->samples)), images);
    memory->gridding =
        saturate_plus(ki_mri_gridding_memory(&request->matrix, request->samples, &request->gridding), arrays);
    if (request->weights)
        memory->gridding =
            saturate_plus(memory->gridding, saturate_times(request->samples, PAIR + sizeof(float)));
}

static kn_status measure(const char *function, const kn_queue *queue, const kn_recon_matrix *matrix,
                         size_t samples, const kn_recon_options *options, kn_recon_memory *memory,
                         kn_error *err)
{
    kn_recon_memory found = {.plan = 0};
    struct mri_toeplitz_size size = {.points = 0};
    struct recon_request request;
    kn_status status;

    if (!memory)
        return ki_fail(err, KN_ERROR_ARGUMENT, "memory is NULL");
    status = ki_recon_read_request(function, queue, matrix, samples, options, &request, err);
    if (!status && request.normal == KN_RECON_NORMAL_TOEPLITZ)
        status = ki_mri_toeplitz_measure(&request.matrix, &size, err);
    if (status)
        return status;
    found.plan = saturate_times(samples, POSITION + (request.weights ? sizeof(double) : 0) +
                                             (request.basis ? COMPLEX : 0));
    if (queue)
        measure_device(queue, &request, &size, &found);
    else
        measure_host(&request, &size, &found);
    *memory = found;
    return KN_OK;
}

kn_status kn_recon_measure(const kn_queue *queue, const kn_recon_matrix *matrix, size_t samples,
                           const kn_recon_options *options, kn_recon_memory *memory, kn_error *err)
{
    return ki_error_name(__func__, measure(__func__, queue, matrix, samples, options, memory, err), err);
}
