// SPDX-License-Identifier: Apache-2.0
// Samples that lie on the grid of whole cycles per field of view, as those of a Cartesian scan do, whichever
// of its lines were measured and however often. Both sums are then a plain Fourier transform of the matrix,
// and F^H W F multiplies its transform by the sums of the weights at each point: nothing is doubled.
#ifndef KN_APP_MRI_CARTESIAN_H
#define KN_APP_MRI_CARTESIAN_H

#include "mri.h"

// The greatest phase, in radians at any voxel, by which a sample is off its nearest point of the grid: pi
// times the sum of its distances along the axes that have more than one voxel. INFINITY if one of these
// distances is more than N 2^-24, the rounding of k / N in single precision and as much again, or k is not
// finite; *which (NULL is fine) is then the first such sample. 0 without samples.
double ki_mri_off_grid(const kn_recon_matrix *matrix, const double *k, size_t samples, size_t *which);

// sums[voxels] = the sum of the weights (NULL: 1) of the samples at each point of the grid, k modulo N, x
// fastest: what F^H W F multiplies an unscaled transform by, before the unscaled one back.
void ki_mri_grid_weights(const kn_recon_matrix *matrix, const double *k, size_t samples,
                         const double *weights, double *sums);

#endif
