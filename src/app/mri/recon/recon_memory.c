// SPDX-License-Identifier: Apache-2.0
// How much memory a reconstruction takes, before it takes it.
#include <unistd.h>

#include "base/error.h"
#include "base/saturate.h"
#include "recon_internal.h"

enum {
    COMPLEX = sizeof(double complex),
    FLOATS = 2 * sizeof(float), // a complex number on the device
    VECTORS = 6,                // images that ls has on the device
    HOST_VECTORS = 4,           // and on the host
    HOST_POINT = 24,            // bytes of a point of the host's grid
    HOST_FORWARD = 64,          // and of a voxel and of a sample, where the host has both sums instead
    LARGEST_SAMPLE = 64         // of these in one allocation: entries of 8 tiles
};

const kn_device_info *ki_recon_device(const struct recon *recon)
{
    return recon->on_host ? NULL : kn_context_get_device(kn_queue_get_context(recon->queue));
}

size_t ki_recon_slab(const struct recon *recon)
{
    const kn_device_info *device = ki_recon_device(recon);
    size_t most, slab;

    if (!device)
        return recon->voxels;
    most = (size_t)(device->max_alloc < device->global_memory / 4 ? device->max_alloc
                                                                  : device->global_memory / 4) /
           FLOATS;
    slab = recon->extras.slab ? recon->extras.slab : most ? most : 1;
    return slab < recon->voxels ? slab : recon->voxels;
}

static size_t gridding_bytes(const struct recon *recon, size_t samples)
{
    return ki_mri_gridding_memory(&recon->scan.matrix, samples, &recon->gridding);
}

size_t ki_recon_chunk(const struct recon *recon)
{
    const kn_device_info *device = ki_recon_device(recon);
    size_t samples = recon->scan.samples, grid, has, chunk;

    if (!device)
        return samples;
    grid = gridding_bytes(recon, 0);
    has = (size_t)device->global_memory;
    chunk = has > grid ? (has - grid) / 2 / MRI_GRIDDING_SAMPLE : 0; // half of what is left
    if (chunk > device->max_alloc / LARGEST_SAMPLE)
        chunk = (size_t)device->max_alloc / LARGEST_SAMPLE;
    if (recon->extras.chunk)
        chunk = recon->extras.chunk;
    if (chunk == 0)
        chunk = 1; // too many already, which the estimate tells
    return chunk < samples ? chunk : samples;
}

// Pipe and Menon's weights take all samples at a time, on a grid of their own.
static size_t density_bytes(const struct recon *recon)
{
    return recon->options.density == KN_RECON_DENSITY_PIPE
               ? ki_mri_gridding_memory(&recon->scan.matrix, recon->scan.samples, NULL)
               : 0;
}

// Of least squares by both sums, whose memory the queue keeps.
static size_t forward_bytes(const struct recon *recon)
{
    size_t samples = recon->scan.samples, voxels = recon->voxels;
    size_t back = ki_mri_sum_memory(recon->queue, voxels, samples),
           there = ki_mri_forward_memory(recon->queue, voxels, samples);

    return saturate_plus(saturate_plus(saturate_plus(back, there), saturate_times(samples, FLOATS)),
                         saturate_times(voxels, VECTORS * FLOATS));
}

// The scan, weights, an image for each coil and the combined one; and what is beside them.
static size_t host_bytes(const struct recon *recon, const struct mri_toeplitz_size *size)
{
    size_t samples = recon->scan.samples, coils = recon->scan.coils, voxels = recon->voxels,
           image = saturate_times(voxels, COMPLEX);
    size_t bytes = saturate_plus(saturate_times(samples, (MRI_AXES + 2) * sizeof(double) + coils * COMPLEX),
                                 saturate_times(saturate_plus(coils, 1), image));
    bool solves = recon->options.method == KN_RECON_METHOD_LEAST_SQUARES;

    if (recon->options.start)
        bytes = saturate_plus(bytes, saturate_times(coils, image));
    if (!recon->on_host)
        bytes = saturate_plus(bytes, saturate_times(voxels, FLOATS)); // on its way
    else if (solves)
        bytes = saturate_plus(bytes, saturate_plus(saturate_times(size->points, HOST_POINT),
                                                   saturate_times(image, HOST_VECTORS)));
    if (recon->on_host && solves && recon->options.normal == KN_RECON_NORMAL_FORWARD)
        bytes = saturate_plus(bytes, saturate_times(saturate_plus(voxels, samples), HOST_FORWARD));
    if (recon->options.method == KN_RECON_METHOD_GRIDDING && ki_recon_chunk(recon) < samples)
        bytes = saturate_plus(bytes, image); // a chunk's
    return bytes;
}

