// SPDX-License-Identifier: Apache-2.0
#include "cartesian.h"

#include <math.h>

static const double rounding = 0x1p-24; // twice the rounding of k / N in single precision

double ki_mri_off_grid(const kn_recon_matrix *matrix, const double *k, size_t samples, size_t *which)
{
    double most = 0;

    for (size_t m = 0; m < samples; m++) {
        double sum = 0;

        for (size_t axis = 0; axis < MRI_AXES; axis++) {
            double at = k[MRI_AXES * m + axis], off = fabs(at - rint(at)), size = (double)matrix->size[axis];

            if (size <= 1)
                continue;
            if (!(off <= size * rounding)) { // true for NaN, too
                if (which)
                    *which = m;
                return INFINITY;
            }
            sum += off;
        }
        most = fmax(most, M_PI * sum);
    }
    return most;
}

// The grid point of k along an axis, for k of either sign.
static size_t point_of(double k, size_t size)
{
    double n = (double)size, point = fmod(rint(k), n);

    return (size_t)(point < 0 ? point + n : point);
}

void ki_mri_grid_weights(const kn_recon_matrix *matrix, const double *k, size_t samples,
                         const double *weights, double *sums)
{
    const size_t *size = matrix->size;

    for (size_t i = 0; i < size[0] * size[1] * size[2]; i++)
        sums[i] = 0;
    for (size_t m = 0; m < samples; m++) {
        size_t at = 0;

        for (size_t axis = MRI_AXES; axis-- > 0;)
            at = at * size[axis] + point_of(k[MRI_AXES * m + axis], size[axis]);
        sums[at] += weights ? weights[m] : 1;
    }
}
