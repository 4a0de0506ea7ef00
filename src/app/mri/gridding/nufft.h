// SPDX-License-Identifier: Apache-2.0
// Both sums of mri.h by a non-uniform fast Fourier transform on a device, in single precision, with a given
// error: gridding (gridding.h) on a grid of twice the matrix, with a window as wide as the tolerance
// requires; with weights, and the transform of a basis.
#ifndef KN_APP_MRI_GRIDDING_NUFFT_H
#define KN_APP_MRI_GRIDDING_NUFFT_H

#include <koine/koine.h>

#include "app/mri/memory.h"
#include "app/mri/mri.h"

struct mri_nufft;

// The matrix covers `fields_of_view` fields of view along each axis: k is in cycles per one of them.
// `weights` and `basis` (w and phi of struct mri_sum) may be NULL, for 1; the caller may free the arrays
// afterwards. The tolerance may be MRI_NUFFT_ON_GRID. Errors: KN_ERROR_ARGUMENT for a tolerance out of range
// (host_nufft.h: single precision); those of ki_mri_gridding_create.
kn_status ki_mri_nufft_create(kn_queue *queue, const kn_recon_matrix *matrix, unsigned fields_of_view,
                              const double *k, size_t samples, const double *weights,
                              const double complex *basis, double tolerance, struct mri_nufft **made,
                              kn_error *err);
// NULL is fine.
void ki_mri_nufft_free(struct mri_nufft *nufft);
// An upper bound, for the least tolerance.
struct mri_bytes ki_mri_nufft_memory(const kn_recon_matrix *matrix, size_t samples);

// image[voxels] from data[samples], a float2 each; `weighted`: with the weights. `data` may be NULL, for 1.
// Does not wait. KN_ERROR_ARGUMENT for a buffer that is too small.
kn_status ki_mri_nufft_adjoint(kn_queue *queue, struct mri_nufft *nufft, bool weighted, const kn_buffer *data,
                               kn_buffer *image, kn_error *err);
// data[samples] from image[voxels], with the basis.
kn_status ki_mri_nufft_forward(kn_queue *queue, struct mri_nufft *nufft, const kn_buffer *image,
                               kn_buffer *data, kn_error *err);

#endif
