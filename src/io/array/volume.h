// SPDX-License-Identifier: Apache-2.0
// Arrays and images in the format that a file's name selects: .cfl (or no ending: a .cfl/.hdr pair) and .npy
// hold any array; .nii, .tif and .png show an image.
#ifndef KN_IO_ARRAY_VOLUME_H
#define KN_IO_ARRAY_VOLUME_H

#include "npy.h"

enum volume_kind {
    VOLUME_ARRAY, // .cfl, .npy
    VOLUME_IMAGE  // these, .nii, .tif (or .tiff) and .png
};

// Whether something of this kind can be written under the name: the ending is known, and no file of the name
// (of either name of a pair) exists unless `force`. Commands call it before they begin to work.
// KN_ERROR_ARGUMENT for an unknown ending, with a list of the known ones; KN_ERROR_OUTPUT.
kn_status volume_try(const char *path, enum volume_kind kind, bool force, kn_error *err);

// Writes an array of float32, float64, complex64 or complex128 in the format of the name's ending: .npy as it
// is; .cfl as complex64 (cfl.h); .nii the magnitude of complex numbers, real ones with their sign, as float32
// (nifti.h); .tif the same, a page for each slice (tiff_stack.h); .png the magnitude of the slice floor(NZ/2)
// in 8 bits, 0 black and the slice's maximum white. Nothing is overwritten without `force`. Errors: those of
// volume_try; KN_ERROR_ARGUMENT if the format cannot hold the array; KN_ERROR_MEMORY.
kn_status volume_write(const char *path, enum volume_kind kind, const struct npy *array, bool force,
                       kn_error *err);

// Calls `each` for every file that volume_write makes under the name, with its bytes, or NAN if they depend
// on the array's values; of `array` only its form is read. False if memory ran out.
bool volume_files(const char *path, const struct npy *array,
                  void (*each)(void *data, const char *name, double bytes), void *data);

// Reads a .npy file or a .cfl/.hdr pair, depending on the ending. "-" is a .npy on standard input.
// KN_ERROR_INPUT, also for another ending; KN_ERROR_MEMORY.
kn_status volume_read(const char *path, struct npy *array, kn_error *err);

#endif
