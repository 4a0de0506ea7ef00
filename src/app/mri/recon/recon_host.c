// SPDX-License-Identifier: Apache-2.0
// The stages of a reconstruction on the host: its sums in double or single precision, its solver in double.
#include <stdlib.h>

#include "base/error.h"
#include "app/mri/solver/host_solver.h"
#include "recon_internal.h"

static kn_status add_adjoint(struct recon *recon, size_t coil, double complex *image, kn_error *err)
{
    const struct mri_sum sum = ki_recon_sum(recon, coil);
    struct recon_clock clock = ki_recon_start(recon);
    struct mri_sum_rate rate = {0};
    kn_status status = ki_mri_sum_host(&sum, recon->options->kernel, NULL, image, &rate, err);

    if (status)
        return status;
    ki_recon_stop(recon, &clock, &recon->result->fhd);
    ki_recon_add_rate(&recon->result->fhd, &rate);
    return KN_OK;
}

static kn_status make_normal(struct recon *recon, struct mri_host_normal **normal, kn_error *err)
{
    const struct mri_scan *scan = recon->scan;
    struct mri_recon_result *result = recon->result;
    struct recon_clock clock = ki_recon_start(recon);
    kn_status status;

    if (recon->options->normal == KN_RECON_NORMAL_FORWARD)
        return ki_mri_host_normal_create_forward(&scan->matrix, scan->k, scan->samples, recon->normal_weights,
                                                 recon->options->kernel, NULL, normal, err);
    status = ki_mri_host_normal_create(&scan->matrix, scan->k, scan->samples, recon->normal_weights,
                                       recon->options->kernel, NULL, normal, &result->q.rate, err);

    if (status)
        return status;
    ki_recon_stop(recon, &clock, &result->q);
    result->bound = ki_mri_host_normal_bound(*normal);
    result->q_kernel = ki_mri_kernel_names[recon->options->kernel];
    return KN_OK;
}

static kn_status solve(struct recon *recon, struct mri_host_normal *normal, size_t coil,
                       const double complex *fhd, double complex *image, kn_error *err)
{
    const double complex *start = recon->options->start;
    size_t voxels = recon->scan->voxels;
    struct recon_clock clock = ki_recon_start(recon);
    kn_status status = ki_mri_host_solve(normal, fhd, &recon->ls, start ? start + coil * voxels : NULL, image,
                                         &recon->result->coils[coil], err);

    ki_recon_stop(recon, &clock, &recon->result->solver);
    return status;
}

kn_status ki_recon_on_host(struct recon *recon, double complex *images, kn_error *err)
{
    const struct mri_scan *scan = recon->scan;
    bool solves = recon->options->solver == MRI_LS;
    struct mri_host_normal *normal = NULL;
    double complex *fhd = solves ? malloc(scan->voxels * sizeof *fhd) : NULL;
    kn_status status =
        solves && !fhd ? ki_fail_memory(err, scan->voxels * sizeof *fhd, "the adjoint") : KN_OK;

    if (!status && solves)
        status = make_normal(recon, &normal, err);
    for (size_t coil = 0; coil < scan->coils && !status; coil++) {
        double complex *image = images + coil * scan->voxels;

        recon->coil = coil;
        ki_recon_step(recon, (double)coil / (double)scan->coils);
        status = add_adjoint(recon, coil, solves ? fhd : image, err);
        if (!status && solves)
            status = solve(recon, normal, coil, fhd, image, err);
    }
    if (!status && solves && recon->options->normal == KN_RECON_NORMAL_FORWARD) {
        const struct mri_sum_rate rate = ki_mri_host_normal_rate(normal);

        ki_recon_set_normal(recon, &rate);
    }
    ki_mri_host_normal_free(normal);
    free(fhd);
    return status;
}
