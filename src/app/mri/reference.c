// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "base/error.h"

kn_status ki_mri_matrix_count(const kn_recon_matrix *matrix, size_t *voxels, kn_error *err)
{
    size_t count = 1;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t size = matrix->size[axis];

        if (size < 1 || count > SIZE_MAX / sizeof(double complex) / size)
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "a matrix of %zu x %zu x %zu voxels; expected at least 1 each way, and that they fit "
                "into memory",
                matrix->size[0], matrix->size[1], matrix->size[2]);
        count *= size;
    }
    *voxels = count;
    return KN_OK;
}

double ki_mri_position(size_t j, size_t size)
{
    return ((double)j - (double)(size / 2)) / (double)size;
}

uint32_t ki_mri_fraction(double k, size_t size)
{
    double turns = k / (double)size;

    return (uint32_t)(int64_t)rint((turns - rint(turns)) * 0x1p32);
}

// ---- bounds of k ----

// Without a branch for each sample. On one thread: waking others takes as long as this does for a million
// samples.
bool ki_mri_is_within(const double *k, size_t samples, const double most[MRI_AXES])
{
    int inside = 1;

    for (size_t m = 0; m < samples; m++, k += MRI_AXES)
        inside &= (fabs(k[0]) <= most[0]) & (fabs(k[1]) <= most[1]) & (fabs(k[2]) <= most[2]);
    return inside;
}

bool ki_mri_is_finite(const double *k, size_t samples)
{
    static const double most[] = {DBL_MAX, DBL_MAX, DBL_MAX};

    return ki_mri_is_within(k, samples, most);
}

// exp(i 2 pi turns).
static double complex turned(double turns)
{
    double angle = 2 * M_PI * (turns - rint(turns));

    return mri_complex(cos(angle), sin(angle));
}

static double dot(const double *k, const double *r)
{
    return k[0] * r[0] + k[1] * r[1] + k[2] * r[2];
}

static void voxel_position(const kn_recon_matrix *matrix, size_t voxel, double r[MRI_AXES])
{
    for (size_t axis = 0; axis < MRI_AXES; voxel /= matrix->size[axis], axis++)
        r[axis] = ki_mri_position(voxel % matrix->size[axis], matrix->size[axis]);
}

static double factor(kn_recon_scale scale, size_t voxels)
{
    return scale == KN_RECON_SCALE_UNITARY ? 1 / sqrt((double)voxels) : 1;
}

kn_status ki_mri_reference_forward(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                   const double complex *image, kn_recon_scale scale, double complex *data,
                                   kn_error *err)
{
    size_t voxels;
    kn_status status = ki_mri_matrix_count(matrix, &voxels, err);

    if (status)
        return status;
    for (size_t m = 0; m < samples; m++) {
        double complex sum = 0;

        for (size_t n = 0; n < voxels; n++) {
            double r[MRI_AXES];

            voxel_position(matrix, n, r);
            sum += image[n] * turned(-dot(k + MRI_AXES * m, r));
        }
        data[m] = factor(scale, voxels) * sum;
    }
    return KN_OK;
}

void ki_mri_reference_adjoint_at(const double *k, size_t samples, const double complex *data,
                                 const double *weights, const double *positions, size_t count,
                                 double complex *values)
{
    for (size_t n = 0; n < count; n++) {
        double complex sum = 0;

        for (size_t m = 0; m < samples; m++)
            sum += (weights ? weights[m] : 1) * data[m] *
                   turned(dot(k + MRI_AXES * m, positions + MRI_AXES * n));
        values[n] = sum;
    }
}

kn_status ki_mri_reference_adjoint(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                   const double complex *data, const double *weights, kn_recon_scale scale,
                                   double complex *image, kn_error *err)
{
    size_t voxels;
    kn_status status = ki_mri_matrix_count(matrix, &voxels, err);

    if (status)
        return status;
    for (size_t n = 0; n < voxels; n++) {
        double r[MRI_AXES];

        voxel_position(matrix, n, r);
        ki_mri_reference_adjoint_at(k, samples, data, weights, r, 1, &image[n]);
        image[n] *= factor(scale, voxels);
    }
    return KN_OK;
}

double complex ki_mri_best_factor(const double complex *x, const double complex *reference, size_t count)
{
    double complex product = 0;
    double energy = 0;

    for (size_t i = 0; i < count; i++) {
        product += conj(x[i]) * reference[i];
        energy += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    }
    return energy > 0 ? product / energy : 1;
}

kn_recon_quality ki_mri_quality(const double complex *x, const double complex *reference, size_t count,
                                double complex factor)
{
    double error = 0, energy = 0, highest = 0;

    for (size_t i = 0; i < count; i++) {
        double complex difference = factor * x[i] - reference[i];

        error += creal(difference) * creal(difference) + cimag(difference) * cimag(difference);
        energy += creal(reference[i]) * creal(reference[i]) + cimag(reference[i]) * cimag(reference[i]);
        highest = fmax(highest, cabs(reference[i]));
    }
    if (!(energy > 0))
        return (kn_recon_quality){NAN, NAN, NAN, {creal(factor), cimag(factor)}};
    return (kn_recon_quality){
        .error_percent = 100 * sqrt(error / energy),
        .psnr_db = 20 * log10(highest / sqrt(error / (double)count)),
        .snr_db = 10 * log10(energy / error),
        .factor = {creal(factor), cimag(factor)},
    };
}
