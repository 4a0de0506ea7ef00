// SPDX-License-Identifier: Apache-2.0
// Density compensation: how much of k-space each sample stands for.
//
// Ramp and Pipe-Menon have the image's scale: the adjoint with these weights is about the image itself. A
// weight is the area (volume) of k-space that its sample stands for, in cycles per field of view to the power
// of the axes, over the voxels; those of a full Cartesian grid are about 1/voxels.
#ifndef KN_APP_MRI_DENSITY_H
#define KN_APP_MRI_DENSITY_H

#include <koine/koine.h>

#include "mri.h"

enum mri_density {
    MRI_DENSITY_NONE, // 1 throughout: the unscaled sum
    // For diameters at even angles: |k|, or |k|^2 where three axes have more than a voxel; in all the disc
    // (ball) of the largest |k|. Samples at k = 0 share the disc (ball) that the next ones, at |k| = q,
    // leave: they count as |k| = q/4, or |k|^2 = q^2/12.
    MRI_DENSITY_RAMP,
    MRI_DENSITY_PIPE, // w <- w / (C C^H w), 10 times, C the window of gridding (Pipe and Menon, MRM 41, 1999)
    MRI_DENSITIES
};

extern const char *const ki_mri_density_names[MRI_DENSITIES + 1]; // "none", "ramp", "pipe"; ends in NULL

// weights[] of `samples` numbers. Only MRI_DENSITY_PIPE uses the queue, which may be NULL for the others: ten
// times it spreads and reads all samples by gridding with oversampling 2 and width 6.
// Errors: KN_ERROR_ARGUMENT for a matrix that ki_mri_matrix_count refuses and a k that is not a number; those
// of ki_mri_gridding_create.
kn_status ki_mri_density(kn_queue *queue, const struct mri_matrix *matrix, const double *k, size_t samples,
                         enum mri_density density, double *weights, kn_error *err);

#endif
