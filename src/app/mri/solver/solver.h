// SPDX-License-Identifier: Apache-2.0
// The least-squares image: (F^H W F + lambda R) x = F^H W d by conjugate gradients, with R as in
// kn_recon_regularizer; or, with a regularizer that is not quadratic, as sparsity.h has it.
#ifndef KN_APP_MRI_SOLVER_SOLVER_H
#define KN_APP_MRI_SOLVER_SOLVER_H

#include "normal.h"
#include "toeplitz.h"

struct mri_solver_options {
    size_t iterations;    // at most, on a device up to 2^20
    double tolerance;     // stops once ||r|| <= tolerance ||F^H W d||; 0: never
    double lambda;        // at least 0
    bool relative_lambda; // lambda is in units of the operator's bound, which must be known
    kn_recon_regularizer regularizer;
    kn_recon_boundary boundary; // for KN_RECON_REGULARIZER_DIFFERENCE; TV and WAVELET have no other than ZERO

    // Called before each iteration with the number of iterations done; NULL: not called. A convolution on a
    // device lags behind, because the host does not wait. Returns false to stop, with KN_ERROR_INTERRUPTED.
    bool (*progress)(void *context, size_t iteration);
    void *context;
};

// KN_ERROR_ARGUMENT for a tolerance, a lambda, a regularizer or a boundary out of range.
kn_status ki_mri_solver_check(const struct mri_solver_options *options, kn_error *err);

struct mri_solver_result {
    size_t iterations; // done
    // ||r|| / ||F^H W d|| before the first and after each iteration: iterations + 1 numbers, which the caller
    // frees. r is the residual by recurrence; it continues to fall after the true residual, which is
    // `residual`, has reached the floor of the precision.
    // For TV: by how much an iteration changes the image and the dual vectors, as a fraction of the first
    // one.
    double *residuals;
    // For TV and WAVELET: x^H A x / 2 - Re x^H F^H W d + lambda R(x), as many numbers, which the caller
    // frees. Otherwise NULL.
    double *objectives;
    double residual; // ||F^H W d - A x|| / ||F^H W d|| for the image, recomputed; for TV and WAVELET, the
                     // last of `residuals`
    double lambda;   // absolute
    double seconds;  // for the iterations, until the device has finished
    bool converged;  // the tolerance was reached
    bool stopped;    // stopped early: p^H A p was not positive any more, so that only rounding is left
};

// Creates a solver for an operator that must exist as long as the solver. Memory: four images in addition to
// the operator's. Cost: an iteration applies the operator once, and has three launches that read and write 12
// n numbers of 8 bytes (src/operator/cgnr/cgnr.h), or 10 n if lambda is 0; one more application for the
// residual, and one for a start. Errors: KN_ERROR_ARGUMENT; those of ki_cgnr_create.
struct mri_solver;
kn_status ki_mri_solver_create(kn_queue *queue, const struct mri_normal *normal,
                               const struct mri_solver_options *options, struct mri_solver **made,
                               kn_error *err);
void ki_mri_solver_free(struct mri_solver *solver); // NULL is fine
struct mri_bytes ki_mri_solver_memory(const struct mri_solver_options *options, size_t voxels);

// Solves for `image` from `start` (NULL: 0), which may be the image's buffer; all three are buffers of the
// matrix's voxels (float2), and `image` must not be the buffer of `fhd`. The image for a right-hand side of 0
// is 0. With 0 iterations the image is the start.
//
// Step lengths are computed on the device; the host waits every eight iterations for the stop test, or,
// without a tolerance, only at the end. Dot products are summed in double precision (in integers, with the
// same bits, on devices without it); vectors are single precision.
//
// Errors: KN_ERROR_ARGUMENT, also for a right-hand side or a start that is not finite; those of the engine.
// The image may have been written even then.
kn_status ki_mri_solver_solve(kn_queue *queue, struct mri_solver *solver, const kn_buffer *fhd,
                              const kn_buffer *start, kn_buffer *image, struct mri_solver_result *result,
                              kn_error *err);

#endif
