// SPDX-License-Identifier: Apache-2.0
#include "normal.h"

#include <koine/experimental.h>

#include <math.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "app/mri/sum/sum_internal.h"

static kn_status begin(kn_context *context, const kn_recon_matrix *matrix, double bound,
                       const kn_operator_functions *given, struct mri_normal *normal, kn_error *err)
{
    kn_operator_functions functions = *given;
    kn_status status = ki_mri_matrix_count(matrix, &functions.rows, err);

    functions.columns = functions.rows;
    functions.is_complex = true;
    *normal = (struct mri_normal){*matrix, bound, NULL};
    return status ? status : kn_operator_create(context, &functions, &normal->a, err);
}

kn_status ki_mri_normal_begin(kn_context *context, const kn_recon_matrix *matrix, double bound,
                              kn_operator_function *apply, void *data, struct mri_normal *normal,
                              kn_error *err)
{
    const kn_operator_functions functions =
        KN_INIT(kn_operator_functions, .type = KN_F32, .apply = apply, .data = data);

    return begin(context, matrix, bound, &functions, normal, err);
}

kn_status ki_mri_normal_begin_host(const kn_recon_matrix *matrix, double bound,
                                   kn_operator_host_function *apply, void *data, struct mri_normal *normal,
                                   kn_error *err)
{
    const kn_operator_functions functions =
        KN_INIT(kn_operator_functions, .type = KN_F64, .apply_host = apply, .data = data);

    return begin(NULL, matrix, bound, &functions, normal, err);
}

void ki_mri_normal_end(struct mri_normal *normal)
{
    kn_operator_free(normal->a);
    normal->a = NULL;
}

struct mri_forward_normal {
    struct mri_normal normal;
    struct mri_sum sum; // the adjoint of the data in device_data
    struct mri_there forward_there, adjoint_there;
    size_t voxels;
    enum mri_kernel kernel;
    kn_recon_rate rate;
};

static kn_status apply(void *data, kn_queue *queue, bool adjoint, const kn_buffer *x, kn_buffer *y,
                       kn_error *err)
{
    struct mri_forward_normal *forward = data;
    const struct mri_sum *sum = &forward->sum;
    kn_context *built = kn_queue_get_context(queue);
    double began = ki_clock_seconds() - kn_context_get_build_seconds(built);
    double pairs = 2 * (double)sum->samples * (double)forward->voxels;
    kn_status status;

    (void)adjoint; // self-adjoint
    status = x == y ? ki_fail(err, KN_ERROR_ARGUMENT, "the normal operator in place; give two buffers")
             : sum->device_nufft
                 ? ki_mri_nufft_forward(queue, sum->device_nufft, x, sum->device_data, err)
                 : ki_mri_forward_device(queue, &sum->matrix, sum->k, sum->samples, NULL, forward->kernel, x,
                                         sum->device_data, &forward->forward_there, err);

    if (!status)
        status = ki_mri_sum_device(queue, sum, forward->kernel, y, NULL, err);
    if (!status)
        status = kn_queue_finish(queue, err);
    if (status)
        return status;
    forward->rate.seconds += ki_clock_seconds() - kn_context_get_build_seconds(built) - began;
    if (!sum->device_nufft) {
        forward->rate.pairs += pairs;
        forward->rate.flops += pairs * ki_sum_flops(sum);
    }
    return KN_OK;
}

kn_status ki_mri_forward_normal_create(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                       size_t samples, const double *weights, enum mri_kernel kernel,
                                       double tolerance, struct mri_forward_normal **made, kn_error *err)
{
    struct mri_forward_normal *forward = calloc(1, sizeof *forward);
    kn_status status = KN_OK;

    *made = NULL;
    if (!forward)
        return ki_fail_memory(err, sizeof *forward, "the normal operator");
    if (!queue || !mri_kernel_is_of_device(kernel))
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "mri_forward_normal_create: the queue is NULL, or kernel %d is not one of a device",
                         (int)kernel);
    forward->sum = (struct mri_sum){
        .matrix = *matrix, .k = k, .samples = samples, .weights = weights, .there = &forward->adjoint_there};
    forward->kernel = kernel;
    if (!status)
        status = ki_mri_matrix_count(matrix, &forward->voxels, err);
    if (!status)
        status = kn_buffer_create(kn_queue_get_context(queue), (samples ? samples : 1) * 2 * sizeof(float),
                                  &forward->sum.device_data, err);
    if (!status && mri_kernel_is_transform(kernel))
        status = ki_mri_nufft_create(queue, matrix, 1, k, samples, weights, NULL,
                                     mri_kernel_is_cartesian(kernel) ? MRI_NUFFT_ON_GRID : tolerance,
                                     &forward->sum.device_nufft, err);
    if (!status)
        status = ki_mri_normal_begin(kn_queue_get_context(queue), matrix, NAN, apply, forward,
                                     &forward->normal, err);
    if (status)
        ki_mri_forward_normal_free(forward);
    else
        *made = forward;
    return status;
}

void ki_mri_forward_normal_free(struct mri_forward_normal *forward)
{
    if (!forward)
        return;
    ki_mri_normal_end(&forward->normal);
    ki_mri_there_free(&forward->forward_there);
    ki_mri_there_free(&forward->adjoint_there);
    kn_buffer_free(forward->sum.device_data);
    ki_mri_nufft_free(forward->sum.device_nufft);
    free(forward);
}

struct mri_bytes ki_mri_forward_normal_memory(const kn_queue *queue, size_t voxels, size_t samples)
{
    const struct mri_bytes between = {.device = saturate_times(samples, MRI_PAIR)};

    return mri_bytes_both(between, mri_bytes_both(ki_mri_sum_memory(queue, voxels, samples),
                                                  ki_mri_forward_memory(queue, voxels, samples)));
}

const struct mri_normal *ki_mri_forward_normal_of(const struct mri_forward_normal *forward)
{
    return &forward->normal;
}

kn_recon_rate ki_mri_forward_normal_rate(const struct mri_forward_normal *forward)
{
    return forward->rate;
}
