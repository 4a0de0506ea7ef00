// SPDX-License-Identifier: Apache-2.0
// The stages of a reconstruction on a device, in single precision.
#include <stdlib.h>

#include "base/error.h"
#include "recon_internal.h"

enum { PIECE = 1 << 16 }; // numbers that are converted at a time

// ---- copies to and from the device ----

struct mri_bytes ki_recon_copy_memory(void)
{
    return (struct mri_bytes){.host = PIECE * MRI_PAIR};
}

kn_status ki_recon_download(kn_queue *queue, kn_buffer *buffer, size_t count, double complex *values,
                            kn_error *err)
{
    float *pairs = ki_kept_take(&queue->kept, 2 * PIECE * sizeof *pairs);
    kn_status status = pairs ? KN_OK : ki_fail_memory(err, 2 * PIECE * sizeof *pairs, "an image");

    for (size_t first = 0; first < count && !status; first += PIECE) {
        size_t piece = count - first < PIECE ? count - first : PIECE;

        status =
            kn_buffer_read(queue, buffer, first * 2 * sizeof *pairs, pairs, piece * 2 * sizeof *pairs, err);
        for (size_t i = 0; i < piece && !status; i++)
            values[first + i] = mri_complex((double)pairs[2 * i], (double)pairs[2 * i + 1]);
    }
    ki_kept_give(&queue->kept, pairs);
    return status;
}

kn_status ki_recon_upload(kn_queue *queue, const double complex *values, size_t count, kn_buffer *buffer,
                          kn_error *err)
{
    float *pairs = ki_kept_take(&queue->kept, 2 * PIECE * sizeof *pairs);
    kn_status status = pairs ? KN_OK : ki_fail_memory(err, 2 * PIECE * sizeof *pairs, "an image");

    for (size_t first = 0; first < count && !status; first += PIECE) {
        size_t piece = count - first < PIECE ? count - first : PIECE;

        for (size_t i = 0; i < piece; i++) {
            pairs[2 * i] = (float)creal(values[first + i]);
            pairs[2 * i + 1] = (float)cimag(values[first + i]);
        }
        status =
            kn_buffer_write(queue, buffer, first * 2 * sizeof *pairs, pairs, piece * 2 * sizeof *pairs, err);
    }
    ki_kept_give(&queue->kept, pairs);
    return status;
}

static kn_status create(struct recon *recon, size_t count, kn_buffer **buffer, kn_error *err)
{
    return kn_buffer_create(kn_queue_get_context(recon->queue), count * 2 * sizeof(float), buffer, err);
}

// ---- the adjoint ----

static const kn_device_info *device_of(const struct recon *recon)
{
    return kn_context_get_device(kn_queue_get_context(recon->queue));
}

// The voxels computed at a time.
static size_t slab_of(const struct recon *recon)
{
    const kn_device_info *device = device_of(recon);
    uint64_t quarter = device->global_memory / 4;
    size_t most = (size_t)(device->max_alloc < quarter ? device->max_alloc : quarter) / MRI_PAIR;
    size_t slab = recon->extras.slab ? recon->extras.slab : most ? most : 1;

    if (mri_kernel_is_transform(recon->kernel)) // a transform gives the whole image
        return recon->voxels;
    return slab < recon->voxels ? slab : recon->voxels;
}

// A NUFFT for both sums, and the image that is compared with the exact sum.
static struct mri_bytes nufft_memory(const struct recon *recon)
{
    return mri_bytes_both(ki_mri_nufft_memory(&recon->scan.matrix, recon->scan.samples),
                          (struct mri_bytes){.host = saturate_times(recon->voxels, MRI_COMPLEX)});
}

static struct mri_bytes adjoint_memory(const struct recon *recon)
{
    size_t slab = slab_of(recon);
    const struct mri_bytes image = {.device = saturate_times(slab, MRI_PAIR)};

