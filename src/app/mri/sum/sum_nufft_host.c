// SPDX-License-Identifier: Apache-2.0
// The adjoint on the host by a NUFFT (gridding/host_nufft.h), for sums with such a kernel.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/clock.h"
#include "sum_internal.h"

kn_status ki_mri_nufft_for(const struct mri_sum *sum, enum mri_kernel kernel, const kn_host_options *options,
                           struct mri_host_nufft **nufft, kn_error *err)
{
    const struct mri_nufft_options how = {.tolerance = mri_kernel_is_cartesian(kernel) ? MRI_NUFFT_ON_GRID
                                                                                       : sum->tolerance,
                                          .is_double = mri_kernel_is_double(kernel)};

    return ki_mri_host_nufft_create(&sum->matrix, sum->k, sum->samples, &how, options, sum->ask, nufft, err);
}

struct mri_bytes ki_nufft_host_memory(const kn_recon_matrix *matrix, size_t samples, enum mri_kernel kernel)
{
    const struct mri_nufft_options how = {.tolerance = mri_kernel_is_cartesian(kernel)
                                                           ? MRI_NUFFT_ON_GRID
                                                           : MRI_NUFFT_LEAST(mri_kernel_is_double(kernel)),
                                          .is_double = mri_kernel_is_double(kernel)};
    size_t voxels = sizeof(double complex);

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        voxels = saturate_times(voxels, matrix->size[axis]);
    return mri_bytes_both(ki_mri_host_nufft_memory(matrix, samples, &how),
                          (struct mri_bytes){.host = voxels});
}

// Computes the whole image, of which the sum may need only a part.
static kn_status add_all(const struct mri_sum *sum, struct mri_host_nufft *nufft, double complex *image,
                         kn_error *err)
{
    size_t voxels = sum->matrix.size[0] * sum->matrix.size[1] * sum->matrix.size[2];
    double complex *whole =
        sum->count < voxels ? ki_kept_take_array(sum->kept, voxels, sizeof *whole) : image;
    kn_status status = whole
                           ? ki_mri_host_nufft_adjoint(nufft, sum->data, sum->weights, sum->basis, whole, err)
                           : ki_fail_memory(err, voxels * sizeof *whole, "the image of a NUFFT");

    if (whole == image)
        return status;
    if (!status)
        memcpy(image, whole + sum->first, sum->count * sizeof *whole);
    ki_kept_give(sum->kept, whole);
    return status;
}

kn_status ki_nufft_host(const struct mri_sum *sum, enum mri_kernel kernel, const kn_host_options *options,
                        double complex *image, kn_recon_rate *rate, kn_error *err)
{
    double start = ki_clock_seconds();
    struct mri_host_nufft *made = NULL;
    kn_status status = sum->nufft ? KN_OK : ki_mri_nufft_for(sum, kernel, options, &made, err);

    if (!status)
        status = add_all(sum, sum->nufft ? sum->nufft : made, image, err);
    ki_mri_host_nufft_free(made);
    // The work is not in pairs of voxels and samples.
    if (rate && !status)
        *rate = (kn_recon_rate){.seconds = ki_clock_seconds() - start};
    return status;
}
