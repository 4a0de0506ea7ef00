// SPDX-License-Identifier: Apache-2.0
// The image of least squares: (F^H W F + lambda R) x = F^H W d by conjugate gradients, R as a
// kn_recon_regularizer has it.
#ifndef KN_APP_MRI_SOLVER_SOLVER_H
#define KN_APP_MRI_SOLVER_SOLVER_H

#include "normal.h"
#include "toeplitz.h"

struct mri_solver_options {
    size_t iterations;    // at most, on a device up to 2^20
    double tolerance;     // stops once ||r|| <= tolerance ||F^H W d||; 0: never
    double lambda;        // from 0 on
    bool relative_lambda; // it counts in units of the operator's bound, which must be known
    kn_recon_regularizer regularizer;
    kn_recon_boundary boundary; // of KN_RECON_REGULARIZER_DIFFERENCE

    // Before each iteration, how many of them are done; NULL: not called. A convolution on a device is
    // behind it, as the host does not wait. Returns false to stop, with KN_ERROR_INTERRUPTED.
    bool (*progress)(void *context, size_t iteration);
    void *context;
};

// KN_ERROR_ARGUMENT for a tolerance, a lambda, a regularizer or a boundary out of range.
kn_status ki_mri_solver_check(const struct mri_solver_options *options, kn_error *err);

struct mri_solver_result {
    size_t iterations; // done
    // ||r|| / ||F^H W d|| before the first and after each iteration: iterations + 1 numbers, the caller frees
    // them. r is the residual that the method carries along; it goes on falling where the true one has
    // reached the precision's floor, which is `residual`.
    double *residuals;
    double residual; // ||F^H W d - A x|| / ||F^H W d|| of the image, computed anew
    double lambda;   // in absolute terms
    double seconds;  // of the iterations, with the device waited for
    bool converged;  // the tolerance was reached
    bool stopped;    // before it: p^H A p was not positive any more, so that rounding is all there is left
};

// For an operator that stays as long as the solver. Memory: four images beside the operator's own. Cost: an
// iteration applies the operator once, and has three launches that read and write 12 n numbers of 8 bytes
// (src/operator/cgnr/cgnr.h), 10 n where lambda is 0; one application more for the residual, and one for a
// start. Errors: KN_ERROR_ARGUMENT; those of ki_cgnr_create.
struct mri_solver;
kn_status ki_mri_solver_create(kn_queue *queue, const struct mri_normal *normal,
                               const struct mri_solver_options *options, struct mri_solver **made,
                               kn_error *err);
void ki_mri_solver_free(struct mri_solver *solver); // NULL is fine
struct mri_bytes ki_mri_solver_memory(size_t voxels);

// Solves for `image` from `start` (NULL: 0), which may be the image's buffer; all three are buffers of the
// matrix's voxels (float2), `image` not that of `fhd`. A right hand side of 0 has the image 0. With 0
// iterations the image is the start.
//
// Step lengths are computed on the device; the host waits every eight iterations for the stop test, without a
// tolerance at the end alone. Dot products are summed in double (without double precision in its bits, in
// integers); vectors are single.
//
// Errors: KN_ERROR_ARGUMENT, also for a right hand side or a start that is not finite; those of the engine.
// The image may have been written then.
kn_status ki_mri_solver_solve(kn_queue *queue, struct mri_solver *solver, const kn_buffer *fhd,
                              const kn_buffer *start, kn_buffer *image, struct mri_solver_result *result,
                              kn_error *err);

#endif
