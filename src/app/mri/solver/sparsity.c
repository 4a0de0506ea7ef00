// SPDX-License-Identifier: Apache-2.0
#include "sparsity.h"

#include <koine/experimental.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/clock.h"
#include "base/saturate.h"
#include "operator/bounded/bounded.h"
#include "operator/bounded/host_tv.h"
#include "operator/bounded/host_wavelet.h"

struct mri_sparsity {
    struct bounded *solver;
    size_t iterations, voxels;
    double lambda;
    double *gradients, *objectives; // of the last solution; one allocation
};

bool ki_mri_is_sparse(kn_recon_regularizer regularizer)
{
    return regularizer == KN_RECON_REGULARIZER_TV || regularizer == KN_RECON_REGULARIZER_WAVELET;
}

static kn_solve_method method_of(const struct mri_solver_options *options)
{
    return options->regularizer == KN_RECON_REGULARIZER_TV ? KN_SOLVE_TV : KN_SOLVE_WAVELET;
}

// ---- on a device ----

kn_status ki_mri_sparsity_create(kn_queue *queue, const struct mri_normal *normal,
                                 const struct mri_solver_options *options, double lambda,
                                 struct mri_sparsity **made, kn_error *err)
{
    struct mri_sparsity *s = calloc(1, sizeof *s);
    struct bounded_options asked = {.method = method_of(options),
                                    .normal = true,
                                    .iterations = options->iterations,
                                    .low = -INFINITY,
                                    .high = INFINITY,
                                    .tolerance = options->tolerance,
                                    .floor = 1e-7,
                                    .lambda = lambda,
                                    .shape = normal->matrix.size,
                                    .progress = options->progress,
                                    .progress_data = options->context};
    kn_status status;

    if (!s)
        return ki_fail_memory(err, sizeof *s, "solving");
    s->iterations = options->iterations;
    s->lambda = lambda;
    s->voxels = kn_operator_get_columns(normal->a);
    s->gradients = calloc(options->iterations + 1, 2 * sizeof *s->gradients);
    if (s->gradients) {
        s->objectives = s->gradients + options->iterations + 1;
        asked.gradients = s->gradients;
        asked.objectives = s->objectives;
        status = ki_bounded_create(queue, normal->a, &asked, &s->solver, err);
    } else {
        status =
            ki_fail_memory(err, saturate_times(options->iterations, 2 * sizeof *s->gradients), "solving");
    }
    if (status)
        ki_mri_sparsity_free(s);
    else
        *made = s;
    return status;
}

void ki_mri_sparsity_free(struct mri_sparsity *sparsity)
{
    if (!sparsity)
        return;
    ki_bounded_free(sparsity->solver);
    free(sparsity->gradients);
    free(sparsity);
}

// Changes become fractions of the first one.
static void settle(struct mri_solver_result *result, size_t iterations, kn_solve_stopped stopped)
{
    const double first = result->residuals[0];

    result->iterations = iterations;
    for (size_t i = 0; i <= iterations && first > 0; i++)
        result->residuals[i] /= first;
    result->residual = result->residuals[iterations];
    result->converged = stopped == KN_SOLVE_STOPPED_TOLERANCE || !(first > 0);
    result->stopped = stopped == KN_SOLVE_STOPPED_FLOOR && !result->converged;
}

static double *copy_of(const double *from, size_t count)
{
    double *copy = malloc(count * sizeof *copy);

    if (copy)
        memcpy(copy, from, count * sizeof *copy);
    return copy;
}

static kn_status take_result(const struct mri_sparsity *s, const kn_solve_result *found, double seconds,
                             struct mri_solver_result *result, kn_error *err)
{
    const size_t count = found->iterations + 1;

    *result = (struct mri_solver_result){.residuals = copy_of(s->gradients, count),
                                         .objectives = copy_of(s->objectives, count),
                                         .lambda = s->lambda,
                                         .seconds = seconds};
    if (result->residuals && result->objectives) {
        settle(result, found->iterations, found->stopped);
        return KN_OK;
    }
    free(result->residuals);
    free(result->objectives);
    *result = (struct mri_solver_result){.residuals = NULL};
    return ki_fail_memory(err, 2 * count * sizeof *s->gradients, "solving");
}

// Puts the start, or 0, where the solver has both the start and the solution.
static kn_status place_start(kn_queue *queue, const struct mri_sparsity *s, const kn_buffer *start,
                             kn_buffer *image, kn_error *err)
{
    const float zero = 0;
    const size_t bytes = s->voxels * 2 * sizeof(float);

    if (start == image)
        return KN_OK;
    return start ? kn_buffer_copy(queue, start, 0, image, 0, bytes, NO_EVENT, err)
                 : kn_buffer_fill(queue, image, &zero, sizeof zero, 0, bytes, NO_EVENT, err);
}

kn_status ki_mri_sparsity_solve(kn_queue *queue, struct mri_sparsity *s, const kn_buffer *fhd,
                                const kn_buffer *start, kn_buffer *image, struct mri_solver_result *result,
                                kn_error *err)
{
    const kn_context *context = kn_queue_get_context(queue);
    const double began = ki_clock_seconds() - kn_context_get_build_seconds(context);
    kn_solve_result found = {.iterations = 0};
    double seconds;
    kn_status status = place_start(queue, s, start, image, err);

    if (!status)
        status = ki_bounded_solve(queue, s->solver, fhd, image, &found, err);
    if (!status && start && !(found.right > 0)) // the solution is 0, wherever it starts
        return ki_mri_sparsity_solve(queue, s, fhd, NULL, image, result, err);
    seconds = ki_clock_seconds() - kn_context_get_build_seconds(context) - began;
    return status ? status : take_result(s, &found, seconds, result, err);
}

struct mri_bytes ki_mri_sparsity_memory(size_t voxels)
{
    enum { VECTORS = 7 + MRI_AXES }; // TV's dual vector has as many as there are axes; WAVELET has 9 in all

    return (struct mri_bytes){.device = saturate_times(voxels, VECTORS * MRI_PAIR)};
}

// ---- on the host ----

kn_status ki_mri_host_sparsity_solve(const struct mri_normal *normal, const double complex *fhd,
                                     const struct mri_solver_options *options, const double complex *start,
                                     double complex *image, struct mri_solver_result *result, kn_error *err)
{
    const struct host_bounded_options how = {.method = method_of(options),
                                             .normal = true,
                                             .iterations = options->iterations,
                                             .low = -INFINITY,
                                             .high = INFINITY,
                                             .tolerance = options->tolerance,
                                             .floor = 1e-12,
                                             .lambda = result->lambda,
                                             .shape = normal->matrix.size,
                                             .progress = options->progress,
                                             .progress_data = options->context};
    struct host_bounded_result found = {.gradients = result->residuals, .objectives = result->objectives};
    const size_t voxels = kn_operator_get_columns(normal->a);
    bool is_zero = true;
    kn_status status;

    for (size_t i = 0; i < voxels; i++)
        is_zero = is_zero && fhd[i] == 0;
    for (size_t i = 0; i < voxels; i++)
        image[i] = start && !is_zero ? start[i] : 0;
    status =
        (how.method == KN_SOLVE_TV ? ki_host_tv : ki_host_wavelet)(normal->a, fhd, &how, image, &found, err);
    if (!status)
        settle(result, found.iterations, found.stopped);
    return status;
}

struct mri_bytes ki_mri_host_sparsity_memory(size_t voxels)
{
    enum { VECTORS = 7 + MRI_AXES };

    return (struct mri_bytes){.host = saturate_times(voxels, VECTORS * MRI_COMPLEX)};
}
