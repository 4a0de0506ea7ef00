// SPDX-License-Identifier: Apache-2.0
// Sparse systems between files (Matrix Market, SciPy's .npz, .npy) and memory, in double precision.
#ifndef KN_CLI_INPUTS_SPARSE_FILES_H
#define KN_CLI_INPUTS_SPARSE_FILES_H

#include <stdbool.h>

#include <koine/sparse.h>

// "auto", "simple" and the others, in the order of kn_sparse_format; ends in NULL.
extern const char *const sparse_format_names[];

// Reads a matrix, which the caller frees by kn_sparse_free: a .npz that SciPy's save_npz wrote (csr or csc,
// any order, duplicates), or a Matrix Market file, of which a dense one leaves its zeros out and a pattern
// has ones. Duplicates are summed, explicit zeros stay. KN_ERROR_INPUT, with the file and, of Matrix Market,
// the line; also for complex numbers and for not-a-number and infinities. KN_ERROR_MEMORY; those of
// kn_sparse_create_coo. On failure `matrix` is NULL.
kn_status sparse_read_matrix(const char *path, kn_sparse **matrix, kn_error *err);

// Right-hand sides, solutions or vectors: `count` columns of `rows` numbers, one after the other.
//
// Reads them: a .npy of shape (rows) or (rows, count), or a Matrix Market file, dense or sparse. The caller
// frees `values`. Errors as above. On failure `values` is NULL.
kn_status columns_read(const char *path, size_t *rows, size_t *count, double **values, kn_error *err);
// The same for measurements, of which a .npy may have some that are missing: not-a-number and infinities.
kn_status columns_read_measured(const char *path, size_t *rows, size_t *count, double **values,
                                kn_error *err);

// Writes them, as .npy (float64; one column has one dimension) or as a dense .mtx by the path's ending;
// "-" is standard output, as .npy; `force` overwrites. KN_ERROR_ARGUMENT: another ending, or in a .mtx a
// number that is not finite; KN_ERROR_OUTPUT.
kn_status columns_write(const char *path, size_t rows, size_t count, const double *values, bool force,
                        kn_error *err);

#endif
