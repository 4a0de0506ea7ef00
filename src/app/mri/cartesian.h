// SPDX-License-Identifier: Apache-2.0
// Samples on the grid of whole cycles per field of view, like those of a Cartesian scan, whichever lines were
// measured and however often. Both sums are then a plain Fourier transform of the matrix, and F^H W F
// multiplies that transform by the sum of the weights at each point: no grid of twice the size is needed.
#ifndef KN_APP_MRI_CARTESIAN_H
#define KN_APP_MRI_CARTESIAN_H

#include "mri.h"

// The greatest phase error, in radians at any voxel, from moving samples to their nearest point of the grid:
// pi times the sum of a sample's distances along the axes that have more than one voxel. INFINITY if one of
// these distances exceeds N 2^-24, twice the rounding of k / N in single precision, or if k is not finite;
// *which (may be NULL) is then the first such sample. 0 without samples.
double ki_mri_off_grid(const kn_recon_matrix *matrix, const double *k, size_t samples, size_t *which);

// sums[voxels] = the sum of the weights (NULL: 1) of the samples at each point of the grid, k modulo N, x
// fastest: the factors of F^H W F between an unscaled transform and the unscaled inverse one.
void ki_mri_grid_weights(const kn_recon_matrix *matrix, const double *k, size_t samples,
                         const double *weights, double *sums);

#endif
