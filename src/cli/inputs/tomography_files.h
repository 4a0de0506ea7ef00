// SPDX-License-Identifier: Apache-2.0
// Files of tomography as right-hand sides and solutions: measured sinograms in, pictures out.
#ifndef KN_CLI_INPUTS_TOMOGRAPHY_FILES_H
#define KN_CLI_INPUTS_TOMOGRAPHY_FILES_H

#include "app/sparse/tomography/parallel.h"
#include "sparse_files.h"

// Whether a path ends as those of HDF5 do: .h5, .hdf5.
bool sparse_is_tomography(const char *path);

// One slice of a file (sinogram_files.h), as one column: an element a detector and projection. With a
// geometry, whose detectors may be a whole part of the file's (so many of the file's neighbours become one),
// it gets the file's angles; NULL: every detector. The caller frees the column's values. Errors: those of
// sparse_read_sinogram; KN_ERROR_INPUT where the file has not as many projections and detectors as the
// geometry.
kn_status sparse_read_measured(const char *path, size_t slice, struct sparse_parallel *geometry,
                               struct sparse_columns *b, kn_error *err);

// Whether a solution of `columns` numbers, a column each for `count` right-hand sides, can be written under a
// name by its ending: .npy, .mtx; - (standard output, as .npy); .png, a square picture, of one column whose
// length is a square. KN_ERROR_ARGUMENT.
kn_status sparse_try_solutions(const char *path, size_t columns, size_t count, kn_error *err);
// Writes it; a picture is black from 0 down, and white at its greatest number. Errors as
// sparse_write_columns.
kn_status sparse_write_solutions(const char *path, const struct sparse_columns *x, bool force, kn_error *err);

#endif
