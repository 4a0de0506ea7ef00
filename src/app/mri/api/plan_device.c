// SPDX-License-Identifier: Apache-2.0
// A plan's operations on a device, in single precision.
#include <stdlib.h>

#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "plan_internal.h"

enum { GROUP = 64 };

static kn_status create_pairs(kn_recon_plan *plan, size_t count, kn_buffer **buffer, kn_error *err)
{
    return *buffer ? KN_OK : kn_buffer_create(plan->context, count * 2 * sizeof(float), buffer, err);
}

// ---- the sums ----

// Prepares a NUFFT for both sums, for any queue of the context; does nothing for other kernels.
static kn_status prepare_nufft(kn_recon_plan *plan, kn_queue *queue, kn_error *err)
{
    const struct recon_request *request = &plan->request;
    kn_status status;

    if (plan->device_nufft || !mri_kernel_is_transform(request->kernel))
        return KN_OK;
    status = ki_mri_nufft_create(queue, &request->matrix, 1, plan->k, request->samples, plan->weights,
                                 plan->basis, request->tolerance, &plan->device_nufft, err);
    return status ? status : kn_queue_finish(queue, err);
}

kn_status ki_recon_device_forward(kn_recon_plan *plan, kn_queue *queue, const kn_buffer *image,
                                  kn_buffer *data, kn_error *err)
{
    kn_status status = prepare_nufft(plan, queue, err);

    if (status || plan->device_nufft)
        return status ? status : ki_mri_nufft_forward(queue, plan->device_nufft, image, data, err);
    return ki_mri_forward_device(queue, &plan->request.matrix, plan->k, plan->request.samples, plan->basis,
                                 plan->request.kernel, image, data, &plan->forward_there, err);
}

static struct mri_sum adjoint_of(kn_recon_plan *plan, bool weighted)
{
    return (struct mri_sum){.matrix = plan->request.matrix,
                            .k = plan->k,
                            .samples = plan->request.samples,
                            .weights = weighted ? plan->weights : NULL,
                            .basis = plan->basis,
                            .device_nufft = plan->device_nufft,
                            .there = &plan->adjoint_there};
}

kn_status ki_recon_device_adjoint(kn_recon_plan *plan, kn_queue *queue, bool weighted, const kn_buffer *data,
                                  kn_buffer *image, kn_error *err)
{
    kn_status status = prepare_nufft(plan, queue, err);
    struct mri_sum sum = adjoint_of(plan, weighted);

    sum.device_data = (kn_buffer *)data; // which is only read
    return status ? status : ki_mri_sum_device(queue, &sum, plan->request.kernel, image, NULL, err);
}

kn_status ki_recon_device_adjoint_of(kn_recon_plan *plan, const double complex *data, kn_buffer *image,
                                     kn_error *err)
{
    kn_status status = prepare_nufft(plan, plan->queue, err);
    struct mri_sum sum = adjoint_of(plan, true);

    sum.data = data;
    return status ? status : ki_mri_sum_device(plan->queue, &sum, plan->request.kernel, image, NULL, err);
}

// ---- the normal operator ----

kn_status ki_recon_device_prepare_normal(kn_recon_plan *plan, kn_error *err)
{
    const struct recon_request *request = &plan->request;
    double *weights;
    kn_status status;

    if (request->normal == KN_RECON_NORMAL_FORWARD)
        return create_pairs(plan, request->samples, &plan->device_between, err);
    if (plan->toeplitz)
        return KN_OK;
    status = ki_recon_normal_weights(plan, &weights, err);
    if (!status)
        status = request->kernel == MRI_NUFFT
                     ? ki_mri_toeplitz_compute_nufft(plan->queue, &request->matrix, plan->k, request->samples,
                                                     weights, request->tolerance, &plan->toeplitz, NULL, err)
                     : ki_mri_toeplitz_compute(plan->queue, &request->matrix, plan->k, request->samples,
                                               weights, request->kernel, &plan->toeplitz, NULL, err);
    free(weights);
    if (!status)
        plan->bound = ki_mri_toeplitz_bound(plan->toeplitz);
    return status;
}

