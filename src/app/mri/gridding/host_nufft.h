// SPDX-License-Identifier: Apache-2.0
// Both sums of mri.h by a non-uniform fast Fourier transform on the host, in double or single precision, with
// a given error: gridding (gridding.h) on a grid of twice the matrix, with a Kaiser-Bessel window as wide as
// the tolerance requires.
//
// Samples are sorted into tiles of the grid. A thread spreads those of a tile into its own memory, which has
// a margin for windows that reach beyond the tile, and adds that to the grid. Tiles whose margins would meet
// there have different colours, and one colour is processed after another: sums have a fixed order, so that
// the same call gives the same bits, whatever the threads. Windows are polynomials, one for each cell
// (Barnett, Magland and af Klinteberg, SIAM J. Sci. Comput. 41, 2019).
#ifndef KN_APP_MRI_GRIDDING_HOST_NUFFT_H
#define KN_APP_MRI_GRIDDING_HOST_NUFFT_H

#include <stdbool.h>

#include <koine/host.h>

#include "base/ask.h"
#include "app/mri/memory.h"
#include "app/mri/mri.h"

// The least tolerance of a precision, the greatest, and the default.
#define MRI_NUFFT_LEAST(is_double) ((is_double) ? 1e-12 : 1e-6)
#define MRI_NUFFT_MOST             0.1
#define MRI_NUFFT_USUAL            1e-5
// In place of a tolerance: every sample lies on the grid of whole cycles, or is moved to its nearest point.
// The grid is then the matrix's own and the window one cell, so that the only error is rounding.
#define MRI_NUFFT_ON_GRID (-2.0)

struct mri_nufft_options {
    // Relative error of the adjoint's image and of the forward sum's data in the 2-norm: from 1e-12 in double
    // precision or 1e-6 in single precision to 0.1; or MRI_NUFFT_ON_GRID.
    double tolerance;
    bool is_double;
};

struct mri_host_nufft;

// Sorts the samples; k may lie outside the band, because the grid wraps around. `host` (threads and level)
// and `ask`, which all its operations call, may be NULL. Errors: KN_ERROR_ARGUMENT for a tolerance out of
// range, a matrix that ki_mri_matrix_count refuses, and a k that is not finite; KN_ERROR_LIMIT if 32 bits
// cannot count the samples; KN_ERROR_MEMORY; KN_ERROR_INTERRUPTED; those of koine/host.h for a level.
kn_status ki_mri_host_nufft_create(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                   const struct mri_nufft_options *options, const kn_host_options *host,
                                   struct ki_ask *ask, struct mri_host_nufft **made, kn_error *err);
// NULL is fine.
void ki_mri_host_nufft_free(struct mri_host_nufft *nufft);

struct mri_bytes ki_mri_host_nufft_memory(const kn_recon_matrix *matrix, size_t samples,
                                          const struct mri_nufft_options *options);

// image[voxels] from data[samples]: sum_m conj(phi_m) w_m d_m exp(+i 2 pi k_m . r_n); `data`, `weights` and
// `basis` may be NULL, for 1. A NaN among them makes the whole image NaN. Cost: the windows' cells of all
// samples, and a transform of the grid.
kn_status ki_mri_host_nufft_adjoint(struct mri_host_nufft *nufft, const double complex *data,
                                    const double *weights, const double complex *basis, double complex *image,
                                    kn_error *err);

// data[samples] from image[voxels], without a basis.
kn_status ki_mri_host_nufft_forward(struct mri_host_nufft *nufft, const double complex *image,
                                    double complex *data, kn_error *err);

#endif
