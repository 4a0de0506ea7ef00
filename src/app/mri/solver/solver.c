// SPDX-License-Identifier: Apache-2.0
#include "solver.h"

#include <math.h>
#include <stdlib.h>

#include "algo/columns.h"
#include "base/error.h"
#include "operator/cgnr/cgnr.h"
#include "sparsity.h"

struct mri_solver {
    const struct mri_normal *normal;
    double tolerance, lambda; // lambda: absolute
    struct cgnr *cgnr;
    struct mri_sparsity *sparsity; // in its place, for TV
};

// ---- creation ----

kn_status ki_mri_solver_check(const struct mri_solver_options *options, kn_error *err)
{
    if (!(options->tolerance >= 0 && options->tolerance < 1))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a tolerance of %g; it is a part of the right hand side's norm, from 0 to below 1",
                       options->tolerance);
    if (!(options->lambda >= 0) || !isfinite(options->lambda))
        return ki_fail(err, KN_ERROR_ARGUMENT, "lambda is %g; expected a number from 0 on", options->lambda);
    if ((unsigned)options->regularizer > KN_RECON_REGULARIZER_WAVELET ||
        (unsigned)options->boundary > KN_RECON_BOUNDARY_PERIODIC)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no regularizer %d with boundary %d",
                       (int)options->regularizer, (int)options->boundary);
    if (ki_mri_is_sparse(options->regularizer) && options->boundary != KN_RECON_BOUNDARY_ZERO)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "the regularizer %s has no periodic boundary; leave it out, or take the differences",
                       kn_recon_regularizer_name(options->regularizer));
    return KN_OK;
}

static kn_status check_lambda(double lambda, kn_error *err)
{
    if (isnan(lambda))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "lambda is in units of a bound that this operator does not have; give it in absolute "
                       "terms");
    if (!isfinite((float)lambda))
        return ki_fail(err, KN_ERROR_ARGUMENT, "lambda is %g, more than single precision has", lambda);
    return KN_OK;
}

static kn_status create_cgnr(kn_queue *queue, struct mri_solver *s, const struct mri_solver_options *options,
                             kn_error *err)
{
    bool differs = options->regularizer == KN_RECON_REGULARIZER_DIFFERENCE;
    struct cgnr_image image = {.periodic = options->boundary == KN_RECON_BOUNDARY_PERIODIC};
    const struct cgnr_options asked = {.iterations = options->iterations,
                                       .gradient = options->tolerance > 0 ? options->tolerance : -1,
                                       .lambda = differs ? 0 : s->lambda,
                                       .smooth = differs ? s->lambda : 0,
                                       .image = &image,
                                       .self_adjoint = true,
                                       .progress = options->progress,
                                       .progress_data = options->context};

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        image.size[axis] = s->normal->matrix.size[axis];
    return ki_cgnr_create(queue, s->normal->a, NULL, &asked, &s->cgnr, err);
}

kn_status ki_mri_solver_create(kn_queue *queue, const struct mri_normal *normal,
                               const struct mri_solver_options *options, struct mri_solver **made,
                               kn_error *err)
{
    double lambda = options->lambda * (options->relative_lambda ? normal->bound : 1);
    struct mri_solver *s;
    kn_status status = ki_mri_solver_check(options, err);

    if (!status)
        status = check_lambda(lambda, err);
    if (status)
        return status;
    s = calloc(1, sizeof *s);
    if (!s)
        return ki_fail_memory(err, sizeof *s, "solving");
    s->normal = normal;
    s->tolerance = options->tolerance;
    s->lambda = lambda;
    status = ki_mri_is_sparse(options->regularizer)
                 ? ki_mri_sparsity_create(queue, normal, options, lambda, &s->sparsity, err)
                 : create_cgnr(queue, s, options, err);
    if (status)
        ki_mri_solver_free(s);
    else
        *made = s;
    return status;
}

void ki_mri_solver_free(struct mri_solver *solver)
{
    if (!solver)
        return;
    ki_cgnr_free(solver->cgnr);
    ki_mri_sparsity_free(solver->sparsity);
    free(solver);
}

struct mri_bytes ki_mri_solver_memory(const struct mri_solver_options *options, size_t voxels)
{
    enum { VECTORS = 4 }; // for a self-adjoint operator (operator/cgnr/cgnr.h)

    if (ki_mri_is_sparse(options->regularizer))
        return ki_mri_sparsity_memory(voxels);
    return (struct mri_bytes){.device = saturate_times(voxels, VECTORS * MRI_PAIR)};
}

// ---- solving ----

// Converts residuals to fractions of the norm of the right-hand side.
static void take_result(const struct mri_solver *s, const struct cgnr_result *found,
                        struct mri_solver_result *result)
{
    double scale = found->right > 0 ? found->gradient / found->right : 0;

    *result = (struct mri_solver_result){.iterations = found->iterations,
                                         .residuals = found->history,
                                         .residual = found->residual,
                                         .lambda = s->lambda,
                                         .seconds = found->seconds};
    for (size_t i = 0; i <= found->iterations; i++)
        result->residuals[i] *= scale;
    result->converged = found->stopped == CGNR_STOPPED_GRADIENT ||
                        (s->tolerance > 0 && result->residuals[found->iterations] <= s->tolerance);
    result->stopped = found->stopped == CGNR_STOPPED_CURVATURE && !result->converged;
}

kn_status ki_mri_solver_solve(kn_queue *queue, struct mri_solver *solver, const kn_buffer *fhd,
                              const kn_buffer *start, kn_buffer *image, struct mri_solver_result *result,
                              kn_error *err)
{
    struct cgnr_result found = {.history = NULL};
    kn_status status;

    if (solver->sparsity)
        return ki_mri_sparsity_solve(queue, solver->sparsity, fhd, start, image, result, err);
    status = ki_cgnr_solve(queue, solver->cgnr, fhd, start, image, &found, err);

    if (!status)
        take_result(solver, &found, result);
    return status;
}
