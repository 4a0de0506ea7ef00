// SPDX-License-Identifier: Apache-2.0
#include "density.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "engine/engine.h"
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

// Passes over the samples, in pieces between which `ask` is called.
enum { PASSES = 3, PIECE = 1 << 20 };

struct ramp {
    const kn_recon_matrix *matrix;
    const double *k;
    double *weights;
    int dimensions;
    double furthest, nearest, sum, factor;
};

static void find_ends(struct ramp *r, size_t m)
{
    double at = length(r->matrix, r->k + MRI_AXES * m);

    r->furthest = fmax(r->furthest, at);
    r->nearest = at > 0 ? fmin(r->nearest, at) : r->nearest;
}

// A sample at radius k > 0 weighs k^(dimensions - 1), in proportion to its share of the shell. The samples at
// 0 of S diameters, q apart along each, share the ball of radius q/2: each weighs the ball's volume divided
// by S, in the same unit.
static void weigh(struct ramp *r, size_t m)
{
    double at = length(r->matrix, r->k + MRI_AXES * m);

    r->weights[m] = r->furthest == 0 || r->dimensions < 2 ? 1
                    : at > 0                              ? pow(at, r->dimensions - 1)
                             : pow(r->nearest / 2, r->dimensions - 1) / r->dimensions;
    r->sum += r->weights[m];
}

static void scale(struct ramp *r, size_t m)
{
    r->weights[m] *= r->factor;
}

static kn_status pass(struct ramp *r, int number, void (*take)(struct ramp *r, size_t m), size_t samples,
                      struct ki_ask *ask, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t m = 0; m < samples && !status; m++) {
        if (m % PIECE == 0) {
            ki_ask_at(ask, (number + (double)m / (double)samples) / PASSES);
            status = ki_ask(ask, err);
        }
        if (!status)
            take(r, m);
    }
    return status;
}

static kn_status ramp(const kn_recon_matrix *matrix, size_t voxels, const double *k, size_t samples,
                      double *weights, struct ki_ask *ask, kn_error *err)
{
    static const double balls[] = {1, 2, M_PI, 4 * M_PI / 3}; // volumes of the ball of radius 1, by dimension
    struct ramp r = {.matrix = matrix, .k = k, .weights = weights, .nearest = INFINITY};
    double volume;
    kn_status status = ki_gridding_check_samples(matrix, k, samples, err);

    for (size_t axis = 0; axis < matrix->axes; axis++)
        r.dimensions += matrix->size[axis] > 1;
    if (!status)
        status = pass(&r, 0, find_ends, samples, ask, err);
    if (!status)
        status = pass(&r, 1, weigh, samples, ask, err);
    volume = r.furthest > 0 ? balls[r.dimensions] * pow(r.furthest, r.dimensions) : 1;
    r.factor = volume / r.sum / (double)voxels;
    return status ? status : pass(&r, 2, scale, samples, ask, err);
}

// ---- Pipe and Menon ----

// Ten steps on `numbers`, a float2 per sample, starting at 1.
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
    for (int i = 0; i < ITERATIONS && !status; i++) {
        ki_queue_ask_at(queue, (double)i / ITERATIONS);
        status = ki_mri_gridding_compensate(queue, gridding, buffer, err);
    }
    if (!status)
        status = kn_buffer_read(queue, buffer, 0, numbers, bytes, err);
    kn_buffer_free(buffer);
    return status;
}

static kn_status pipe_menon(kn_queue *queue, const kn_recon_matrix *matrix, const double *k, size_t samples,
                            double *weights, kn_error *err)
{
    struct mri_gridding *gridding = NULL;
    const uint32_t *order = NULL;
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
    if (!status)
        status = ki_mri_gridding_order(queue, gridding, &order, err);
    for (size_t i = 0; i < samples && !status; i++)
        weights[order[i]] = (double)numbers[2 * i] * ki_mri_gridding_weight(gridding);
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
                         kn_recon_density density, double *weights, struct ki_ask *ask, kn_error *err)
{
    size_t voxels;
    kn_status status = ki_mri_matrix_count(matrix, &voxels, err);

    if (status)
        return status;
    if (density == KN_RECON_DENSITY_RAMP)
        return ramp(matrix, voxels, k, samples, weights, ask, err);
    if (density == KN_RECON_DENSITY_PIPE)
        return pipe_menon(queue, matrix, k, samples, weights, err);
    for (size_t m = 0; m < samples; m++)
        weights[m] = 1;
    return KN_OK;
}
