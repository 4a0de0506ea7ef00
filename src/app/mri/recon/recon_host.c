// SPDX-License-Identifier: Apache-2.0
// The stages of a reconstruction on the host: sums in double or single precision, the solver in double
// precision.
#include <stdlib.h>

#include "base/error.h"
#include "app/mri/solver/host_solver.h"
#include "recon_internal.h"

static kn_status add_adjoint(struct recon *recon, size_t coil, double complex *image, kn_error *err)
{
    struct mri_sum sum = ki_recon_sum(recon, coil);
    struct recon_clock clock = ki_recon_start(recon);
    kn_recon_rate rate = {0};
    kn_status status = KN_OK;

    // All coils have the same sample positions.
    if (mri_kernel_is_transform(recon->kernel) && !recon->nufft)
        status = ki_mri_nufft_for(&sum, recon->kernel, NULL, &recon->nufft, err);
    sum.nufft = recon->nufft;
    if (!status)
        status = ki_mri_sum_host(&sum, recon->kernel, NULL, image, &rate, err);
    if (status)
        return status;
    ki_recon_stop(recon, &clock, &recon->result->details.fhd);
    ki_recon_add_rate(&recon->result->details.fhd, &rate);
    return mri_kernel_is_nufft(recon->kernel) && coil == 0 ? ki_recon_check_nufft(recon, &sum, image, err)
                                                           : KN_OK;
}

static kn_status make_normal(struct recon *recon, struct mri_host_normal **normal, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    const struct mri_sum of = {.matrix = scan->matrix,
                               .k = scan->k,
                               .samples = scan->samples,
                               .weights = recon->normal_weights,
                               .tolerance = recon->nufft_tolerance,
                               .ask = &recon->ask};
    kn_recon_details *details = &recon->result->details;
    struct recon_clock clock = ki_recon_start(recon);
    kn_status status;

    if (recon->options.normal == KN_RECON_NORMAL_FORWARD)
        return ki_mri_host_normal_create_forward(&of, recon->kernel, normal, err);
    status = ki_mri_host_normal_create(&of, recon->kernel, normal, &details->q.rate, err);
    if (status)
        return status;
    ki_recon_stop(recon, &clock, &details->q);
    details->bound = ki_mri_host_normal_bound(*normal);
    details->q_kernel = ki_mri_kernel_names[recon->kernel];
    return KN_OK;
}

static kn_status solve(struct recon *recon, const struct mri_normal *normal, size_t i,
                       const double complex *fhd, double complex *image, kn_error *err)
{
    struct recon_clock clock = ki_recon_start(recon);
    kn_status status = ki_mri_host_solve(normal, fhd, &recon->ls, ki_recon_start_of(recon, i), image,
                                         &recon->result->coils[i], err);

    ki_recon_stop(recon, &clock, &recon->result->details.solver);
    return status;
}

struct mri_bytes ki_recon_on_host_memory(const struct recon *recon, const struct mri_toeplitz_size *size)
{
    size_t samples = recon->scan.samples, voxels = recon->voxels;
    const struct mri_bytes sum = ki_mri_sum_host_memory(&recon->scan.matrix, samples, recon->kernel),
                           fhd = {.host = saturate_times(voxels, MRI_COMPLEX)};
    struct mri_bytes normal;

    if (recon->options.method != KN_RECON_METHOD_LEAST_SQUARES)
        return sum;
    normal = recon->options.normal == KN_RECON_NORMAL_FORWARD
                 ? ki_mri_host_normal_forward_memory(&recon->scan.matrix, voxels, samples, recon->kernel)
                 : ki_mri_host_normal_memory(size, samples, recon->kernel);
    normal = mri_bytes_both(mri_bytes_both(fhd, normal), ki_mri_host_solve_memory(&recon->ls, voxels));
    if (recon->joint) // the sum over coils, and the operator's vectors
        normal.host = saturate_plus(normal.host, saturate_times(voxels, 3 * MRI_COMPLEX));
    return normal;
}

// Solves for one image with the maps of all coils, from the sum of S^H F^H d.
static kn_status solve_jointly(struct recon *recon, const struct mri_host_normal *single, double complex *fhd,
                               double complex *image, kn_error *err)
{
    const struct mri_normal *one = ki_mri_host_normal_of(single);
    const double complex *maps = ki_recon_maps(recon);
    size_t voxels = recon->voxels, coils = recon->scan.coils;
    const struct mri_sense of = {.a = one->a, .coils = coils, .maps = (double complex *)maps};
    struct mri_normal all = {one->matrix, one->bound * ki_mri_maps_bound(maps, coils, voxels), NULL};
    double complex *sum = calloc(voxels, sizeof *sum);
    kn_status status = sum ? ki_mri_sense_begin(&of, &all.a, err)
                           : ki_fail_memory(err, voxels * sizeof *sum, "the sum over coils");

    recon->result->details.bound = all.bound;
    for (size_t coil = 0; coil < coils && !status; coil++) {
        status = ki_recon_step(recon, 0, 0, err);
        if (!status)
            status = add_adjoint(recon, coil, fhd, err);
        if (!status)
            ki_mri_map_add(maps + coil * voxels, fhd, voxels, sum);
    }
    if (!status)
        status = solve(recon, &all, 0, sum, image, err);
    ki_mri_normal_end(&all);
    free(sum);
    return status;
}

kn_status ki_recon_on_host(struct recon *recon, double complex *images, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    bool solves = recon->options.method == KN_RECON_METHOD_LEAST_SQUARES;
    struct mri_host_normal *normal = NULL;
    double complex *fhd = solves ? malloc(recon->voxels * sizeof *fhd) : NULL;
    kn_status status =
        solves && !fhd ? ki_fail_memory(err, recon->voxels * sizeof *fhd, "the adjoint") : KN_OK;

    if (!status && solves)
        status = make_normal(recon, &normal, err);
    if (!status && recon->joint)
        status = solve_jointly(recon, normal, fhd, images, err);
    for (size_t coil = 0; coil < scan->coils && !status && !recon->joint; coil++) {
        double complex *image = images + coil * recon->voxels;

        recon->coil = coil;
        status = ki_recon_step(recon, (double)coil / (double)scan->coils,
                               (double)(coil + !solves) / (double)scan->coils, err);
        if (!status)
            status = add_adjoint(recon, coil, solves ? fhd : image, err);
        if (!status && solves)
            status = solve(recon, ki_mri_host_normal_of(normal), coil, fhd, image, err);
    }
    if (!status && solves && recon->options.normal == KN_RECON_NORMAL_FORWARD) {
        const kn_recon_rate rate = ki_mri_host_normal_rate(normal);

        ki_recon_set_normal(recon, &rate);
    }
    ki_mri_host_normal_free(normal);
    ki_mri_host_nufft_free(recon->nufft);
    recon->nufft = NULL;
    free(fhd);
    return status;
}