    return mri_bytes_both(image, mri_kernel_is_transform(recon->kernel)
                                     ? nufft_memory(recon)
                                     : ki_mri_sum_memory(recon->queue, slab, recon->scan.samples));
}

// A coil's image by a NUFFT, compared with the exact sum.
static kn_status check_nufft(struct recon *recon, const struct mri_sum *sum, kn_buffer *image, kn_error *err)
{
    double complex *values = malloc(recon->voxels * sizeof *values);
    kn_status status = values ? ki_recon_download(recon->queue, image, recon->voxels, values, err)
                              : ki_fail_memory(err, recon->voxels * sizeof *values, "the image of a NUFFT");

    if (!status)
        status = ki_recon_check_nufft(recon, sum, values, err);
    free(values);
    return status;
}

// Computes the sum->count voxels from sum->first on, in `image`.
static kn_status adjoint(struct recon *recon, const struct mri_sum *given, kn_buffer *image, kn_error *err)
{
    struct recon_clock clock = ki_recon_start(recon);
    struct mri_sum sum = *given;
    kn_recon_rate rate = {0};
    kn_status status = KN_OK;

    // All coils have the same sample positions.
    if (mri_kernel_is_transform(recon->kernel) && !recon->device_nufft)
        status = ki_mri_nufft_create(recon->queue, &sum.matrix, 1, sum.k, sum.samples, sum.weights, sum.basis,
                                     sum.tolerance, &recon->device_nufft, err);
    sum.device_nufft = recon->device_nufft;
    if (!status)
        status = ki_mri_sum_device(recon->queue, &sum, recon->kernel, image, &rate, err);
    if (!status)
        status = kn_queue_finish(recon->queue, err);
    if (status)
        return status;
    ki_recon_stop(recon, &clock, &recon->result->details.fhd);
    ki_recon_add_rate(&recon->result->details.fhd, &rate);
    return mri_kernel_is_nufft(recon->kernel) && recon->result->details.nufft_voxels == 0
               ? check_nufft(recon, &sum, image, err)
               : KN_OK;
}

static kn_status adjoint_coils(struct recon *recon, double complex *images, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    size_t slab = slab_of(recon);
    double all = (double)(scan->coils * recon->voxels);
    kn_buffer *image = NULL;
    kn_status status = create(recon, slab, &image, err);

    for (size_t coil = 0; coil < scan->coils && !status; coil++) {
        struct mri_sum sum = ki_recon_sum(recon, coil);

        for (sum.first = 0; sum.first < recon->voxels && !status; sum.first += slab) {
            size_t at = coil * recon->voxels + sum.first;

            sum.count = recon->voxels - sum.first < slab ? recon->voxels - sum.first : slab;
            status = ki_recon_step(recon, (double)at / all, (double)(at + sum.count) / all, err);
            if (!status)
                status = adjoint(recon, &sum, image, err);
            if (!status)
                status = ki_recon_download(recon->queue, image, sum.count, images + at, err);
        }
    }
    kn_buffer_free(image);
    return status;
}

// ---- least squares ----

static kn_status make_toeplitz(struct recon *recon, struct mri_toeplitz **toeplitz, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    const kn_recon_extras *extras = &recon->extras;
    kn_recon_details *details = &recon->result->details;
    struct recon_clock clock = ki_recon_start(recon);
    kn_status status =
        extras->load_q ? ki_mri_toeplitz_load(recon->queue, &scan->matrix, scan->k, scan->samples,
                                              recon->normal_weights, extras->load_q, toeplitz, err)
        : extras->differences
            ? ki_mri_toeplitz_from(recon->queue, &scan->matrix, scan->k, scan->samples, recon->normal_weights,
                                   recon->kernel, extras->differences, toeplitz, err)
        : recon->kernel == MRI_NUFFT
            ? ki_mri_toeplitz_compute_nufft(recon->queue, &scan->matrix, scan->k, scan->samples,
                                            recon->normal_weights, recon->nufft_tolerance, toeplitz,
                                            &details->q.rate, err)
            : ki_mri_toeplitz_compute(recon->queue, &scan->matrix, scan->k, scan->samples,
                                      recon->normal_weights, recon->kernel, toeplitz, &details->q.rate, err);

    if (!status)
        status = kn_queue_finish(recon->queue, err);
    if (status)
        return status;
    ki_recon_stop(recon, &clock, &details->q);
    details->q_loaded = extras->load_q != NULL;
    details->bound = ki_mri_toeplitz_bound(*toeplitz);
    details->q_kernel = ki_mri_toeplitz_kernel(*toeplitz);
    return extras->save_q ? ki_mri_toeplitz_save(recon->queue, *toeplitz, scan->k, recon->normal_weights,
                                                 extras->save_q, extras->force, err)
                          : KN_OK;
}

