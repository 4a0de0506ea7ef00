// SPDX-License-Identifier: Apache-2.0
// Toeplitz operator and conjugate gradients on the host, in double precision throughout: the counterpart of
// solver.h for machines without a device, and the standard with which the others are compared.
#ifndef KN_APP_MRI_SOLVER_HOST_SOLVER_H
#define KN_APP_MRI_SOLVER_HOST_SOLVER_H

#include "solver.h"

struct mri_host_normal;

// F^H W F (toeplitz.h) for the matrix, k, samples and weights (w |phi|^2; NULL: 1) of `of`; its `ask` is
// called now and by ki_mri_host_normal_apply. Computes q with ki_mri_sum_host and `kernel`, a kernel of the
// host; for samples on the grid, the sums of their weights instead. `rate` may be NULL. Memory: 24 bytes per
// point of the grid. Errors: those of ki_mri_toeplitz_measure and ki_mri_sum_host; KN_ERROR_MEMORY.
kn_status ki_mri_host_normal_create(const struct mri_sum *of, enum mri_kernel kernel,
                                    struct mri_host_normal **normal, kn_recon_rate *rate, kn_error *err);
// The same by both sums, in every application: F is also computed by ki_mri_sum_host, with the roles of
// voxels and samples exchanged, or by ki_mri_forward_host if the kernel is a product of matrices, or by a
// NUFFT. k and weights are the caller's, and must exist as long as the operator. Its bound is NaN. Memory: 24
// bytes per voxel and 40 per sample (16 per sample for products of matrices), and that of the sums.
kn_status ki_mri_host_normal_create_forward(const struct mri_sum *of, enum mri_kernel kernel,
                                            struct mri_host_normal **normal, kn_error *err);
// The memory of either method; `size` is for the first one.
struct mri_bytes ki_mri_host_normal_memory(const struct mri_toeplitz_size *size, size_t samples,
                                           enum mri_kernel kernel);
struct mri_bytes ki_mri_host_normal_forward_memory(const kn_recon_matrix *matrix, size_t voxels,
                                                   size_t samples, enum mri_kernel kernel);
// The time that the applications of the second method have taken so far; nothing for the first one.
kn_recon_rate ki_mri_host_normal_rate(const struct mri_host_normal *normal);
// NULL is fine.
void ki_mri_host_normal_free(struct mri_host_normal *normal);
// The greatest modulus of an eigenvalue of the circulant.
double ki_mri_host_normal_bound(const struct mri_host_normal *normal);

// y = F^H W F x; y may be x. Cost: both transforms, n log n each, without the parts that are zero or cropped;
// or both sums, 2 x samples x voxels terms. Errors: those of ki_mri_sum_host.
kn_status ki_mri_host_normal_apply(struct mri_host_normal *normal, const double complex *x, double complex *y,
                                   kn_error *err);

// The form that ki_mri_host_solve takes, valid as long as the operator, which owns it.
const struct mri_normal *ki_mri_host_normal_of(const struct mri_host_normal *normal);

// Like ki_mri_solver_solve, with the same fields in the result, from `start` (NULL: 0), for an operator in
// host memory. KN_ERROR_MEMORY; KN_ERROR_ARGUMENT for a lambda in units of a bound that is not known; those
// of the operator.
kn_status ki_mri_host_solve(const struct mri_normal *normal, const double complex *fhd,
                            const struct mri_solver_options *options, const double complex *start,
                            double complex *image, struct mri_solver_result *result, kn_error *err);
struct mri_bytes ki_mri_host_solve_memory(const struct mri_solver_options *options, size_t voxels);

#endif
