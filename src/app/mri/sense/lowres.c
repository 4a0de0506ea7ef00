// SPDX-License-Identifier: Apache-2.0
// Maps from images at low resolution.
#include <math.h>
#include <stdlib.h>

#include "app/mri/solver/toeplitz.h"
#include "base/error.h"
#include "calibration.h"

// Interpolates from an axis with few voxels to one with many in the same field of view: the band of the first
// one, with a Hann window. NULL if there is no memory.
static double complex *interpolation(size_t many, size_t few)
{
    double complex *matrix = malloc(many * few * sizeof *matrix);

    for (size_t row = 0; row < many && matrix; row++)
        for (size_t column = 0; column < few; column++) {
            double apart = ki_mri_position(row, many) - ki_mri_position(column, few), sum = 1;

            // The band's pairs of k and -k; if `few` is even, k = -few/2 has no partner, but the window is 0
            // there.
            for (size_t k = 1; 2 * k < few; k++) {
                double window = 0.5 + 0.5 * cos(2 * M_PI * (double)k / (double)few);

                sum += 2 * window * cos(2 * M_PI * (double)k * apart);
            }
            matrix[row * few + column] = sum / (double)few;
        }
    return matrix;
}

static void normalize(double complex *maps, size_t coils, size_t voxels)
{
    for (size_t n = 0; n < voxels; n++) {
        double sum = 0;

        for (size_t coil = 0; coil < coils; coil++) {
            double complex s = maps[coil * voxels + n];

            sum += creal(s) * creal(s) + cimag(s) * cimag(s);
        }
        for (size_t coil = 0; coil < coils && sum > 0; coil++)
            maps[coil * voxels + n] /= sqrt(sum);
    }
}

struct mri_bytes ki_mri_maps_lowres_memory(const kn_recon_scan *scan)
{
    const size_t *size = scan->matrix.size, widest = MRI_CALIBRATION;
    kn_recon_matrix few = {MRI_AXES, {1, 1, 1}};
    struct mri_toeplitz_size grid = {.points = 0};
    size_t voxels = 1, kept = 1, per_sample = 2 * sizeof(double) + 2 * MRI_COMPLEX + MRI_POSITION;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        few.size[axis] = size[axis] < widest ? size[axis] : widest;
        voxels *= few.size[axis];
        kept = saturate_times(kept, axis ? size[axis] : few.size[axis]);
    }
    (void)ki_mri_toeplitz_measure(&few, &grid, NULL); // cannot fail for a matrix that small
    const struct mri_bytes centre = {.host = saturate_plus(saturate_times(voxels, 9 * MRI_COMPLEX),
                                                           saturate_times(scan->samples, per_sample))},
                           between = {.host = saturate_times(2 * MRI_COMPLEX, kept)},
                           images = {.host = saturate_plus(saturate_times(scan->coils, voxels * MRI_COMPLEX),
                                                           grid.points * 2 * MRI_COMPLEX)};

    return mri_bytes_both(mri_bytes_either(centre, between), images);
}

kn_status ki_mri_maps_lowres(const kn_recon_scan *scan, struct ki_ask *ask, double complex *maps,
                             kn_error *err)
{
    const size_t *size = scan->matrix.size, voxels = size[0] * size[1] * size[2];
    struct mri_calibration few;
    double complex *matrices[MRI_AXES] = {NULL};
    bool sees = false;
    kn_status status = ki_mri_calibrate(scan, MRI_CALIBRATION, ask, &few, err);

    if (status)
        return status;
    for (size_t axis = 0; axis < MRI_AXES && !status; axis++) {
        if (size[axis] > 1)
            matrices[axis] = interpolation(size[axis], few.matrix.size[axis]);
        if (size[axis] > 1 && !matrices[axis])
            status = ki_fail_memory(err, size[axis] * few.matrix.size[axis] * sizeof *maps,
                                    "maps of sensitivities");
    }
    for (size_t coil = 0; coil < scan->coils && !status; coil++)
        status = ki_mri_along_axes(matrices, size, few.matrix.size, few.images + coil * few.voxels,
                                   maps + coil * voxels, err);
    for (size_t i = 0; i < few.coils * few.voxels && !sees; i++)
        sees = few.images[i] != 0;
    if (!status && !sees)
        status =
            ki_fail(err, KN_ERROR_ARGUMENT,
                    "the samples about k = 0 are all 0: there is nothing to estimate sensitivities from");
    if (!status)
        normalize(maps, scan->coils, voxels);
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        free(matrices[axis]);
    ki_mri_calibration_free(&few);
    return status;
}