// F^H W F by one of two methods (the other one is NULL); its sum over all coils with their maps; and the
// solver.
struct equations {
    struct mri_toeplitz *toeplitz;
    struct mri_forward_normal *forward;
    struct mri_maps *maps;
    struct mri_normal joint;
    struct mri_solver *solver;
};

static kn_status join(struct recon *recon, const struct mri_normal *one, struct equations *made,
                      kn_error *err)
{
    const double complex *maps = ki_recon_maps(recon);
    size_t voxels = recon->voxels, coils = recon->scan.coils;
    struct mri_sense of = {.a = one->a, .coils = coils};
    kn_status status = ki_mri_maps_create(recon->queue, maps, coils, voxels, &made->maps, err);

    of.there = made->maps;
    made->joint = (struct mri_normal){one->matrix, one->bound * ki_mri_maps_bound(maps, coils, voxels), NULL};
    recon->result->details.bound = made->joint.bound;
    return status ? status : ki_mri_sense_begin(&of, &made->joint.a, err);
}

static kn_status make_equations(struct recon *recon, struct equations *made, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    bool forward = recon->options.normal == KN_RECON_NORMAL_FORWARD;
    const struct mri_normal *one;
    kn_status status = forward
                           ? ki_mri_forward_normal_create(recon->queue, &scan->matrix, scan->k, scan->samples,
                                                          recon->normal_weights, recon->kernel,
                                                          recon->nufft_tolerance, &made->forward, err)
                           : make_toeplitz(recon, &made->toeplitz, err);

    if (status)
        return status;
    one = forward ? ki_mri_forward_normal_of(made->forward) : ki_mri_toeplitz_normal(made->toeplitz);
    if (recon->joint)
        status = join(recon, one, made, err);
    return status ? status
                  : ki_mri_solver_create(recon->queue, recon->joint ? &made->joint : one, &recon->ls,
                                         &made->solver, err);
}

static void free_equations(struct recon *recon, struct equations *made)
{
    if (made->forward) {
        const kn_recon_rate rate = ki_mri_forward_normal_rate(made->forward);

        ki_recon_set_normal(recon, &rate);
    }
    ki_mri_solver_free(made->solver);
    ki_mri_normal_end(&made->joint);
    ki_mri_maps_free(made->maps);
    ki_mri_forward_normal_free(made->forward);
    ki_mri_toeplitz_free(made->toeplitz);
}

// Solves for the i-th image, and copies it to the host.
static kn_status solve(struct recon *recon, struct mri_solver *solver, size_t i, const kn_buffer *fhd,
                       kn_buffer *image, double complex *images, kn_error *err)
{
    const double complex *start = ki_recon_start_of(recon, i);
    struct recon_clock clock;
    kn_status status = KN_OK;

    if (start)
        status = ki_recon_upload(recon->queue, start, recon->voxels, image, err);
    clock = ki_recon_start(recon);
    if (!status)
        status = ki_mri_solver_solve(recon->queue, solver, fhd, start ? image : NULL, image,
                                     &recon->result->coils[i], err);
    if (!status)
        status = kn_queue_finish(recon->queue, err);
    if (status)
        return status;
    ki_recon_stop(recon, &clock, &recon->result->details.solver);
    return ki_recon_download(recon->queue, image, recon->voxels, images + i * recon->voxels, err);
}

