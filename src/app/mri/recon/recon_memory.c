// SPDX-License-Identifier: Apache-2.0
// How much memory a reconstruction takes, before it takes it.
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "recon_internal.h"

enum {
    COMPLEX = sizeof(double complex),
    FLOATS = 2 * sizeof(float), // a complex number on the device
    VECTORS = 6,                // images that ls has on the device
    HOST_VECTORS = 4,           // and on the host
    HOST_POINT = 24,            // bytes of a point of the host's grid
    HOST_FORWARD = 64,          // and of a voxel and of a sample, where the host has both sums instead
    // Bytes of a sample: itself, and for each of the tiles that its window touches (4.3 in 3D) an entry, and
    // cells of a part where a tile has many.
    GRIDDING_SAMPLE = 48 + 5 * 16,
    LARGEST_SAMPLE = 64 // of these in one allocation: entries of 8 tiles
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

size_t ki_recon_slab(const struct recon *recon)
{
    const kn_device_info *device = kn_context_get_device(kn_queue_get_context(recon->queue));
    size_t most = (size_t)(device->max_alloc < device->global_memory / 4 ? device->max_alloc
                                                                         : device->global_memory / 4) /
                  FLOATS;
    size_t slab = recon->options->slab ? recon->options->slab : most ? most : 1;

    return slab < recon->scan->voxels ? slab : recon->scan->voxels;
}

// Of gridding on the device: the grid, as much again for the transform, and the image; and with its samples.
static size_t grid_bytes(const struct recon *recon)
{
    return plus(times(gridding_points(recon->scan, &recon->options->gridding), 2 * FLOATS),
                times(recon->scan->voxels, FLOATS));
}

static size_t gridding_bytes(const struct recon *recon, size_t samples)
{
    return plus(grid_bytes(recon), times(samples, GRIDDING_SAMPLE));
}

size_t ki_recon_chunk(const struct recon *recon)
{
    const kn_device_info *device = kn_context_get_device(kn_queue_get_context(recon->queue));
    size_t samples = recon->scan->samples, grid = grid_bytes(recon), has = (size_t)device->global_memory;
    size_t chunk = has > grid ? (has - grid) / 2 / GRIDDING_SAMPLE : 0; // half of what is left

    if (chunk > device->max_alloc / LARGEST_SAMPLE)
        chunk = (size_t)device->max_alloc / LARGEST_SAMPLE;
    if (recon->options->chunk)
        chunk = recon->options->chunk;
    if (chunk == 0)
        chunk = 1; // too many already, which the estimate tells
    return chunk < samples ? chunk : samples;
}

// Pipe and Menon's weights take all samples at a time.
static size_t density_bytes(const struct recon *recon)
{
    const struct mri_recon_options *options = recon->options;

    return options->density == MRI_DENSITY_PIPE && !options->weights
               ? gridding_bytes(recon, recon->scan->samples)
               : 0;
}

// Of least squares by both sums, one after the other.
static size_t forward_bytes(const kn_queue *queue, const struct mri_scan *scan)
{
    size_t back = ki_mri_sum_memory(queue, scan->voxels, scan->samples),
           there = ki_mri_forward_memory(queue, scan->voxels, scan->samples);

    return plus(plus(back > there ? back : there, times(scan->samples, FLOATS)),
                times(scan->voxels, VECTORS * FLOATS));
}

static kn_status estimate(kn_queue *queue, const struct mri_scan *scan,
                          const struct mri_recon_options *options, struct mri_recon_memory *memory,
                          kn_error *err)
{
    const struct recon recon = {.queue = queue, .scan = scan, .options = options};
    struct mri_toeplitz_size size = {.points = 0};
    bool solves = options->solver == MRI_LS, forward = solves && options->normal == MRI_NORMAL_FORWARD;
    kn_status status = solves && !forward ? ki_mri_toeplitz_measure(&scan->matrix, &size, err) : KN_OK;

    if (status)
        return status;
    // The scan, weights, and an image for each coil and the combined one.
    memory->host = plus(times(scan->samples, (MRI_AXES + 2) * sizeof(double) + scan->coils * COMPLEX),
                        times(plus(scan->coils, 1), times(scan->voxels, COMPLEX)));
    if (options->start)
        memory->host = plus(memory->host, times(scan->coils, times(scan->voxels, COMPLEX)));
    if (!queue && solves)
        memory->host = plus(
            memory->host, plus(times(size.points, HOST_POINT), times(scan->voxels, HOST_VECTORS * COMPLEX)));
    if (!queue && forward)
        memory->host = plus(memory->host, times(plus(scan->voxels, scan->samples), HOST_FORWARD));
    if (!queue)
        return KN_OK;
    memory->host = plus(memory->host, times(scan->voxels, FLOATS)); // on its way
    if (forward)
        memory->device = forward_bytes(queue, scan);
    else if (solves)
        memory->device = plus(plus(size.bytes, ki_mri_sum_memory(queue, size.points, scan->samples)),
                              times(scan->voxels, VECTORS * FLOATS));
    else if (options->solver == MRI_GRIDDING)
        memory->device = gridding_bytes(&recon, ki_recon_chunk(&recon));
    else
        memory->device = plus(ki_mri_sum_memory(queue, ki_recon_slab(&recon), scan->samples),
                              times(ki_recon_slab(&recon), FLOATS));
    if (options->solver == MRI_GRIDDING && ki_recon_chunk(&recon) < scan->samples)
        memory->host = plus(memory->host, times(scan->voxels, COMPLEX)); // a chunk's image
    if (memory->device < density_bytes(&recon))
        memory->device = density_bytes(&recon);
    return KN_OK;
}

// ---- too much ----

static const double mega = 1e6;

// As many coils as the host has room for.
static kn_status refuse_host(const struct mri_scan *scan, const struct mri_recon_options *options,
                             const struct mri_recon_memory *memory, kn_error *err)
{
    size_t coil =
        plus(times(scan->samples, COMPLEX), times(scan->voxels, (options->start ? 2 : 1) * COMPLEX));
    size_t rest = memory->host - times(scan->coils, coil);
    size_t fit = memory->host < SIZE_MAX && memory->host_has > rest ? (memory->host_has - rest) / coil : 0;
    char what[64];

    if (fit)
        snprintf(what, sizeof what, "take %zu of the coils at a time", fit);
    else
        snprintf(what, sizeof what, "take a smaller --matrix, or fewer samples");
    return ki_fail(
        err, KN_ERROR_MEMORY,
        "%zu voxels, %zu samples and %zu coil%s need about %.0f MB of memory, and this machine has %.0f; %s",
        scan->voxels, scan->samples, scan->coils, scan->coils == 1 ? "" : "s", (double)memory->host / mega,
        (double)memory->host_has / mega, what);
}

// The first alternative that fits the device.
static kn_status refuse_device(kn_queue *queue, const struct mri_scan *scan,
                               const struct mri_recon_options *options, const struct mri_recon_memory *memory,
                               kn_error *err)
{
    static const struct {
        enum mri_recon_solver solver;
        enum mri_normal_method normal;
        double oversampling;
        const char *text;
    } alternatives[] = {
        {MRI_GRIDDING, MRI_NORMAL_TOEPLITZ, 2, "--solver gridding"},
        {MRI_GRIDDING, MRI_NORMAL_TOEPLITZ, 1.25, "--solver gridding --oversampling 1.25"},
        {MRI_LS, MRI_NORMAL_FORWARD, 0, "--normal forward, which takes long and no grid,"},
        {MRI_ADJOINT, MRI_NORMAL_TOEPLITZ, 0, "--solver adjoint, which goes through the voxels by slabs,"}};
    char what[96] = "";

    for (size_t i = 0; i < sizeof alternatives / sizeof *alternatives && !*what; i++) {
        struct mri_recon_options other = *options;
        struct mri_recon_memory takes = *memory;

        other.solver = alternatives[i].solver;
        other.normal = alternatives[i].normal;
        other.gridding.oversampling = alternatives[i].oversampling;
        if ((other.solver == MRI_GRIDDING && other.basis) ||
            (other.solver == MRI_LS && options->solver != MRI_LS))
            continue;
        if (!estimate(queue, scan, &other, &takes, NULL) && takes.device <= memory->device_has)
            snprintf(what, sizeof what, "%s fits with %.0f MB; ", alternatives[i].text,
                     (double)takes.device / mega);
    }
    return ki_fail(err, KN_ERROR_MEMORY,
                   "%zu voxels and %zu samples need about %.0f MB of the device's memory, which is %.0f; "
                   "%s--kernel host-double and host-single work on the host",
                   scan->voxels, scan->samples, (double)memory->device / mega,
                   (double)memory->device_has / mega, what);
}

kn_status ki_mri_recon_measure(kn_queue *queue, const struct mri_scan *scan,
                               const struct mri_recon_options *options, struct mri_recon_memory *memory,
                               kn_error *err)
{
    kn_status status;

    *memory = (struct mri_recon_memory){
        .host_has = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE),
        .device_has = queue ? (size_t)kn_context_get_device(kn_queue_get_context(queue))->global_memory : 0};
    status = estimate(queue, scan, options, memory, err);
    if (status)
        return status;
    if (memory->host > memory->host_has)
        return refuse_host(scan, options, memory, err);
    return queue && memory->device > memory->device_has ? refuse_device(queue, scan, options, memory, err)
                                                        : KN_OK;
}
