// SPDX-License-Identifier: Apache-2.0
#include "normal.h"

#include <koine/experimental.h>

#include <math.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "app/mri/sum/sum_internal.h"

const char *const ki_mri_normal_names[] = {"toeplitz", "forward", NULL};

struct mri_forward_normal {
    struct mri_sum sum; // the adjoint of what is in device_data
    size_t voxels;
    enum mri_kernel kernel;
    struct mri_sum_rate rate;
};

kn_status ki_mri_forward_normal_create(kn_queue *queue, const struct mri_matrix *matrix, const double *k,
                                       size_t samples, const double *weights, enum mri_kernel kernel,
                                       struct mri_forward_normal **made, kn_error *err)
{
    struct mri_forward_normal *forward = calloc(1, sizeof *forward);
    kn_status status = KN_OK;

    *made = NULL;
    if (!forward)
        return ki_fail_memory(err, sizeof *forward, "the normal operator");
    if (!queue || (unsigned)kernel >= MRI_HOST_DOUBLE)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "mri_forward_normal_create: the queue is NULL, or kernel %d is not one of a device",
                         (int)kernel);
    forward->sum = (struct mri_sum){.matrix = *matrix, .k = k, .samples = samples, .weights = weights};
    forward->kernel = kernel;
    if (!status)
        status = ki_mri_matrix_count(matrix, &forward->voxels, err);
    if (!status)
        status = kn_buffer_create(kn_queue_get_context(queue), (samples ? samples : 1) * 2 * sizeof(float),
                                  &forward->sum.device_data, err);
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
    kn_buffer_free(forward->sum.device_data);
    free(forward);
}

static kn_status apply(void *context, kn_queue *queue, kn_buffer *x, kn_buffer *y, kn_error *err)
{
    struct mri_forward_normal *forward = context;
    const struct mri_sum *sum = &forward->sum;
    kn_context *built = kn_queue_get_context(queue);
    double began = ki_clock_seconds() - kn_context_get_build_seconds(built);
    double pairs = 2 * (double)sum->samples * (double)forward->voxels;
    kn_status status = x == y
                           ? ki_fail(err, KN_ERROR_ARGUMENT, "the normal operator in place; give two buffers")
                           : ki_mri_forward_device(queue, &sum->matrix, sum->k, sum->samples, NULL, x,
                                                   sum->device_data, err);

    if (!status)
        status = ki_mri_sum_device(queue, sum, forward->kernel, y, NULL, err);
    if (!status)
        status = kn_queue_finish(queue, err);
    if (status)
        return status;
    forward->rate.seconds += ki_clock_seconds() - kn_context_get_build_seconds(built) - began;
    forward->rate.pairs += pairs;
    forward->rate.flops += pairs * ki_sum_flops(sum);
    return KN_OK;
}

struct mri_normal ki_mri_forward_normal_of(struct mri_forward_normal *forward)
{
    return (struct mri_normal){forward->sum.matrix, NAN, apply, forward};
}

struct mri_sum_rate ki_mri_forward_normal_rate(const struct mri_forward_normal *forward)
{
    return forward->rate;
}
