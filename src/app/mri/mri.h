// SPDX-License-Identifier: Apache-2.0
// The convention of src/app/mri. An image has N_x x N_y x N_z voxels, x fastest; voxel j of an axis of N
// voxels is at r = (j - floor(N/2)) / N, in fields of view. k is in cycles per field of view, so that |k| <=
// N/2 on each axis; that of sample m is k[3 m], k[3 m + 1], k[3 m + 2].
//
//     forward   d_m   = sum_n rho_n exp(-i 2 pi k_m . r_n)
//     adjoint   rho_n = sum_m w_m d_m exp(+i 2 pi k_m . r_n)
#ifndef KN_APP_MRI_MRI_H
#define KN_APP_MRI_MRI_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <koine/recon.h>

enum { MRI_AXES = 3 };

// The product of the sizes, which in this folder are 1 for an axis that does not exist. KN_ERROR_ARGUMENT for
// a size of 0, or for more voxels than memory can have.
kn_status ki_mri_matrix_count(const kn_recon_matrix *matrix, size_t *voxels, kn_error *err);

// The position of voxel j on an axis of `size` voxels.
double ki_mri_position(size_t j, size_t size);

// k / N as a fraction of a turn, in units of 2^-32 turns (cl/app/mri/turn.clh).
uint32_t ki_mri_fraction(double k, size_t size);

// Whether |k| is at most `most` of its axis for all samples; for DBL_MAX of each axis, whether all are
// finite. What all ways ask of their samples before they look for the one to name.
bool ki_mri_is_within(const double *k, size_t samples, const double most[MRI_AXES]);
bool ki_mri_is_finite(const double *k, size_t samples);

// C11's CMPLX, which glibc defines only for gcc.
static inline double complex mri_complex(double real, double imaginary)
{
    const double parts[2] = {real, imaginary};
    double complex number;

    memcpy(&number, parts, sizeof number);
    return number;
}

#endif
