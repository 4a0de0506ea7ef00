// SPDX-License-Identifier: Apache-2.0
// koine/recon.h: plans, and their properties.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "engine/engine.h"
#include "plan_internal.h"

// ---- arguments ----

static kn_status read_kernel(const kn_queue *queue, kn_recon_kernel given, enum mri_kernel *kernel,
                             kn_error *err)
{
    if ((unsigned)given > KN_RECON_KERNEL_HOST_SINGLE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no kernel %d; see kn_recon_kernel", (int)given);
    *kernel = ki_recon_kernel(queue, given);
    if (queue && mri_kernel_is_host(*kernel))
        return ki_fail(err, KN_ERROR_ARGUMENT, "the kernel %s runs on the host; give no queue",
                       kn_recon_kernel_name(given));
    if (!queue && !mri_kernel_is_host(*kernel))
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "the kernel %s runs on a device; give a queue",
                       kn_recon_kernel_name(given));
    return KN_OK;
}

kn_status ki_recon_check_gridding(double oversampling, unsigned width, kn_error *err)
{
    // Refuses NaN, too.
    if (oversampling != 0 && !(oversampling >= 1.25 && oversampling <= 4))
        return ki_fail(err, KN_ERROR_ARGUMENT, "an oversampling of %g; expected 1.25 to 4, or 0 for 2",
                       oversampling);
    if (width && (width < MRI_GRIDDING_WIDTH_MIN || width > MRI_GRIDDING_WIDTH_MAX))
        return ki_fail(err, KN_ERROR_ARGUMENT, "a window %u cells wide; expected %d to %d, or 0 for 6", width,
                       MRI_GRIDDING_WIDTH_MIN, MRI_GRIDDING_WIDTH_MAX);
    return KN_OK;
}

kn_status ki_recon_read_request(const char *function, const kn_queue *queue, const kn_recon_matrix *matrix,
                                const double *k, size_t samples, const kn_recon_options *options,
                                struct recon_request *request, kn_error *err)
{
    kn_recon_options read;
    kn_status status = ki_recon_read_matrix(matrix, &request->matrix, &request->voxels, err);

    if (!status)
        status = ki_recon_check_samples(samples, err);
    if (!status)
        status = KI_SIZED_READ(function, kn_recon_options, options, &read, err);
    if (status)
        return status;
    status = read_kernel(queue, read.kernel, &request->kernel, err);
    if (!status && (unsigned)read.normal > KN_RECON_NORMAL_FORWARD)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "there is no method %d; see kn_recon_normal_method",
                         (int)read.normal);
    if (!status)
        status = ki_recon_check_gridding(read.oversampling, read.width, err);
    if (status)
        return status;
    const struct recon_adjoint adjoint = {.queue = queue,
                                          .named = read.kernel,
                                          .method = read.adjoint,
                                          .tolerance = read.nufft_tolerance,
                                          .matrix = request->matrix,
                                          .k = k,
                                          .samples = samples};

    status = ki_recon_choose(&adjoint, &request->kernel, request->why, err);
    if (status)
        return status;
    request->samples = samples;
    request->normal = read.normal;
    request->tolerance = mri_kernel_is_cartesian(request->kernel) ? MRI_NUFFT_ON_GRID
                         : read.nufft_tolerance > 0               ? read.nufft_tolerance
                                                                  : MRI_NUFFT_USUAL;
    request->gridding = (struct mri_gridding_options){.oversampling = read.oversampling, .width = read.width};
    request->weights = read.weights;
    request->basis = read.basis;
    request->progress = read.progress;
    request->progress_data = read.progress_data;
    return KN_OK;
}