kn_status ki_recon_device_normal(kn_recon_plan *plan, kn_queue *queue, const kn_buffer *from, kn_buffer *to,
                                 kn_error *err)
{
    kn_status status;

    if (plan->toeplitz)
        return ki_mri_toeplitz_apply(queue, plan->toeplitz, from, to, err);
    ki_recon_stage(plan, 0, 0.5);
    status = ki_recon_device_forward(plan, queue, from, plan->device_between, err);
    ki_recon_stage(plan, 0.5, 1);
    return status ? status : ki_recon_device_adjoint(plan, queue, true, plan->device_between, to, err);
}

// ---- gridding ----

// Uploads the weights, and builds the kernel that multiplies data by them.
static kn_status prepare_weights(kn_recon_plan *plan, kn_error *err)
{
    size_t samples = plan->request.samples;
    struct engine_defines defines = {.count = 0};
    float *singles = malloc(samples * sizeof *singles);
    kn_status status;

    if (!singles)
        return ki_fail_memory(err, samples * sizeof *singles, "density compensation");
    for (size_t m = 0; m < samples; m++)
        singles[m] = (float)plan->weights[m];
    ki_engine_define(&defines, "DATA", 1);
    ki_engine_define(&defines, "WEIGHTS", 1);
    ki_engine_define(&defines, "BASIS", 0);
    status = ki_engine_builtin_kernel(plan->context, "app/mri/mri_mu.cl", defines.items, defines.count,
                                      KN_POLICY_DEFAULT, "mri_mu", &plan->multiply, err);
    if (!status)
        status = create_pairs(plan, samples, &plan->weighted, err);
    if (!status && !plan->device_weights)
        status = kn_buffer_create(plan->context, samples * sizeof *singles, &plan->device_weights, err);
    if (!status)
        status =
            kn_buffer_write(plan->queue, plan->device_weights, 0, singles, samples * sizeof *singles, err);
    free(singles);
    return status;
}

kn_status ki_recon_device_prepare_gridding(kn_recon_plan *plan, kn_error *err)
{
    const struct recon_request *request = &plan->request;
    kn_status status = KN_OK;

    if (plan->gridding)
        return KN_OK;
    if (plan->basis)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "gridding takes voxels as points; give no basis");
    if (plan->weights)
        status = prepare_weights(plan, err);
    return status ? status
                  : ki_mri_gridding_create(plan->queue, &request->matrix, plan->k, request->samples,
                                           &request->gridding, &plan->gridding, err);
}

// weighted = weights x data.
static kn_status launch_weights(kn_recon_plan *plan, kn_queue *queue, const kn_buffer *data, kn_error *err)
{
    const uint32_t samples = (uint32_t)plan->request.samples, re_at = 0, im_at = 1, step = 2, has_im = 1;
    const kn_range range = {1, {(plan->request.samples + GROUP - 1) / GROUP * GROUP}, {GROUP}, {0}};
    const kn_arg args[] = {KN_BUFFER(data),
                           KN_BUFFER(plan->device_weights),
                           KN_BUFFER(data), // in place of a basis, which is not read
                           KN_VALUE(samples),
                           KN_BUFFER(plan->weighted),
                           KN_VALUE(re_at),
                           KN_VALUE(step),
                           KN_BUFFER(plan->weighted),
                           KN_VALUE(im_at),
                           KN_VALUE(step),
                           KN_VALUE(has_im)};

    return kn_launch(queue, plan->multiply, &range, args, KI_COUNT(args), NO_EVENT, err);
}

kn_status ki_recon_device_gridding_adjoint(kn_recon_plan *plan, kn_queue *queue, bool weighted,
                                           const kn_buffer *data, kn_buffer *image, kn_error *err)
{
    bool multiplied = weighted && plan->weights;
    kn_status status = multiplied ? launch_weights(plan, queue, data, err) : KN_OK;

    return status ? status
                  : ki_mri_gridding_adjoint_there(queue, plan->gridding, multiplied ? plan->weighted : data,
                                                  image, err);
}

void ki_recon_device_free(kn_recon_plan *plan)
{
    kn_buffer *const buffers[] = {plan->device_weights, plan->weighted,  plan->device_between,
                                  plan->images[0],      plan->images[1], plan->data};

    for (size_t i = 0; i < KI_COUNT(buffers); i++)
        kn_buffer_free(buffers[i]);
    ki_mri_there_free(&plan->forward_there);
    ki_mri_there_free(&plan->adjoint_there);
    ki_mri_toeplitz_free(plan->toeplitz);
    ki_mri_gridding_free(plan->gridding);
    ki_mri_nufft_free(plan->device_nufft);
}
