// SPDX-License-Identifier: Apache-2.0
// Images with a regularizer R that is not quadratic: the x of the least x^H A x / 2 - Re x^H b + lambda R(x),
// where A is F^H W F and b is F^H W d, which is |F x - d|^2 / 2 + lambda R(x) with the weights W but for a
// constant, by KN_SOLVE_TV and KN_SOLVE_WAVELET of operator/bounded. What solver.h and host_solver.h take for
// such regularizers.
#ifndef KN_APP_MRI_SOLVER_SPARSITY_H
#define KN_APP_MRI_SOLVER_SPARSITY_H

#include "solver.h"

// Whether a regularizer needs these functions, and its lambda grows with |x| instead of |x|^2.
bool ki_mri_is_sparse(kn_recon_regularizer regularizer);

// On a device; `lambda` is absolute. The operator must exist as long as the solver. Errors: those of
// ki_bounded_create.
struct mri_sparsity;
kn_status ki_mri_sparsity_create(kn_queue *queue, const struct mri_normal *normal,
                                 const struct mri_solver_options *options, double lambda,
                                 struct mri_sparsity **made, kn_error *err);
void ki_mri_sparsity_free(struct mri_sparsity *sparsity); // NULL is fine

// As ki_mri_solver_solve.
kn_status ki_mri_sparsity_solve(kn_queue *queue, struct mri_sparsity *sparsity, const kn_buffer *fhd,
                                const kn_buffer *start, kn_buffer *image, struct mri_solver_result *result,
                                kn_error *err);

// As ki_mri_host_solve, with result->lambda, which is absolute; result's arrays have room for the iterations.
kn_status ki_mri_host_sparsity_solve(const struct mri_normal *normal, const double complex *fhd,
                                     const struct mri_solver_options *options, const double complex *start,
                                     double complex *image, struct mri_solver_result *result, kn_error *err);

// The memory of either, besides that of the operator; as much as the regularizer that needs more.
struct mri_bytes ki_mri_sparsity_memory(size_t voxels);
struct mri_bytes ki_mri_host_sparsity_memory(size_t voxels);

#endif
