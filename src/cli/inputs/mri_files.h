// SPDX-License-Identifier: Apache-2.0
// Trajectories and complex data between files (.cfl/.hdr pairs, .npy) and the arrays of koine/recon.h.
#ifndef KN_CLI_INPUTS_MRI_FILES_H
#define KN_CLI_INPUTS_MRI_FILES_H

#include <complex.h>

#include <koine/recon.h>

#include "io/array/npy.h"

struct mri_trajectory {
    double *k;                  // 3 numbers a sample, in the file's unit
    size_t samples;             // the product of the shape
    size_t dims;                // of the file's array but for the first, which is the axes
    size_t shape[NPY_DIMS_MAX]; // numpy's: the last runs fastest
};

// Reads a trajectory: a .cfl of [3, samples, spokes, ...] or a .npy of shape (..., spokes, samples, 3), real
// or complex with no imaginary part; 2 in the place of 3 leaves kz at 0. The caller frees `k`.
// KN_ERROR_INPUT, with the file, what was found and what was expected; KN_ERROR_MEMORY.
kn_status mri_trajectory_read(const char *path, struct mri_trajectory *trajectory, kn_error *err);

// Reads numbers that may be complex, in double: `values` (the caller frees them) and their shape, whose
// `data` is NULL. Real numbers have no imaginary part; `complex_only` refuses them. KN_ERROR_INPUT, also for
// integers; KN_ERROR_MEMORY.
kn_status mri_values_read(const char *path, bool complex_only, struct npy *shape, double complex **values,
                          kn_error *err);

// An image as an array to be written: the matrix's shape, (z, y, x) or (y, x), or with 0 axes that of a list
// of `voxels`. In double or single precision; where it is not complex, the real parts. The caller frees it
// with npy_free. KN_ERROR_MEMORY.
kn_status mri_image_array(const kn_recon_matrix *matrix, size_t voxels, const double complex *image,
                          bool is_complex, bool is_double, struct npy *array, kn_error *err);

// The same sizes but for the axes: those of the data at the trajectory's samples, [1, samples, spokes, ...]
// in a .cfl.
void mri_data_shape(const struct mri_trajectory *trajectory, struct npy *array);

#endif
