// SPDX-License-Identifier: Apache-2.0
// How much memory a reconstruction takes, before it takes it.
#include <stdint.h>
#include <unistd.h>

#include "../../base/error.h"
#include "recon_own.h"

enum {
    COMPLEX = sizeof(double complex),
    FLOATS = 2 * sizeof(float),  // a complex number on the device
    VECTORS = 6,                 // images that ls has on the device
    HOST_VECTORS = 4,            // and on the host
    HOST_POINT = 24,             // bytes of a point of the host's grid
    GRIDDING_SAMPLE = 24 + 5 * 8 // bytes of a sample: itself, and the tiles that its window touches
};

// a x b and a + b, SIZE_MAX where there is no such number.
static size_t times(size_t a, size_t b)
{
    size_t product;

    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

static size_t plus(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

// The grid's points, K = os N an axis.
static size_t gridding_points(const struct mri_scan *scan, const struct mri_gridding_options *options)
{
    double oversampling = options->oversampling > 0 ? options->oversampling : 2;
    size_t points = 1;

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        if (scan->matrix.size[axis] > 1)
            points = times(points, (size_t)(1.1 * oversampling * (double)scan->matrix.size[axis]) + 8);
    return points;
}

size_t recon_slab(const struct recon *recon)
{
    const kn_device_info *device = kn_context_device(kn_queue_context(recon->queue));
    size_t most = (size_t)(device->max_alloc < device->global_memory / 4 ? device->max_alloc
                                                                         : device->global_memory / 4) /
                  FLOATS;
    size_t slab = recon->options->slab ? recon->options->slab : most ? most : 1;

    return slab < recon->scan->voxels ? slab : recon->scan->voxels;
}

static kn_status estimate(kn_queue *queue, const struct mri_scan *scan,
                          const struct mri_recon_options *options, struct mri_recon_memory *memory,
                          kn_error *err)
{
    const struct recon recon = {.queue = queue, .scan = scan, .options = options};
    struct mri_toeplitz_size size = {.points = 0};
    kn_status status = options->solver == MRI_LS ? mri_toeplitz_measure(&scan->matrix, &size, err) : KN_OK;

    if (status)
        return status;
    // The scan, weights, and an image for each coil and the combined one.
    memory->host = plus(times(scan->samples, (MRI_AXES + 2) * sizeof(double) + scan->coils * COMPLEX),
                        times(plus(scan->coils, 1), times(scan->voxels, COMPLEX)));
    if (options->start)
        memory->host = plus(memory->host, times(scan->coils, times(scan->voxels, COMPLEX)));
    if (!queue && options->solver == MRI_LS)
        memory->host = plus(
            memory->host, plus(times(size.points, HOST_POINT), times(scan->voxels, HOST_VECTORS * COMPLEX)));
    if (!queue)
        return KN_OK;
    memory->host = plus(memory->host, times(scan->voxels, FLOATS)); // on its way
    if (options->solver == MRI_LS)
        memory->device = plus(plus(size.bytes, mri_sum_memory(size.points, scan->samples)),
                              times(scan->voxels, VECTORS * FLOATS));
    else if (options->solver == MRI_GRIDDING)
        memory->device = plus(times(gridding_points(scan, &options->gridding), 2 * FLOATS),
                              plus(times(scan->samples, GRIDDING_SAMPLE), times(scan->voxels, FLOATS)));
    else
        memory->device =
            plus(mri_sum_memory(recon_slab(&recon), scan->samples), times(recon_slab(&recon), FLOATS));
    return KN_OK;
}

kn_status mri_recon_measure(kn_queue *queue, const struct mri_scan *scan,
                            const struct mri_recon_options *options, struct mri_recon_memory *memory,
                            kn_error *err)
{
    const double mega = 1e6;
    kn_status status;

    *memory = (struct mri_recon_memory){
        .host_has = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE),
        .device_has = queue ? (size_t)kn_context_device(kn_queue_context(queue))->global_memory : 0};
    status = estimate(queue, scan, options, memory, err);
    if (status)
        return status;
    if (memory->host > memory->host_has)
        return kn_fail(
            err, KN_ERROR_MEMORY,
            "%zu voxels, %zu samples and %zu coils need about %.0f MB of memory, and this machine has "
            "%.0f; take a smaller --matrix, or fewer coils",
            scan->voxels, scan->samples, scan->coils, (double)memory->host / mega,
            (double)memory->host_has / mega);
    if (queue && memory->device > memory->device_has && options->solver != MRI_ADJOINT)
        return kn_fail(
            err, KN_ERROR_MEMORY,
            "%zu voxels need about %.0f MB of the device's memory, which is %.0f; --solver adjoint "
            "goes through them by slabs, and --kernel host-double and host-single work on the host",
            scan->voxels, (double)memory->device / mega, (double)memory->device_has / mega);
    return KN_OK;
}