static size_t device_bytes(const struct recon *recon, const struct mri_toeplitz_size *size)
{
    size_t samples = recon->scan.samples, density = density_bytes(recon), bytes;

    if (recon->options.method == KN_RECON_METHOD_GRIDDING)
        bytes = gridding_bytes(recon, ki_recon_chunk(recon));
    else if (recon->options.method == KN_RECON_METHOD_ADJOINT)
        bytes = saturate_plus(ki_mri_sum_memory(recon->queue, ki_recon_slab(recon), samples),
                              saturate_times(ki_recon_slab(recon), FLOATS));
    else if (recon->options.normal == KN_RECON_NORMAL_FORWARD)
        bytes = forward_bytes(recon);
    else
        bytes =
            saturate_plus(saturate_plus(size->bytes, ki_mri_sum_memory(recon->queue, size->points, samples)),
                          saturate_times(recon->voxels, VECTORS * FLOATS));
    return bytes > density ? bytes : density;
}

kn_status ki_recon_measure(const struct recon *recon, kn_recon_solve_memory *memory, kn_error *err)
{
    struct mri_toeplitz_size size = {.points = 0};
    bool convolves = recon->options.method == KN_RECON_METHOD_LEAST_SQUARES &&
                     recon->options.normal == KN_RECON_NORMAL_TOEPLITZ;
    kn_status status = convolves ? ki_mri_toeplitz_measure(&recon->scan.matrix, &size, err) : KN_OK;

    if (status)
        return status;
    *memory = (kn_recon_solve_memory){
        .host = host_bytes(recon, &size),
        .host_has = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE),
        .device = recon->on_host ? 0 : device_bytes(recon, &size),
        .device_has = recon->on_host ? 0 : (size_t)ki_recon_device(recon)->global_memory};
    return KN_OK;
}

kn_status ki_recon_check_memory(const struct recon *recon, const kn_recon_solve_memory *memory, kn_error *err)
{
    const double mega = 1e6;

    if (memory->host > memory->host_has)
        return ki_fail(
            err, KN_ERROR_MEMORY,
            "%zu voxels, %zu samples and %zu coil%s need about %.0f MB of memory, and this machine "
            "has %.0f; take fewer at a time",
            recon->voxels, recon->scan.samples, recon->scan.coils, recon->scan.coils == 1 ? "" : "s",
            (double)memory->host / mega, (double)memory->host_has / mega);
    if (memory->device > memory->device_has)
        return ki_fail(err, KN_ERROR_MEMORY,
                       "%zu voxels and %zu samples need about %.0f MB of the device's memory, which is %.0f; "
                       "take another method, or a kernel of the host",
                       recon->voxels, recon->scan.samples, (double)memory->device / mega,
                       (double)memory->device_has / mega);
    return KN_OK;
}

static kn_status measure(const char *function, const kn_queue *queue, const kn_recon_scan *scan,
                         const kn_recon_solve_options *options, kn_recon_solve_memory *memory, kn_error *err)
{
    struct recon recon = {.queue = (kn_queue *)queue}; // which only its device is asked of
    kn_recon_solve_memory found = {0};
    kn_status status = ki_recon_request(function, queue, scan, options, NULL, &recon, err);

    if (!status && !memory)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "memory is NULL");
    if (!status)
        status = ki_recon_measure(&recon, &found, err);
    if (!status)
        *memory = found;
    return status;
}

kn_status kn_recon_solve_measure(const kn_queue *queue, const kn_recon_scan *scan,
                                 const kn_recon_solve_options *options, kn_recon_solve_memory *memory,
                                 kn_error *err)
{
    return ki_error_name(__func__, measure(__func__, queue, scan, options, memory, err), err);
}