// F^H d and the image, the equations and their solver; for all coils together, also their maps, the sum over
// them, and the operator's vectors.
static struct mri_bytes solver_memory(const struct recon *recon, const struct mri_toeplitz_size *size)
{
    size_t samples = recon->scan.samples, voxels = recon->voxels;
    bool transform = mri_kernel_is_transform(recon->kernel);
    const struct mri_bytes images = {.device = saturate_times(voxels, 2 * MRI_PAIR)},
                           adjoint = transform ? nufft_memory(recon)
                                               : ki_mri_sum_memory(recon->queue, voxels, samples);
    struct mri_bytes normal = recon->options.normal == KN_RECON_NORMAL_FORWARD
                                  ? ki_mri_forward_normal_memory(recon->queue, voxels, samples)
                              : recon->kernel == MRI_NUFFT
                                  ? ki_mri_toeplitz_nufft_memory(&recon->scan.matrix, size, samples)
                                  : ki_mri_toeplitz_memory(recon->queue, size, samples);

    // The queue keeps the memory of exact sums, which use it one after the other.
    normal = transform ? mri_bytes_both(normal, adjoint) : mri_bytes_either(normal, adjoint);
    if (recon->joint)
        normal = mri_bytes_both(
            normal, (struct mri_bytes){.host = saturate_times(voxels, MRI_PAIR),
                                       .device = saturate_times(voxels, (recon->scan.coils + 3) * MRI_PAIR)});
    return mri_bytes_both(mri_bytes_both(images, normal), ki_mri_solver_memory(&recon->ls, voxels));
}

static kn_status solve_coils(struct recon *recon, double complex *images, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    struct equations equations = {.toeplitz = NULL};
    kn_buffer *fhd = NULL, *image = NULL, *sum = NULL;
    kn_status status = create(recon, recon->voxels, &fhd, err);

    if (!status)
        status = create(recon, recon->voxels, &image, err);
    if (!status && recon->joint)
        status = create(recon, recon->voxels, &sum, err);
    if (!status)
        status = make_equations(recon, &equations, err);
    for (size_t coil = 0; coil < scan->coils && !status; coil++) {
        const struct mri_sum of_coil = ki_recon_sum(recon, coil);
        double done;

        recon->coil = recon->joint ? 0 : coil;
        done = (double)recon->coil / (double)recon->images;
        status = ki_recon_step(recon, done, done, err);
        if (!status)
            status = adjoint(recon, &of_coil, fhd, err);
        if (!status && recon->joint)
            status = ki_mri_maps_add(recon->queue, equations.maps, coil, fhd, coil == 0, sum, err);
        else if (!status)
            status = solve(recon, equations.solver, coil, fhd, image, images, err);
    }
    if (!status && recon->joint)
        status = solve(recon, equations.solver, 0, sum, image, images, err);
    free_equations(recon, &equations);
    kn_buffer_free(sum);
    kn_buffer_free(image);
    kn_buffer_free(fhd);
    return status;
}

// ---- gridding ----

enum { LARGEST_SAMPLE = 64 }; // bytes per sample in one allocation: sums of a tile's parts

static struct mri_bytes gridding_memory(const struct recon *recon, size_t samples)
{
    return ki_mri_gridding_memory(&recon->scan.matrix, samples, &recon->gridding);
}

size_t ki_recon_chunk(const struct recon *recon)
{
    const kn_device_info *device = device_of(recon);
    size_t samples = recon->scan.samples, grid = gridding_memory(recon, 0).device,
           has = (size_t)device->global_memory;
    size_t chunk = has > grid ? (has - grid) / 2 / MRI_GRIDDING_SAMPLE : 0; // half of what is left

    if (chunk > device->max_alloc / LARGEST_SAMPLE)
        chunk = (size_t)device->max_alloc / LARGEST_SAMPLE;
    if (recon->extras.chunk)
        chunk = recon->extras.chunk;
    if (chunk == 0)
        chunk = 1; // there is no memory even for one sample, which the estimate reports
    return chunk < samples ? chunk : samples;
}

