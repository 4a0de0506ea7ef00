// SPDX-License-Identifier: Apache-2.0
// The head phantom of Shepp and Logan with Toft's contrast (P. Toft, The Radon Transform, 1996, appendix B)
// on the pixels of tomography (parallel.h), and its exact sinogram. It fills the picture; the forehead is at
// the top.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_PHANTOM_H
#define KN_APP_SPARSE_TOMOGRAPHY_PHANTOM_H

#include "parallel.h"

// size x size numbers, each the mean over oversample x oversample points (both at least 1) of a pixel.
void ki_sparse_phantom(size_t size, size_t oversample, double *picture);

// The integrals along all rays of a geometry that has been checked; lengths are in pixels.
void ki_sparse_phantom_sinogram(const struct sparse_parallel *geometry, double *sinogram);

#endif
