// SPDX-License-Identifier: Apache-2.0
// The normal operator F^H W F as a convolution. It depends only on differences of voxels,
//
//     (F^H W F rho)_n = sum_n' q(n - n') rho_n' ,   q(d) = sum_m w_m exp(+i 2 pi sum_a k_ma d_a / N_a) ,
//
// for d_a = -(N_a - 1) ... N_a - 1, and so is a part of a circulant on a grid of L_a >= 2 N_a - 1 points,
// whose eigenvalues are the Fourier transform of q (Fessler et al. 2005). q(-d) is the conjugate of q(d): the
// eigenvalues are real, and q is computed only for half of the differences. L_a is the least even number that
// is not below 2 N_a and has no prime factor above 5; 1 for an axis of 1.
#ifndef KN_APP_MRI_SOLVER_TOEPLITZ_H
#define KN_APP_MRI_SOLVER_TOEPLITZ_H

#include <stdbool.h>

#include <koine/koine.h>

#include "app/mri/mri.h"
#include "normal.h"
#include "app/mri/sum/sum.h"

struct mri_toeplitz;

// The grid, the number of differences for which q is computed, and the most device memory that the operator
// takes: the eigenvalues (4 bytes per point of the grid); the grid (8 bytes per point) and the transforms'
// workspace, kept by the queue; and, during preparation, q. KN_ERROR_ARGUMENT for a matrix that
// ki_mri_matrix_count refuses, or whose grid has more points than memory can have.
struct mri_toeplitz_size {
    size_t length[MRI_AXES]; // L
    size_t points;           // their product
    size_t differences;
    size_t bytes; // on the device
};
kn_status ki_mri_toeplitz_measure(const kn_recon_matrix *matrix, struct mri_toeplitz_size *size,
                                  kn_error *err);
// The same for samples on the grid (app/mri/cartesian.h): the matrix's own grid, and no differences.
kn_status ki_mri_toeplitz_measure_on_grid(const kn_recon_matrix *matrix, struct mri_toeplitz_size *size,
                                          kn_error *err);
// The one that the kernel needs.
kn_status ki_mri_toeplitz_measure_for(const kn_recon_matrix *matrix, enum mri_kernel kernel,
                                      struct mri_toeplitz_size *size, kn_error *err);
// The same, with the memory for computing q during preparation.
struct mri_bytes ki_mri_toeplitz_memory(const kn_queue *queue, const struct mri_toeplitz_size *size,
                                        size_t samples);

// Computes q for half of the differences in `q` (float2): those of a grid of 2 N points, numbered x fastest,
// d_a = j - N_a (for an axis of 1: 0), from the first one to d = 0, which is the last; they include the
// planes d_a = -N_a, which are not used. Stores those from number `first` on, `count` (at least 1) of them,
// at the beginning of `q`. `weights` (w |phi|^2) may be NULL, for 1. Computed as a sum (sum.h) with the
// matrix 2 N and 2 k: samples x differences terms, and the error of the sum; `rate` may be NULL.
kn_status ki_mri_toeplitz_differences(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                      size_t samples, const double *weights, enum mri_kernel kernel,
                                      size_t first, size_t count, kn_buffer *q, kn_recon_rate *rate,
                                      kn_error *err);

// The operator from all its differences (2 floats each), which `kernel` has computed: takes a copy, and a
// transform of the grid. Errors: those of ki_mri_toeplitz_compute.
kn_status ki_mri_toeplitz_from(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                               size_t samples, const double *weights, enum mri_kernel kernel,
                               const float *differences, struct mri_toeplitz **toeplitz, kn_error *err);

// The operator; computes its differences, and a transform of the grid. k must be finite, in cycles per field
// of view, and weights finite; the caller may free the arrays afterwards. The operator is for the queue's
// context, and for one thread at a time. Errors: KN_ERROR_ARGUMENT; KN_ERROR_LIMIT for a grid that exceeds
// one allocation of the device; those of ki_mri_sum_device or ki_mri_sum_host, depending on the kernel.
// For MRI_CARTESIAN, the eigenvalues are the sums of the weights at each point of the matrix's own grid.
kn_status ki_mri_toeplitz_compute(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                  size_t samples, const double *weights, enum mri_kernel kernel,
                                  struct mri_toeplitz **toeplitz, kn_recon_rate *rate, kn_error *err);
// The same by a NUFFT on the device, with an error of q up to `tolerance`, in the 2-norm.
kn_status ki_mri_toeplitz_compute_nufft(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                        size_t samples, const double *weights, double tolerance,
                                        struct mri_toeplitz **toeplitz, kn_recon_rate *rate, kn_error *err);
struct mri_bytes ki_mri_toeplitz_nufft_memory(const kn_recon_matrix *matrix,
                                              const struct mri_toeplitz_size *size, size_t samples);
// NULL is fine.
void ki_mri_toeplitz_free(struct mri_toeplitz *toeplitz);

// y = F^H W F x, both on the matrix's voxels (float2, x fastest), asynchronously; y must not be x. Zeros are
// neither stored nor read, and cropped parts are not computed. Cost in 3D with n voxels: 7 launches, which
// read or write 62 n numbers of 8 bytes. Scratch memory: the grid, and that of the transforms. Error in the
// 2-norm, relative to the bound below times ||x||: that of the two transforms (koine/fft.h) and of q.
kn_status ki_mri_toeplitz_apply(kn_queue *queue, struct mri_toeplitz *toeplitz, const kn_buffer *x,
                                kn_buffer *y, kn_error *err);

// The greatest modulus of an eigenvalue of the circulant, which bounds the operator's norm: the unit of a
// relative lambda.
double ki_mri_toeplitz_bound(const struct mri_toeplitz *toeplitz);

// The form that ki_mri_solver_create takes, valid as long as the operator, which owns it.
const struct mri_normal *ki_mri_toeplitz_normal(const struct mri_toeplitz *toeplitz);

// The kernel that computed q, also for an operator from a file: one of ki_mri_kernel_names, or "unknown" for
// a file with another name. The string outlives the operator.
const char *ki_mri_toeplitz_kernel(const struct mri_toeplitz *toeplitz);

// Saves the operator's eigenvalues in a file (q_file.c), with their origin: the matrix, the number of
// samples, the SHA-256 of k and of the weights; and the SHA-256 of the whole. The file is written completely
// or not at all; k and weights must be those from which the operator was computed. Errors: KN_ERROR_OUTPUT
// (also for an existing file, unless `force`), KN_ERROR_DEVICE, KN_ERROR_MEMORY.
kn_status ki_mri_toeplitz_save(kn_queue *queue, const struct mri_toeplitz *toeplitz, const double *k,
                               const double *weights, const char *path, bool force, kn_error *err);

// Loads the operator for these samples from a file: the same bits as the saved one. KN_ERROR_INPUT, with the
// found and the expected value, for a file that cannot be read, has another format or length, was changed, or
// was made for another matrix, trajectory or weights.
kn_status ki_mri_toeplitz_load(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                               size_t samples, const double *weights, const char *path,
                               struct mri_toeplitz **toeplitz, kn_error *err);

#endif
