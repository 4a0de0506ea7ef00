// SPDX-License-Identifier: Apache-2.0
// The vector of the greatest eigenvalue at each voxel, of matrices of coils x coils.
#ifndef KN_APP_MRI_SENSE_EIGENMAPS_H
#define KN_APP_MRI_SENSE_EIGENMAPS_H

#include "app/mri/mri.h"

// Voxels and their Hermitian, positive semi-definite matrices: element (c, other) for other <= c is in
// h[(c (c + 1) / 2 + other) voxels + n].
struct mri_eigenmaps {
    size_t coils, voxels;
    const double complex *h;
    const double complex *principal; // of coils: a vector is turned until its product with it is positive
    double crop;                     // where the eigenvalue is below it the vector is 0
    double complex *maps;            // of length 1: coil c of voxel n in maps[c * step + n]
    size_t step;
};

// By 30 steps of the power method from the first coil that sees anything, as BART has them: where the two
// greatest eigenvalues are close to each other, as they are outside of the object, vectors are mixtures of
// both, and the same ones. Threads share the voxels. KN_ERROR_MEMORY.
kn_status ki_mri_eigenmaps(const struct mri_eigenmaps *job, kn_error *err);

#endif
