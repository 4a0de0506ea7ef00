// SPDX-License-Identifier: Apache-2.0
// The eigenvector with the greatest eigenvalue at each voxel, for matrices of coils x coils.
#ifndef KN_APP_MRI_SENSE_EIGENMAPS_H
#define KN_APP_MRI_SENSE_EIGENMAPS_H

#include "app/mri/mri.h"

// Voxels and their Hermitian, positive semi-definite matrices: element (c, other) of voxel n, for other <= c,
// is h[(c (c + 1) / 2 + other) voxels + n].
struct mri_eigenmaps {
    size_t coils, voxels;
    const double complex *h;
    const double complex *principal; // sets the phase of each vector, whose product with it is positive
    double crop;                     // the vector is 0 where the eigenvalue is below this
    double complex *maps;            // vectors of length 1: coil c of voxel n is maps[c * step + n]
    size_t step;
};

// Takes 30 steps of the power method, starting at the first coil with a signal, as BART does: where the two
// greatest eigenvalues are close to each other, as outside of the object, vectors are mixtures of both, and
// the same ones as BART's. Threads share the voxels. KN_ERROR_MEMORY.
kn_status ki_mri_eigenmaps(const struct mri_eigenmaps *job, kn_error *err);

#endif
