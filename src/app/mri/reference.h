// SPDX-License-Identifier: Apache-2.0
// The reference: both sums of mri.h in double precision, term by term, serial; and how far an image is from
// another one. Phases are reduced to a turn before sine and cosine, so that each term is right to a few units
// of 1e-16 as long as |k . r| is some thousands of turns or less.
#ifndef KN_APP_MRI_REFERENCE_H
#define KN_APP_MRI_REFERENCE_H

#include <koine/experimental/recon.h>

#include "mri.h"

// data[m] of `samples` samples from the image. Costs samples x voxels sines and cosines, as the next one
// does. KN_ERROR_ARGUMENT for a matrix that ki_mri_matrix_count refuses.
kn_status ki_mri_reference_forward(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                   const double complex *image, kn_recon_scale scale, double complex *data,
                                   kn_error *err);

// The image from the data; `weights` (density compensation; a number a sample) may be NULL, for 1.
kn_status ki_mri_reference_adjoint(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                   const double complex *data, const double *weights, kn_recon_scale scale,
                                   double complex *image, kn_error *err);

// The adjoint at any positions, three numbers each, in the unit that makes k . r turns.
void ki_mri_reference_adjoint_at(const double *k, size_t samples, const double complex *data,
                                 const double *weights, const double *positions, size_t count,
                                 double complex *values);

// How far factor x is from the reference r, both of `count` voxels, with their phases; infinite decibels
// where they are equal, not-a-number where r is 0 everywhere or nothing is there to compare.
kn_recon_quality ki_mri_quality(const double complex *x, const double complex *reference, size_t count,
                                double complex factor);

// The factor that makes ||factor x - r|| least, <x, r> / <x, x>; 1 where x is 0 everywhere.
double complex ki_mri_best_factor(const double complex *x, const double complex *reference, size_t count);

#endif
