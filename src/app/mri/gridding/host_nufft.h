// SPDX-License-Identifier: Apache-2.0
// Both sums of mri.h by a non-uniform fast Fourier transform on the host, in double precision or in single,
// with an error that is asked for: gridding (gridding.h) on a grid of twice the matrix, with the window of
// Kaiser and Bessel as wide as the tolerance wants it.
//
// Samples are sorted into tiles of the grid. A thread spreads those of a tile into memory of its own, which
// has a margin for windows that reach out of it, and adds that to the grid. Tiles that would meet there have
// different colours, and one colour comes after the other: sums have one order, so that the same call gives
// the same bits, whatever the threads. Windows are polynomials, one for each cell (Barnett, Magland and af
// Klinteberg, SIAM J. Sci. Comput. 41, 2019).
#ifndef KN_APP_MRI_GRIDDING_HOST_NUFFT_H
#define KN_APP_MRI_GRIDDING_HOST_NUFFT_H

#include <stdbool.h>

#include <koine/host.h>

#include "base/ask.h"
#include "app/mri/memory.h"
#include "app/mri/mri.h"

// The least tolerance of a precision, the greatest, and the one that is taken where none is named.
#define MRI_NUFFT_LEAST(is_double) ((is_double) ? 1e-12 : 1e-6)
#define MRI_NUFFT_MOST             0.1
#define MRI_NUFFT_USUAL            1e-5
// In a tolerance's place: every sample lies on the grid of whole cycles, or is moved to its nearest point.
// The grid is the matrix's own and a window one cell, so that nothing but rounding is left of the error.
#define MRI_NUFFT_ON_GRID (-2.0)

struct mri_nufft_options {
    // Of the adjoint's image and the forward sum's data, relative, in the 2-norm: from 1e-12 in double
    // precision and 1e-6 in single, to 0.1; or MRI_NUFFT_ON_GRID.
    double tolerance;
    bool is_double;
};

struct mri_host_nufft;

// Sorts the samples; k may lie beyond the band, which the grid wraps. `host` (threads and level) and `ask`,
// which is asked by all that is done with it, may be NULL. Errors: KN_ERROR_ARGUMENT for a tolerance out of
// range, a matrix that ki_mri_matrix_count refuses, and a k that is not a number; KN_ERROR_LIMIT for more
// samples than 32 bits count; KN_ERROR_MEMORY; KN_ERROR_INTERRUPTED; what koine/host.h says of a level.
kn_status ki_mri_host_nufft_create(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                   const struct mri_nufft_options *options, const kn_host_options *host,
                                   struct ki_ask *ask, struct mri_host_nufft **made, kn_error *err);
// NULL is fine.
void ki_mri_host_nufft_free(struct mri_host_nufft *nufft);

struct mri_bytes ki_mri_host_nufft_memory(const kn_recon_matrix *matrix, size_t samples,
                                          const struct mri_nufft_options *options);

// image[voxels] of data[samples], sum_m conj(phi_m) w_m d_m exp(+i 2 pi k_m . r_n); `data`, `weights` and
// `basis` may be NULL, for 1. A number that is none makes the whole image so. Cost: the windows' cells of all
// samples, and a transform of the grid.
kn_status ki_mri_host_nufft_adjoint(struct mri_host_nufft *nufft, const double complex *data,
                                    const double *weights, const double complex *basis, double complex *image,
                                    kn_error *err);

// data[samples] of image[voxels], without a basis.
kn_status ki_mri_host_nufft_forward(struct mri_host_nufft *nufft, const double complex *image,
                                    double complex *data, kn_error *err);

#endif
