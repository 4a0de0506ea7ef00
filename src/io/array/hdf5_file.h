// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers in HDF5 files. Needs libhdf5; a build without it refuses by name.
#ifndef KN_IO_ARRAY_HDF5_FILE_H
#define KN_IO_ARRAY_HDF5_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

enum { HDF5_DIMENSIONS = 4 }; // that an array has at most

struct hdf5_file;

// Opens a file; `kind` is what it should be, for messages ("tomography"). One thread at a time, as libhdf5
// wants it. Errors, here and below: KN_ERROR_INPUT with the file, what was found and what was expected;
// KN_ERROR_MEMORY; KN_ERROR_UNSUPPORTED without libhdf5.
kn_status hdf5_open(const char *path, const char *kind, struct hdf5_file **file, kn_error *err);
void hdf5_close(struct hdf5_file *file); // NULL is fine

// Whether there is something of this name ("exchange/data").
bool hdf5_has(const struct hdf5_file *file, const char *name);

// The sizes of an array of numbers, of so many dimensions; another one, none, or more than HDF5_DIMENSIONS
// are refused.
kn_status hdf5_sizes(const struct hdf5_file *file, const char *name, size_t dimensions, size_t *sizes,
                     kn_error *err);

// `counts` numbers from `first` on, of any type as double, the last dimension's together. Refused before
// there is memory for them: more than 64 for each byte of the file.
kn_status hdf5_read(const struct hdf5_file *file, const char *name, size_t dimensions, const size_t *first,
                    const size_t *counts, double **values, kn_error *err);

#endif