kn_status ki_recon_check_arrays(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                const double *weights, const double *basis, kn_error *err)
{
    kn_status status = matrix ? ki_recon_check_k(matrix, k, samples, err) : KN_OK;
    bool finite = matrix || ki_mri_is_finite(k, samples);

    for (size_t i = 0; !finite && i < MRI_AXES * samples && !status; i++)
        if (!isfinite(k[i]))
            status = ki_fail(err, KN_ERROR_ARGUMENT, "sample %zu: k%c is %g; expected a finite number",
                             i / MRI_AXES, "xyz"[i % MRI_AXES], k[i]);
    for (size_t m = 0; m < samples && weights && !status; m++)
        if (!(isfinite(weights[m]) && weights[m] >= 0))
            status = ki_fail(err, KN_ERROR_ARGUMENT,
                             "sample %zu: a weight of %g; expected a finite number from 0 on", m, weights[m]);
    for (size_t i = 0; i < 2 * samples && basis && !status; i++)
        if (!isfinite(basis[i]))
            status = ki_fail(err, KN_ERROR_ARGUMENT, "sample %zu: a basis of %g; expected finite numbers",
                             i / 2, basis[i]);
    return status;
}

// ---- plans ----

static kn_status copy_array(const double *from, size_t count, void *to, kn_error *err)
{
    double **copy = to;

    if (!from)
        return KN_OK;
    *copy = malloc(count * sizeof **copy);
    if (!*copy)
        return ki_fail_memory(err, count * sizeof **copy, "the samples of a plan");
    memcpy(*copy, from, count * sizeof **copy);
    return KN_OK;
}

static kn_status create(const char *function, kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                        size_t samples, const kn_recon_options *options, kn_recon_plan **plan, kn_error *err)
{
    struct recon_request request;
    kn_recon_plan *made;
    kn_status status;

    if (!plan || !k)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", plan ? "k" : "plan");
    status = ki_recon_read_request(function, queue, matrix, k, samples, options, &request, err);
    if (!status)
        status = ki_recon_check_arrays(&request.matrix, k, samples, request.weights, request.basis, err);
    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "preparing a reconstruction");
    atomic_init(&made->holders, 1);
    ki_kept_init(&made->kept);
    made->queue = queue;
    made->context = queue ? ki_engine_hold(queue->context) : NULL;
    made->request = request;
    made->request.weights = made->request.basis = NULL;
    made->ask = (struct ki_ask){.go_on = request.progress, .data = request.progress_data};
    status = copy_array(k, MRI_AXES * samples, &made->k, err);
    if (!status)
        status = copy_array(request.weights, samples, &made->weights, err);
    if (!status)
        status = copy_array(request.basis, 2 * samples, &made->basis, err);
    if (status)
        kn_recon_plan_free(made);
    else
        *plan = made;
    return status;
}

kn_status kn_recon_plan_create(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                               size_t samples, const kn_recon_options *options, kn_recon_plan **plan,
                               kn_error *err)
{
    return ki_error_name(__func__, create(__func__, queue, matrix, k, samples, options, plan, err), err);
}

kn_recon_plan *ki_recon_plan_hold(kn_recon_plan *plan)
{
    atomic_fetch_add(&plan->holders, 1);
    return plan;
}

void kn_recon_plan_free(kn_recon_plan *plan)
{
    if (!plan || atomic_fetch_sub(&plan->holders, 1) != 1)
        return;
    ki_recon_host_free(plan);
    ki_recon_device_free(plan);
    free(plan->k);
    free(plan->weights);
    free(plan->basis);
    if (plan->context)
        ki_engine_release(plan->context);
    free(plan);
}

// ---- properties of plans ----

size_t kn_recon_plan_get_voxels(const kn_recon_plan *plan)
{
    return plan ? plan->request.voxels : 0;
}

size_t kn_recon_plan_get_samples(const kn_recon_plan *plan)
{
    return plan ? plan->request.samples : 0;
}

kn_recon_kernel kn_recon_plan_get_kernel(const kn_recon_plan *plan)
{
    return plan ? ki_recon_public_kernel(plan->request.kernel) : KN_RECON_KERNEL_AUTO;
}

kn_recon_adjoint_method kn_recon_plan_get_adjoint_method(const kn_recon_plan *plan)
{
    return plan ? ki_recon_public_adjoint(plan->request.kernel) : KN_RECON_ADJOINT_AUTO;
}

const char *kn_recon_plan_get_adjoint_why(const kn_recon_plan *plan)
{
    return plan ? plan->request.why : NULL;
}

double kn_recon_plan_get_bound(const kn_recon_plan *plan)
{
    return plan ? plan->bound : 0;
}
