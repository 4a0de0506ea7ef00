// SPDX-License-Identifier: Apache-2.0
// NIfTI-1 images in one file (.nii): what viewers of medical images read.
#ifndef KN_IO_ARRAY_NIFTI_H
#define KN_IO_ARRAY_NIFTI_H

#include "npy.h"

// Writes a real image of float32 or float64 with 1 to 3 dimensions of 1 to 32,767 voxels, as float32. The
// shape is numpy's: (z, y, x), x fastest. `voxel_mm` are the voxel's sides along x, y, z in millimetres, NULL
// for 1 mm each. The sform puts voxel floor(N/2) of each axis at the origin, with x from the patient's left
// to right, y, whose rows run downwards in a picture, from anterior to posterior, and z from inferior to
// superior; its code is "scanner", and the qform's code says that there is none. The file appears whole or
// not at all (output.h). Errors: KN_ERROR_ARGUMENT for another array; KN_ERROR_OUTPUT; KN_ERROR_MEMORY
// (doubles are converted to floats).
kn_status nifti_write(const char *path, const struct npy *image, const double voxel_mm[3], bool force,
                      kn_error *err);

#endif
