// SPDX-License-Identifier: Apache-2.0
// A plan's operations on the host. F is a product of matrices, a Fourier transform, or the adjoint's sum with
// the roles exchanged: its voxels are the samples at -k, and its data are the image.
#include <stdlib.h>

#include "base/error.h"
#include "plan_internal.h"

// Prepares a NUFFT for both sums; does nothing for other kernels.
static kn_status prepare_nufft(kn_recon_plan *plan, kn_error *err)
{
    const struct mri_sum sum = {.matrix = plan->request.matrix,
                                .k = plan->k,
                                .samples = plan->request.samples,
                                .tolerance = plan->request.tolerance,
                                .ask = &plan->ask};

    return plan->nufft || !mri_kernel_is_transform(plan->request.kernel)
               ? KN_OK
               : ki_mri_nufft_for(&sum, plan->request.kernel, NULL, &plan->nufft, err);
}

kn_status ki_recon_host_prepare_forward(kn_recon_plan *plan, kn_error *err)
{
    const struct recon_request *request = &plan->request;
    double *positions, *opposite;

    if (mri_kernel_is_transform(request->kernel))
        return prepare_nufft(plan, err);
    if (plan->positions || mri_kernel_is_separable(request->kernel))
        return KN_OK;
    positions = malloc(MRI_AXES * request->voxels * sizeof *positions);
    opposite = malloc(MRI_AXES * request->samples * sizeof *opposite);
    if (!positions || !opposite) {
        free(positions);
        free(opposite);
        return ki_fail_memory(err, MRI_AXES * (request->voxels + request->samples) * sizeof *positions,
                              "the positions of voxels and samples");
    }
    for (size_t n = 0; n < request->voxels; n++)
        for (size_t axis = 0, rest = n; axis < MRI_AXES; rest /= request->matrix.size[axis], axis++)
            positions[MRI_AXES * n + axis] =
                ki_mri_position(rest % request->matrix.size[axis], request->matrix.size[axis]);
    for (size_t i = 0; i < MRI_AXES * request->samples; i++)
        opposite[i] = -plan->k[i];
    plan->positions = positions;
    plan->opposite = opposite;
    return KN_OK;
}

// Every sample with every voxel: the adjoint's sum with the roles exchanged.
static kn_status exchanged(kn_recon_plan *plan, const double complex *image, double complex *data,
                           kn_error *err)
{
    const struct recon_request *request = &plan->request;
    const struct mri_sum sum = {.matrix = {MRI_AXES, {request->samples, 1, 1}},
                                .positions = plan->opposite,
                                .k = plan->positions,
                                .samples = request->voxels,
                                .data = image,
                                .kept = &plan->kept,
                                .ask = &plan->ask};

    return ki_mri_sum_host(&sum, request->kernel, NULL, data, NULL, err);
}

kn_status ki_recon_host_forward(kn_recon_plan *plan, const double complex *image, double complex *data,
                                kn_error *err)
{
    const struct recon_request *request = &plan->request;
    kn_status status = ki_recon_host_prepare_forward(plan, err);

    if (!status && plan->nufft)
        status = ki_mri_host_nufft_forward(plan->nufft, image, data, err);
    else if (!status)
        status = mri_kernel_is_separable(request->kernel)
                     ? ki_mri_forward_host(&request->matrix, plan->k, request->samples, image,
                                           request->kernel, NULL, &plan->kept, &plan->ask, data, err)
                     : exchanged(plan, image, data, err);
    for (size_t m = 0; m < request->samples && plan->basis && !status; m++)
        data[m] *= plan->basis[m];
    return status;
}

kn_status ki_recon_host_adjoint(kn_recon_plan *plan, bool weighted, const double complex *data,
                                double complex *image, kn_error *err)
{
    kn_status status = prepare_nufft(plan, err);
    const struct mri_sum sum = {.matrix = plan->request.matrix,
                                .k = plan->k,
                                .samples = plan->request.samples,
                                .data = data,
                                .weights = weighted ? plan->weights : NULL,
                                .basis = plan->basis,
                                .tolerance = plan->request.tolerance,
                                .nufft = plan->nufft,
                                .kept = &plan->kept,
                                .ask = &plan->ask};

    return status ? status : ki_mri_sum_host(&sum, plan->request.kernel, NULL, image, NULL, err);
}

// ---- the normal operator ----

kn_status ki_recon_host_prepare_normal(kn_recon_plan *plan, kn_error *err)
{
    const struct recon_request *request = &plan->request;
    double *weights;
    kn_status status;

    if (request->normal == KN_RECON_NORMAL_FORWARD) {
        if (!plan->between)
            plan->between = malloc(request->samples * sizeof *plan->between);
        return plan->between ? ki_recon_host_prepare_forward(plan, err)
                             : ki_fail_memory(err, request->samples * sizeof *plan->between,
                                              "the samples of the normal operator");
    }
    if (plan->host_normal)
        return KN_OK;
    status = ki_recon_normal_weights(plan, &weights, err);
    if (!status) {
        const struct mri_sum of = {.matrix = request->matrix,
                                   .k = plan->k,
                                   .samples = request->samples,
                                   .weights = weights,
                                   .tolerance = request->tolerance,
                                   .ask = &plan->ask};

        status = ki_mri_host_normal_create(&of, request->kernel, &plan->host_normal, NULL, err);
    }
    free(weights);
    if (!status)
        plan->bound = ki_mri_host_normal_bound(plan->host_normal);
    return status;
}

kn_status ki_recon_host_normal(kn_recon_plan *plan, const double complex *from, double complex *to,
                               kn_error *err)
{
    kn_status status = ki_recon_host_prepare_normal(plan, err);

    if (!status && plan->host_normal)
        return ki_mri_host_normal_apply(plan->host_normal, from, to, err);
    ki_recon_stage(plan, 0, 0.5);
    if (!status)
        status = ki_recon_host_forward(plan, from, plan->between, err);
    ki_recon_stage(plan, 0.5, 1);
    return status ? status : ki_recon_host_adjoint(plan, true, plan->between, to, err);
}

void ki_recon_host_free(kn_recon_plan *plan)
{
    free(plan->positions);
    free(plan->opposite);
    free(plan->between);
    ki_mri_host_normal_free(plan->host_normal);
    ki_mri_host_nufft_free(plan->nufft);
    ki_kept_free(&plan->kept);
}
