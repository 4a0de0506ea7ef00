// SPDX-License-Identifier: Apache-2.0
// The head phantom of Shepp and Logan with Toft's contrast (P. Toft, The Radon Transform, 1996, appendix B),
// and in three dimensions the ellipsoids that M. Schabel derived from it (phantom3d): an image, and its exact
// k-space at any trajectory. It fills the field of view on every axis. Rows run downwards, as in pictures:
// the forehead is at y < 0.
#ifndef KN_APP_MRI_PHANTOM_H
#define KN_APP_MRI_PHANTOM_H

#include "mri.h"

// The phantom at the voxels of the matrix (2D: ellipses, 3D: ellipsoids), in image[], from 0 to 1: the mean
// over `oversample` points along each axis in each voxel (1: the value at its middle). One point is enough
// for a voxel without an edge. KN_ERROR_ARGUMENT for a matrix that ki_mri_matrix_count refuses, or for 0
// points.
kn_status ki_phantom_raster(const kn_recon_matrix *matrix, size_t oversample, double *image, kn_error *err);

// The phantom's k-space at `samples` points (mri.h), without voxels: data[m] is the product of the matrix's
// sizes times the integral of phantom x exp(-i 2 pi k_m . r) over the field of view, the limit of the forward
// sum for small voxels. With two axes, kz is ignored. KN_ERROR_ARGUMENT as above.
kn_status ki_phantom_kspace(const kn_recon_matrix *matrix, const double *k, size_t samples,
                            double complex *data, kn_error *err);

#endif
