// SPDX-License-Identifier: Apache-2.0
// The normal operator F^H W F, as the solver applies it: as a convolution (toeplitz.h), or by both sums in
// every application, which is much slower, but needs no preparation and no grid of twice the matrix, and
// serves to verify the convolution.
#ifndef KN_APP_MRI_SOLVER_NORMAL_H
#define KN_APP_MRI_SOLVER_NORMAL_H

#include <koine/koine.h>

#include "app/mri/mri.h"
#include "app/mri/sum/sum.h"
#include "operator/operator.h"

// A self-adjoint operator on a device or in host memory, on the matrix's voxels (x fastest).
struct mri_normal {
    kn_recon_matrix matrix;
    double bound;   // on its norm, the unit of a relative lambda; NaN if it is not known
    kn_operator *a; // complex: KN_F32 on a device, KN_F64 on the host
};

// Makes the operator of `apply` with `data`, on a device or on the host; `normal` is empty on failure.
// ki_mri_normal_end frees it, but not `data`.
kn_status ki_mri_normal_begin(kn_context *context, const kn_recon_matrix *matrix, double bound,
                              kn_operator_function *apply, void *data, struct mri_normal *normal,
                              kn_error *err);
kn_status ki_mri_normal_begin_host(const kn_recon_matrix *matrix, double bound,
                                   kn_operator_host_function *apply, void *data, struct mri_normal *normal,
                                   kn_error *err);
void ki_mri_normal_end(struct mri_normal *normal);

// F by ki_mri_forward_device, and F^H by ki_mri_sum_device with `kernel`, a kernel of a device; or both by a
// NUFFT, to `tolerance`, which is only for MRI_NUFFT; with W between them. k (in cycles per field of view)
// and weights (w |phi|^2; NULL: 1) are the caller's, and must exist as long as the operator. Memory: 8 bytes
// per sample, and the memory of both sums, which it and the queue keep: ki_mri_sum_memory and
// ki_mri_forward_memory. Cost of an application: 2 x samples x voxels terms; samples that do not stay on the
// device (struct mri_there) are copied there twice. Returns when it is done. Its error is that of both sums.
// The operator is for the queue's context, and for one thread at a time. Errors: KN_ERROR_ARGUMENT (a kernel
// of the host, a matrix that ki_mri_matrix_count refuses); those of both sums.
struct mri_forward_normal;
kn_status ki_mri_forward_normal_create(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                       size_t samples, const double *weights, enum mri_kernel kernel,
                                       double tolerance, struct mri_forward_normal **made, kn_error *err);
struct mri_bytes ki_mri_forward_normal_memory(const kn_queue *queue, size_t voxels, size_t samples);
// NULL is fine.
void ki_mri_forward_normal_free(struct mri_forward_normal *forward);
// The form that ki_mri_solver_create takes, valid as long as the operator, which owns it. It has no bound.
const struct mri_normal *ki_mri_forward_normal_of(const struct mri_forward_normal *forward);
// The time of all applications so far: the terms of both sums, and the seconds that a caller waited, without
// compilation; loads are not counted.
kn_recon_rate ki_mri_forward_normal_rate(const struct mri_forward_normal *forward);

#endif