// The image of a chunk on the device and, if there are several chunks, on the host.
static struct mri_bytes chunk_memory(const struct recon *recon)
{
    size_t chunk = ki_recon_chunk(recon);
    const struct mri_bytes image = {
        .host = chunk < recon->scan.samples ? saturate_times(recon->voxels, MRI_COMPLEX) : 0,
        .device = saturate_times(recon->voxels, MRI_PAIR)};

    return mri_bytes_both(image, gridding_memory(recon, chunk));
}

// Adds the chunk's part to every coil's image.
static kn_status grid_chunk(struct recon *recon, size_t first, size_t count, kn_buffer *image,
                            double complex *part, double complex *images, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    struct mri_gridding *gridding = NULL;
    kn_status status = ki_mri_gridding_create(recon->queue, &scan->matrix, scan->k + MRI_AXES * first, count,
                                              &recon->gridding, &gridding, err);

    for (size_t coil = 0; coil < scan->coils && !status; coil++) {
        double complex *whole = images + coil * recon->voxels;
        double share = (double)count * (double)coil / (double)scan->coils,
               done = ((double)first + share) / (double)scan->samples;

        status = ki_recon_step(recon, done, done, err);
        if (!status)
            status = ki_mri_gridding_adjoint(recon->queue, gridding, ki_recon_data(recon, coil) + first,
                                             recon->weights ? recon->weights + first : NULL, image, err);
        if (!status)
            status = ki_recon_download(recon->queue, image, recon->voxels, first ? part : whole, err);
        for (size_t n = 0; n < recon->voxels && first && !status; n++)
            whole[n] += part[n];
    }
    ki_mri_gridding_free(gridding);
    return status;
}

static kn_status grid_coils(struct recon *recon, double complex *images, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    struct recon_clock clock = ki_recon_start(recon);
    size_t chunk = ki_recon_chunk(recon), first = 0;
    double complex *part = chunk < scan->samples ? malloc(recon->voxels * sizeof *part) : NULL;
    kn_buffer *image = NULL;
    kn_status status = chunk < scan->samples && !part
                           ? ki_fail_memory(err, recon->voxels * sizeof *part, "a part of the image")
                           : create(recon, recon->voxels, &image, err);

    while (!status && first < scan->samples) {
        size_t count = scan->samples - first < chunk ? scan->samples - first : chunk;

        status = grid_chunk(recon, first, count, image, part, images, err);
        first += count;
    }
    if (!status)
        ki_recon_stop(recon, &clock, &recon->result->details.gridding);
    kn_buffer_free(image);
    free(part);
    return status;
}

struct mri_bytes ki_recon_on_device_memory(const struct recon *recon, const struct mri_toeplitz_size *size)
{
    kn_recon_method method = recon->options.method;

    return mri_bytes_both(ki_recon_copy_memory(), method == KN_RECON_METHOD_GRIDDING ? chunk_memory(recon)
                                                  : method == KN_RECON_METHOD_ADJOINT
                                                      ? adjoint_memory(recon)
                                                      : solver_memory(recon, size));
}

kn_status ki_recon_on_device(struct recon *recon, double complex *images, kn_error *err)
{
    static kn_status (*const solvers[])(struct recon * recon, double complex *images,
                                        kn_error *err) = {[KN_RECON_METHOD_LEAST_SQUARES] = solve_coils,
                                                          [KN_RECON_METHOD_ADJOINT] = adjoint_coils,
                                                          [KN_RECON_METHOD_GRIDDING] = grid_coils};

    kn_status status = solvers[recon->options.method](recon, images, err);

    ki_mri_nufft_free(recon->device_nufft);
    recon->device_nufft = NULL;
    return status;
}
