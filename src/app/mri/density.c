// SPDX-License-Identifier: Apache-2.0
#include "density.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "app/mri/gridding/gridding_internal.h"

enum { ITERATIONS = 10 };

const char *const ki_mri_density_names[MRI_DENSITIES + 1] = {"none", "ramp", "pipe"};

// ---- ramp ----

static double length(const kn_recon_matrix *matrix, const double *k)
{
    double squares = 0;

    for (size_t axis = 0; axis < matrix->axes; axis++)
        squares += matrix->size[axis] > 1 ? k[axis] * k[axis] : 0;
    return sqrt(squares);
}

static kn_status ramp(const kn_recon_matrix *matrix, size_t voxels, const double *k, size_t samples,
                      double *weights, kn_error *err)
{
    static const double balls[] = {1, 2, M_PI, 4 * M_PI / 3}; // of radius 1, by dimension
    double furthest = 0, nearest = INFINITY, sum = 0, volume;
    int dimensions = 0;
    kn_status status = ki_gridding_check_samples(matrix, k, samples, err);

    if (status)
        return status;
    for (size_t axis = 0; axis < matrix->axes; axis++)
        dimensions += matrix->size[axis] > 1;
    for (size_t m = 0; m < samples; m++) {
        double at = length(matrix, k + MRI_AXES * m);
        furthest = fmax(furthest, at);
        nearest = at > 0 ? fmin(nearest, at) : nearest;
    }
    for (size_t m = 0; m < samples; m++) {
        double at = length(matrix, k + MRI_AXES * m);

        // S diameters whose samples are q apart: the ball of radius q/2 over S, as a share of what a sample
        // at radius k has of its shell.
        weights[m] = furthest == 0 || dimensions < 2 ? 1
                     : at > 0                        ? pow(at, dimensions - 1)
                                                     : pow(nearest / 2, dimensions - 1) / dimensions;
        sum += weights[m];
    }
    volume = furthest > 0 ? balls[dimensions] * pow(furthest, dimensions) : 1;
    for (size_t m = 0; m < samples; m++)
        weights[m] *= volume / sum / (double)voxels;
    return KN_OK;
}

// ---- Pipe and Menon ----

// Ten steps on `numbers`, float2 a sample, from 1.
static kn_status iterate(kn_queue *queue, struct mri_gridding *gridding, size_t samples, float *numbers,
                         kn_error *err)
{
    const size_t bytes = samples * 2 * sizeof *numbers;
    kn_buffer *buffer = NULL;
    kn_status status = kn_buffer_create(kn_queue_get_context(queue), bytes, &buffer, err);

    for (size_t i = 0; i < samples; i++) {
        numbers[2 * i] = 1;
        numbers[2 * i + 1] = 0;
    }
    if (!status)
        status = kn_buffer_write(queue, buffer, 0, numbers, bytes, err);
    for (int i = 0; i < ITERATIONS && !status; i++)
        status = ki_mri_gridding_compensate(queue, gridding, buffer, err);
    if (!status)
        status = kn_buffer_read(queue, buffer, 0, numbers, bytes, err);
    kn_buffer_free(buffer);
    return status;
}

static kn_status pipe_menon(kn_queue *queue, const kn_recon_matrix *matrix, const double *k, size_t samples,
                            double *weights, kn_error *err)
{
    struct mri_gridding *gridding = NULL;
    float *numbers = NULL;
    kn_status status = ki_mri_gridding_create(queue, matrix, k, samples, NULL, &gridding, err);

    if (status || samples == 0)
        goto done;
    numbers = malloc(samples * 2 * sizeof *numbers);
    if (!numbers) {
        status = ki_fail_memory(err, samples * 2 * sizeof *numbers, "density compensation");
        goto done;
    }
    status = iterate(queue, gridding, samples, numbers, err);
    for (size_t i = 0; i < samples && !status; i++)
        weights[ki_mri_gridding_order(gridding)[i]] =
            (double)numbers[2 * i] * ki_mri_gridding_weight(gridding);
done:
    free(numbers);
    ki_mri_gridding_free(gridding);
    return status;
}

struct mri_bytes ki_mri_density_memory(const kn_recon_matrix *matrix, size_t samples,
                                       kn_recon_density density)
{
    size_t numbers = saturate_times(samples, MRI_PAIR);

    if (density != KN_RECON_DENSITY_PIPE)
        return (struct mri_bytes){0};
    return mri_bytes_both(ki_mri_gridding_memory(matrix, samples, NULL),
                          (struct mri_bytes){numbers, numbers});
}

kn_status ki_mri_density(kn_queue *queue, const kn_recon_matrix *matrix, const double *k, size_t samples,
                         kn_recon_density density, double *weights, kn_error *err)
{
    size_t voxels;
    kn_status status = ki_mri_matrix_count(matrix, &voxels, err);

    if (status)
        return status;
    if (density == KN_RECON_DENSITY_RAMP)
        return ramp(matrix, voxels, k, samples, weights, err);
    if (density == KN_RECON_DENSITY_PIPE)
        return pipe_menon(queue, matrix, k, samples, weights, err);
    for (size_t m = 0; m < samples; m++)
        weights[m] = 1;
    return KN_OK;
}
