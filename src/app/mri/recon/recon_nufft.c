// SPDX-License-Identifier: Apache-2.0
// The difference between an image by a NUFFT and the exact sum, at some voxels.
#include <math.h>

#include "base/error.h"
#include "recon_internal.h"

// The most products of samples and voxels that it may cost, and the most voxels.
static const double budget = 0x1p25;
enum { VOXELS = 64 };

// Evenly spread numbers between 0 and 1: multiples of the golden ratio.
static double share_of(size_t i)
{
    double turns = ((double)i + 0.5) * 0.6180339887498949;

    return turns - floor(turns);
}

kn_status ki_recon_check_nufft(struct recon *recon, const struct mri_sum *given, const double complex *image,
                               kn_error *err)
{
    kn_recon_details *details = &recon->result->details;
    double most = ceil(budget / (double)given->samples), error = 0, energy = 0, positions[VOXELS][MRI_AXES];
    double complex right[VOXELS];
    size_t where[VOXELS], count = most < VOXELS ? (size_t)most : VOXELS;
    struct mri_sum sum = *given;
    kn_status status;

    for (size_t i = 0; i < count; i++) {
        where[i] = (size_t)(share_of(i) * (double)recon->voxels);
        for (size_t axis = 0, rest = where[i]; axis < MRI_AXES; rest /= sum.matrix.size[axis++])
            positions[i][axis] = ki_mri_position(rest % sum.matrix.size[axis], sum.matrix.size[axis]);
    }
    sum.matrix = (kn_recon_matrix){MRI_AXES, {count, 1, 1}};
    sum.positions = positions[0];
    status = ki_mri_sum_host(&sum, MRI_HOST_DOUBLE, NULL, right, NULL, err);
    for (size_t i = 0; i < count && !status; i++) {
        error += pow(cabs(image[where[i]] - right[i]), 2);
        energy += pow(cabs(right[i]), 2);
    }
    details->nufft_error = energy > 0 ? sqrt(error / energy) : 0;
    details->nufft_tolerance = recon->nufft_tolerance;
    details->nufft_voxels = count;
    return status;
}
