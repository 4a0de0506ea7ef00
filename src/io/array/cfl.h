// SPDX-License-Identifier: Apache-2.0
// BART's arrays: a pair of files, NAME.hdr with the sizes as text, NAME.cfl with complex numbers of two
// floats, little-endian, the first dimension fastest. A trajectory is [3, samples, spokes], k-space [1,
// samples, spokes, coils], an image [x, y, z, coils].
//
// In memory it is a struct npy of complex64 whose shape lists the dimensions in reverse, so that not a byte
// moves: [x, y, z] here is numpy's (z, y, x). Sizes of 1 at the end, which are frequent in these files, are
// left out.
#ifndef KN_IO_ARRAY_CFL_H
#define KN_IO_ARRAY_CFL_H

#include "npy.h"

enum { CFL_DIMS = 16 }; // the most that a header has

// Reads a pair, named NAME, NAME.cfl or NAME.hdr. Errors, with the file, the place, what was found and what
// was expected: KN_ERROR_INPUT for a file that is missing or unreadable, a header that cannot be read or that
// does not match the size of the .cfl (checked before memory is allocated), numbers kept in a third file;
// KN_ERROR_MEMORY. On failure `array` is empty.
kn_status cfl_read(const char *name, struct npy *array, kn_error *err);

// Writes a pair from an array of float32, float64, complex64 or complex128 with at most 16 dimensions and no
// size of 0; other types are converted to complex64 (which takes memory for a copy). Neither file appears
// unless both do. KN_ERROR_ARGUMENT for another array, KN_ERROR_OUTPUT, KN_ERROR_MEMORY.
kn_status cfl_write(const char *name, const struct npy *array, bool force, kn_error *err);

// The size of dimension i in the files' order, the fastest first; 1 past the last.
size_t cfl_dim(const struct npy *array, size_t i);

// NAME with `ending` (".hdr", ".cfl") replacing its own; the caller frees it. NULL: out of memory.
char *cfl_path(const char *name, const char *ending);

#endif
