// SPDX-License-Identifier: Apache-2.0
// The memory that a reconstruction will take.
#include <unistd.h>

#include "app/mri/density.h"
#include "base/error.h"
#include "engine/engine.h"
#include "recon_internal.h"

// The scan and maps (the caller's or estimated), the weights made from it, an image for each system that is
// solved, and the combined image.
static struct mri_bytes arrays_of(const struct recon *recon)
{
    enum { WEIGHTS = 2 }; // those of the adjoint and those of the normal operator
    size_t coils = recon->scan.coils, image = saturate_times(recon->voxels, MRI_COMPLEX),
           sample = MRI_POSITION + WEIGHTS * sizeof(double) + coils * MRI_COMPLEX;
    size_t solved = recon->images * (recon->options.start ? 2 : 1),
           images = solved + 1 + (recon->joint ? coils : 0);

    return (struct mri_bytes){
        .host = saturate_plus(saturate_times(recon->scan.samples, sample), saturate_times(images, image))};
}

kn_status ki_recon_measure(const struct recon *recon, kn_recon_solve_memory *memory, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    struct mri_toeplitz_size size = {.points = 0};
    bool convolves = recon->options.method == KN_RECON_METHOD_LEAST_SQUARES &&
                     recon->options.normal == KN_RECON_NORMAL_TOEPLITZ;
    kn_status status =
        convolves ? ki_mri_toeplitz_measure_for(&scan->matrix, recon->kernel, &size, err) : KN_OK;
    struct mri_bytes stages, all;

    if (status)
        return status;
    stages = recon->on_host ? ki_recon_on_host_memory(recon, &size) : ki_recon_on_device_memory(recon, &size);
    stages = mri_bytes_either(stages, ki_recon_check_memory_of(recon));
    stages =
        mri_bytes_either(stages, ki_mri_density_memory(&scan->matrix, scan->samples, recon->options.density));
    if (recon->options.sense == KN_RECON_SENSE_LOWRES)
        stages = mri_bytes_either(stages, ki_mri_maps_lowres_memory(scan));
    if (recon->options.sense == KN_RECON_SENSE_ESPIRIT)
        stages = mri_bytes_either(stages, ki_mri_maps_espirit_memory(scan));
    all = mri_bytes_both(arrays_of(recon), stages);
    *memory = (kn_recon_solve_memory){
        .host = all.host, .host_has = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE)};
    if (!recon->on_host) {
        memory->device = all.device;
        memory->device_has = (size_t)recon->queue->context->device.info.global_memory;
    }
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
    struct recon recon = {.queue = (kn_queue *)queue}; // only its device is read
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
