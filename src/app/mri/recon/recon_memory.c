// SPDX-License-Identifier: Apache-2.0
// How much memory a reconstruction takes, before it takes it.
#include <stdio.h>
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

size_t ki_recon_slab(const struct recon *recon)
{
    const kn_device_info *device = kn_context_get_device(kn_queue_get_context(recon->queue));
    size_t most = (size_t)(device->max_alloc < device->global_memory / 4 ? device->max_alloc
                                                                         : device->global_memory / 4) /
                  FLOATS;
    size_t slab = recon->options->slab ? recon->options->slab : most ? most : 1;

    return slab < recon->scan->voxels ? slab : recon->scan->voxels;
}

static size_t gridding_bytes(const struct recon *recon, size_t samples)
{
    return ki_mri_gridding_memory(&recon->scan->matrix, samples, &recon->options->gridding);
}

size_t ki_recon_chunk(const struct recon *recon)
{
    const kn_device_info *device = kn_context_get_device(kn_queue_get_context(recon->queue));
    size_t samples = recon->scan->samples, grid = gridding_bytes(recon, 0),
           has = (size_t)device->global_memory;
    size_t chunk = has > grid ? (has - grid) / 2 / MRI_GRIDDING_SAMPLE : 0; // half of what is left

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

    return options->density == KN_RECON_DENSITY_PIPE && !options->weights
               ? gridding_bytes(recon, recon->scan->samples)
               : 0;
}

// Of least squares by both sums, whose memory the queue keeps.
static size_t forward_bytes(const kn_queue *queue, const struct mri_scan *scan)
{
    size_t back = ki_mri_sum_memory(queue, scan->voxels, scan->samples),
           there = ki_mri_forward_memory(queue, scan->voxels, scan->samples);

    return saturate_plus(saturate_plus(saturate_plus(back, there), saturate_times(scan->samples, FLOATS)),
                         saturate_times(scan->voxels, VECTORS * FLOATS));
}

static kn_status estimate(kn_queue *queue, const struct mri_scan *scan,
                          const struct mri_recon_options *options, struct mri_recon_memory *memory,
                          kn_error *err)
{
    const struct recon recon = {.queue = queue, .scan = scan, .options = options};
    struct mri_toeplitz_size size = {.points = 0};
    bool solves = options->solver == MRI_LS, forward = solves && options->normal == KN_RECON_NORMAL_FORWARD;
    kn_status status = solves && !forward ? ki_mri_toeplitz_measure(&scan->matrix, &size, err) : KN_OK;

    if (status)
        return status;
    // The scan, weights, and an image for each coil and the combined one.
    memory->host =
        saturate_plus(saturate_times(scan->samples, (MRI_AXES + 2) * sizeof(double) + scan->coils * COMPLEX),
                      saturate_times(saturate_plus(scan->coils, 1), saturate_times(scan->voxels, COMPLEX)));
    if (options->start)
        memory->host =
            saturate_plus(memory->host, saturate_times(scan->coils, saturate_times(scan->voxels, COMPLEX)));
    if (!queue && solves)
        memory->host =
            saturate_plus(memory->host, saturate_plus(saturate_times(size.points, HOST_POINT),
                                                      saturate_times(scan->voxels, HOST_VECTORS * COMPLEX)));
    if (!queue && forward)
        memory->host = saturate_plus(
            memory->host, saturate_times(saturate_plus(scan->voxels, scan->samples), HOST_FORWARD));
    if (!queue)
        return KN_OK;
    memory->host = saturate_plus(memory->host, saturate_times(scan->voxels, FLOATS)); // on its way
    if (forward)
        memory->device = forward_bytes(queue, scan);
    else if (solves)
        memory->device =
            saturate_plus(saturate_plus(size.bytes, ki_mri_sum_memory(queue, size.points, scan->samples)),
                          saturate_times(scan->voxels, VECTORS * FLOATS));
    else if (options->solver == MRI_GRIDDING)
        memory->device = gridding_bytes(&recon, ki_recon_chunk(&recon));
    else
        memory->device = saturate_plus(ki_mri_sum_memory(queue, ki_recon_slab(&recon), scan->samples),
                                       saturate_times(ki_recon_slab(&recon), FLOATS));
    if (options->solver == MRI_GRIDDING && ki_recon_chunk(&recon) < scan->samples)
        memory->host = saturate_plus(memory->host, saturate_times(scan->voxels, COMPLEX)); // a chunk's image
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
    size_t coil = saturate_plus(saturate_times(scan->samples, COMPLEX),
                                saturate_times(scan->voxels, (options->start ? 2 : 1) * COMPLEX));
    size_t rest = memory->host - saturate_times(scan->coils, coil);
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
        kn_recon_normal_method normal;
        double oversampling;
        const char *text;
    } alternatives[] = {
        {MRI_GRIDDING, KN_RECON_NORMAL_TOEPLITZ, 2, "--solver gridding"},
        {MRI_GRIDDING, KN_RECON_NORMAL_TOEPLITZ, 1.25, "--solver gridding --oversampling 1.25"},
        {MRI_LS, KN_RECON_NORMAL_FORWARD, 0, "--normal forward, which takes long and no grid,"},
        {MRI_ADJOINT, KN_RECON_NORMAL_TOEPLITZ, 0,
         "--solver adjoint, which goes through the voxels by slabs,"}};
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
