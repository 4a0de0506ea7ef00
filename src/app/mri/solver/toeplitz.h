// SPDX-License-Identifier: Apache-2.0
// The normal operator F^H W F as a convolution. It depends on differences of voxels alone,
//
//     (F^H W F rho)_n = sum_n' q(n - n') rho_n' ,   q(d) = sum_m w_m exp(+i 2 pi sum_a k_ma d_a / N_a) ,
//
// for d_a = -(N_a - 1) ... N_a - 1, and so is a piece of a circulant on a grid of L_a >= 2 N_a - 1 points,
// whose eigenvalues are the Fourier transform of q (Fessler et al. 2005). q(-d) is the conjugate of q(d): the
// eigenvalues are real, and q is computed for half of the differences only. L_a is the least even number from
// 2 N_a on without a prime factor above 5; an axis of 1 stays 1.
#ifndef KN_APP_MRI_SOLVER_TOEPLITZ_H
#define KN_APP_MRI_SOLVER_TOEPLITZ_H

#include <stdbool.h>

#include <koine/koine.h>

#include "app/mri/mri.h"
#include "normal.h"
#include "app/mri/sum/sum.h"

struct mri_toeplitz;

// The grid, how many differences q is computed for, and what the operator takes of the device's memory at
// most: the eigenvalues (4 bytes a point of the grid); the grid (8 bytes a point) and what the transforms
// take beside it, kept by the queue; and, while it is made, q. KN_ERROR_ARGUMENT for a matrix that
// ki_mri_matrix_count refuses, or whose grid has more points than memory can have.
struct mri_toeplitz_size {
    size_t length[MRI_AXES]; // L
    size_t points;           // their product
    size_t differences;
    size_t bytes; // of the device
};
kn_status ki_mri_toeplitz_measure(const kn_recon_matrix *matrix, struct mri_toeplitz_size *size,
                                  kn_error *err);
// The same of samples on the grid (app/mri/cartesian.h): the matrix's own grid, and no differences.
kn_status ki_mri_toeplitz_measure_on_grid(const kn_recon_matrix *matrix, struct mri_toeplitz_size *size,
                                          kn_error *err);
// Whichever the kernel has.
kn_status ki_mri_toeplitz_measure_for(const kn_recon_matrix *matrix, enum mri_kernel kernel,
                                      struct mri_toeplitz_size *size, kn_error *err);
// The same, and while it is made what computes q.
struct mri_bytes ki_mri_toeplitz_memory(const kn_queue *queue, const struct mri_toeplitz_size *size,
                                        size_t samples);

// q of half of the differences, for `q` (float2): those of a grid of 2 N points a numbered x fastest, d_a = j
// - N_a (an axis of 1: 0), from the first one to d = 0, which is the last; the planes d_a = -N_a are among
// them and belong to nobody. Those from number `first` on, `count` (at least 1) of them, come first in `q`.
// `weights` (w |phi|^2) may be NULL, for 1. By mri_sum with the matrix 2 N and 2 k: samples x differences
// terms, and its error; `rate` may be NULL.
kn_status ki_mri_toeplitz_differences(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                      size_t samples, const double *weights, enum mri_kernel kernel,
                                      size_t first, size_t count, kn_buffer *q, kn_recon_rate *rate,
                                      kn_error *err);

// The operator from all its differences (2 floats each), which the kernel has computed: a copy, and a
// transform of the grid. Errors: those of ki_mri_toeplitz_compute.
kn_status ki_mri_toeplitz_from(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                               size_t samples, const double *weights, enum mri_kernel kernel,
                               const float *differences, struct mri_toeplitz **toeplitz, kn_error *err);

// The operator, from its differences. Costs those, and a transform of the grid. k must be finite, in cycles
// per field of view, weights finite; the arrays are the caller's and may go. The operator is for the queue's
// context, and for one thread at a time. Errors: KN_ERROR_ARGUMENT; KN_ERROR_LIMIT for a grid that is more
// than one allocation of the device; those of ki_mri_sum_device or ki_mri_sum_host, whichever the kernel is
// of.
// By MRI_CARTESIAN the eigenvalues are the weights' sums at each point of the matrix's own grid.
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

// y = F^H W F x, both of the matrix's voxels (float2, x fastest), asynchronously; y is not x. Zeros are
// neither stored nor read, what is cropped is not computed. Cost in 3D with n voxels: 7 launches, 62 n
// numbers of 8 bytes read or written. Scratch memory: the grid, beside the transforms' own. Error in the
// 2-norm, relative to the bound below times ||x||: that of the two transforms (koine/fft.h) and of q.
kn_status ki_mri_toeplitz_apply(kn_queue *queue, struct mri_toeplitz *toeplitz, const kn_buffer *x,
                                kn_buffer *y, kn_error *err);

// The greatest modulus of an eigenvalue of the circulant, which bounds the operator's norm. What a relative
// lambda is relative to.
double ki_mri_toeplitz_bound(const struct mri_toeplitz *toeplitz);

// For ki_mri_solver_create, as long as the operator is there; it owns it.
const struct mri_normal *ki_mri_toeplitz_normal(const struct mri_toeplitz *toeplitz);

// Which kernel computed q, also of an operator from a file: one of ki_mri_kernel_names, or "unknown" for a
// file that names another one. It outlives the operator.
const char *ki_mri_toeplitz_kernel(const struct mri_toeplitz *toeplitz);

// Keeps the operator's eigenvalues in a file (q_file.c), with what they were computed from: the matrix, the
// number of samples, SHA-256 of k and of the weights; and SHA-256 of all that. The file is there whole or not
// at all; k and weights are those it was computed from. Errors: KN_ERROR_OUTPUT (a file that is there, unless
// `force`), KN_ERROR_DEVICE, KN_ERROR_MEMORY.
kn_status ki_mri_toeplitz_save(kn_queue *queue, const struct mri_toeplitz *toeplitz, const double *k,
                               const double *weights, const char *path, bool force, kn_error *err);

// The operator of these very samples from a file: the same bits as the saved one. KN_ERROR_INPUT, with what
// was found and what was expected, for a file that cannot be read, is something else, ends too soon or goes
// on, was changed, or was made for another matrix, trajectory or weights.
kn_status ki_mri_toeplitz_load(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                               size_t samples, const double *weights, const char *path,
                               struct mri_toeplitz **toeplitz, kn_error *err);

#endif
