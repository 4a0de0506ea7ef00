// SPDX-License-Identifier: Apache-2.0
// Toeplitz operator and conjugate gradients on the host, in double precision throughout: what solver.h is on
// a device, for machines without one, and what the others are measured against.
#ifndef KN_APP_MRI_SOLVER_HOST_SOLVER_H
#define KN_APP_MRI_SOLVER_HOST_SOLVER_H

#include "solver.h"

struct mri_host_normal;

// F^H W F (toeplitz.h) of the matrix, k, samples and weights (w |phi|^2; NULL: 1) that `of` has; its `ask` is
// asked then and by ki_mri_host_normal_apply. q by ki_mri_sum_host and `kernel`, one of
// the host; of samples on the grid the sums of their weights instead. `rate` may be NULL. Memory: 24 bytes a
// point of the grid. Errors: those of ki_mri_toeplitz_measure and ki_mri_sum_host; KN_ERROR_MEMORY.
kn_status ki_mri_host_normal_create(const struct mri_sum *of, enum mri_kernel kernel,
                                    struct mri_host_normal **normal, kn_recon_rate *rate, kn_error *err);
// The same by both sums, each time it is applied: F too by ki_mri_sum_host, with the parts of voxels and
// samples exchanged, or by ki_mri_forward_host where the kernel is a product of matrices, or by a NUFFT. k
// and weights stay the caller's, and must stay. It has no bound: not-a-number. Memory: 24 bytes a voxel and
// 40 a sample, of products 16 a sample, and those of the sums.
kn_status ki_mri_host_normal_create_forward(const struct mri_sum *of, enum mri_kernel kernel,
                                            struct mri_host_normal **normal, kn_error *err);
// Of either method; `size` of the first one.
struct mri_bytes ki_mri_host_normal_memory(const struct mri_toeplitz_size *size, size_t samples,
                                           enum mri_kernel kernel);
struct mri_bytes ki_mri_host_normal_forward_memory(const kn_recon_matrix *matrix, size_t voxels,
                                                   size_t samples, enum mri_kernel kernel);
// What the applications of that one took until now; of the other nothing.
kn_recon_rate ki_mri_host_normal_rate(const struct mri_host_normal *normal);
// NULL is fine.
void ki_mri_host_normal_free(struct mri_host_normal *normal);
// The greatest modulus of an eigenvalue of the circulant.
double ki_mri_host_normal_bound(const struct mri_host_normal *normal);

// y = F^H W F x; y may be x. Cost: both transforms, n log n each, without what is zero or cropped; or both
// sums, 2 x samples x voxels terms. Errors: those of ki_mri_sum_host.
kn_status ki_mri_host_normal_apply(struct mri_host_normal *normal, const double complex *x, double complex *y,
                                   kn_error *err);

// For ki_mri_host_solve, as long as the operator is there; it owns it.
const struct mri_normal *ki_mri_host_normal_of(const struct mri_host_normal *normal);

// As ki_mri_solver_solve, with the same words for the result, from `start` (NULL: 0), with an operator of the
// host's memory. KN_ERROR_MEMORY; KN_ERROR_ARGUMENT for a lambda in units of a bound that is not known; those
// of the operator.
kn_status ki_mri_host_solve(const struct mri_normal *normal, const double complex *fhd,
                            const struct mri_solver_options *options, const double complex *start,
                            double complex *image, struct mri_solver_result *result, kn_error *err);
struct mri_bytes ki_mri_host_solve_memory(size_t voxels);

#endif
