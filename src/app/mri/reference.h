// SPDX-License-Identifier: Apache-2.0
// The reference: both sums of mri.h in double precision, term by term, serial; and the difference between two
// images. Phases are reduced to a turn before sine and cosine, so that each term is correct to a few units of
// 1e-16 as long as |k . r| is at most a few thousand turns.
#ifndef KN_APP_MRI_REFERENCE_H
#define KN_APP_MRI_REFERENCE_H

#include <koine/experimental/recon.h>

#include "mri.h"

// data[m] of `samples` samples from the image. Cost: samples x voxels sines and cosines, also for the next
// function. KN_ERROR_ARGUMENT for a matrix that ki_mri_matrix_count refuses.
kn_status ki_mri_reference_forward(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                   const double complex *image, kn_recon_scale scale, double complex *data,
                                   kn_error *err);

// The image from the data; `weights` (density compensation, a number per sample) may be NULL, for 1.
kn_status ki_mri_reference_adjoint(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                   const double complex *data, const double *weights, kn_recon_scale scale,
                                   double complex *image, kn_error *err);

// The adjoint at any positions, three numbers each, in units for which k . r is in turns.
void ki_mri_reference_adjoint_at(const double *k, size_t samples, const double complex *data,
                                 const double *weights, const double *positions, size_t count,
                                 double complex *values);

// The difference between factor x and the reference r, both with `count` voxels, including phases; infinite
// decibels if they are equal, NaN if r is 0 everywhere or there are no voxels.
kn_recon_quality ki_mri_quality(const double complex *x, const double complex *reference, size_t count,
                                double complex factor);

// The factor that minimises ||factor x - r||, <x, r> / <x, x>; 1 if x is 0 everywhere.
double complex ki_mri_best_factor(const double complex *x, const double complex *reference, size_t count);

#endif
