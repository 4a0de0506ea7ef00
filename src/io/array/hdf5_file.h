// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers in HDF5 files. Needs libhdf5; a build without it refuses by name.
#ifndef KN_IO_ARRAY_HDF5_FILE_H
#define KN_IO_ARRAY_HDF5_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

enum { HDF5_DIMENSIONS = 4 }; // the most dimensions of an array

struct hdf5_file;

// Opens a file; `kind` is what it should contain, for messages ("tomography"). Only one thread at a time may
// call these functions, as libhdf5 requires. Errors, here and below: KN_ERROR_INPUT with the file, what was
// found and what was expected; KN_ERROR_MEMORY; KN_ERROR_UNSUPPORTED without libhdf5.
kn_status hdf5_open(const char *path, const char *kind, struct hdf5_file **file, kn_error *err);
void hdf5_close(struct hdf5_file *file); // NULL is fine

// Whether an object of this name exists ("exchange/data").
bool hdf5_has(const struct hdf5_file *file, const char *name);

// The sizes of an array of numbers, with the given number of dimensions; other arrays, a missing one, or more
// than HDF5_DIMENSIONS are refused.
kn_status hdf5_sizes(const struct hdf5_file *file, const char *name, size_t dimensions, size_t *sizes,
                     kn_error *err);

// `counts` numbers from `first` on, of any type, as doubles, the last dimension fastest. More than 64 numbers
// for each byte of the file are refused before memory is allocated.
kn_status hdf5_read(const struct hdf5_file *file, const char *name, size_t dimensions, const size_t *first,
                    const size_t *counts, double **values, kn_error *err);

#endif
