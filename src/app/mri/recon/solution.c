// SPDX-License-Identifier: Apache-2.0
// koine/recon.h and koine/experimental/recon.h: properties of a reconstruction, and the difference between
// its image and another one.
#include <math.h>
#include <stdlib.h>

#include "app/mri/reference.h"
#include "app/mri/solver/sparsity.h"
#include "base/error.h"
#include "recon_internal.h"

void kn_recon_solution_free(kn_recon_solution *solution)
{
    if (!solution)
        return;
    for (size_t coil = 0; coil < solution->coil_count; coil++) {
        free(solution->coils[coil].residuals);
        free(solution->coils[coil].objectives);
    }
    free(solution->coils);
    free(solution->image);
    free(solution);
}

const double *kn_recon_solution_get_image(const kn_recon_solution *solution)
{
    return solution ? (const double *)solution->image : NULL;
}

size_t kn_recon_solution_get_voxels(const kn_recon_solution *solution)
{
    return solution ? solution->voxels : 0;
}

kn_recon_adjoint_method kn_recon_solution_get_adjoint_method(const kn_recon_solution *solution)
{
    return solution ? solution->adjoint : KN_RECON_ADJOINT_AUTO;
}

const char *kn_recon_solution_get_adjoint_why(const kn_recon_solution *solution)
{
    return solution ? solution->why : NULL;
}

kn_recon_sense kn_recon_solution_get_sense(const kn_recon_solution *solution)
{
    return solution ? solution->sense : KN_RECON_SENSE_AUTO;
}

const char *kn_recon_solution_get_sense_why(const kn_recon_solution *solution)
{
    return solution ? solution->sense_why : NULL;
}

kn_recon_kernel kn_recon_solution_get_kernel(const kn_recon_solution *solution)
{
    return solution ? solution->kernel : KN_RECON_KERNEL_AUTO;
}

bool kn_recon_solution_get_is_double(const kn_recon_solution *solution)
{
    return solution && solution->is_double;
}

double kn_recon_solution_get_seconds(const kn_recon_solution *solution)
{
    const kn_recon_details *details = kn_recon_solution_get_details(solution);
    double seconds = 0;

    if (!details)
        return 0;
    const double stages[] = {details->density.seconds, details->q.seconds, details->fhd.seconds,
                             details->gridding.seconds, details->solver.seconds};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        seconds += fmax(stages[i], 0);
    return seconds;
}

double kn_recon_solution_get_lambda(const kn_recon_solution *solution)
{
    return solution ? solution->lambda : 0;
}

size_t kn_recon_solution_get_coils(const kn_recon_solution *solution)
{
    return solution ? solution->coil_count : 0;
}

kn_recon_coil kn_recon_solution_get_coil(const kn_recon_solution *solution, size_t coil)
{
    const struct mri_solver_result *found;

    if (!solution || coil >= solution->coil_count)
        return (kn_recon_coil){.iterations = 0};
    found = &solution->coils[coil];
    return (kn_recon_coil){.iterations = found->iterations,
                           .stopped = found->converged ? KN_SOLVE_STOPPED_TOLERANCE
                                      : found->stopped ? KN_SOLVE_STOPPED_FLOOR
                                                       : KN_SOLVE_STOPPED_ITERATIONS,
                           .residual = found->residual,
                           .seconds = found->seconds,
                           .residuals = found->residuals};
}

const double *kn_recon_solution_get_objectives(const kn_recon_solution *solution, size_t coil)
{
    return solution && coil < solution->coil_count ? solution->coils[coil].objectives : NULL;
}

const kn_recon_details *kn_recon_solution_get_details(const kn_recon_solution *solution)
{
    return solution ? &solution->details : NULL;
}

kn_recon_terms kn_recon_solve_get_terms(const kn_recon_scan *scan, const kn_recon_solve_options *options)
{
    double voxels = 1, halves = 0.5, pairs, applied;

    if (!scan || !options)
        return (kn_recon_terms){0};
    for (size_t axis = 0; axis < scan->matrix.axes && axis < MRI_AXES; axis++) {
        voxels *= (double)scan->matrix.size[axis];
        halves *= scan->matrix.size[axis] > 1 ? 2 : 1;
    }
    pairs = (double)scan->samples * voxels;
    // For TV: the operator's norm, the start, and each image once.
    applied =
        (double)scan->coils * ((double)options->iterations + (ki_mri_is_sparse(options->regularizer) ? 33
                                                              : options->start                       ? 2
                                                                                                     : 1));
    return (kn_recon_terms){2 * pairs * applied, pairs * halves};
}

// ---- comparison with another image ----

static kn_status compare(const double *image, const double *reference, size_t voxels, bool magnitude,
                         bool scaled, kn_recon_quality *quality, kn_error *err)
{
    const double complex *found = (const double complex *)image, *wanted = (const double complex *)reference;
    double complex *magnitudes = NULL, factor = 1;

    if (!image || !reference || !quality || !voxels)
        return ki_fail(err, KN_ERROR_ARGUMENT, "image, reference or quality is NULL, or there are no voxels");
    if (magnitude) {
        magnitudes = malloc(voxels * sizeof *magnitudes);
        if (!magnitudes)
            return ki_fail_memory(err, voxels * sizeof *magnitudes, "a reference");
        for (size_t n = 0; n < voxels; n++)
            magnitudes[n] = cabs(wanted[n]);
        wanted = magnitudes;
    }
    if (scaled)
        factor = ki_mri_best_factor(found, wanted, voxels);
    *quality = ki_mri_quality(found, wanted, voxels, factor);
    free(magnitudes);
    return KN_OK;
}

kn_status kn_recon_compare(const double *image, const double *reference, size_t voxels, bool magnitude,
                           bool scaled, kn_recon_quality *quality, kn_error *err)
{
    kn_status status = ki_check_elements(__func__, voxels, sizeof(double complex), err);

    if (status)
        return status;
    return ki_error_name(__func__, compare(image, reference, voxels, magnitude, scaled, quality, err), err);
}
