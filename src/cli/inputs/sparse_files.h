// SPDX-License-Identifier: Apache-2.0
// Sparse systems between files (Matrix Market, SciPy's .npz, .npy) and memory, in double precision.
#ifndef KN_CLI_INPUTS_SPARSE_FILES_H
#define KN_CLI_INPUTS_SPARSE_FILES_H

#include <stdbool.h>

#include "app/sparse/matrix.h"

// Reads a matrix: a .npz that SciPy's save_npz wrote (csr or csc, any order, duplicates), or a Matrix Market
// file, of which a dense one leaves its zeros out and a pattern has ones. Duplicates are summed, explicit
// zeros stay. The caller frees it by ki_sparse_free. KN_ERROR_INPUT, with the file and, of Matrix Market, the
// line; also for complex numbers and for not-a-number and infinities. KN_ERROR_MEMORY. On failure `matrix` is
// empty.
kn_status sparse_read(const char *path, struct sparse_matrix *matrix, kn_error *err);

// Reads columns: a .npy of shape (rows) or (rows, count), or a Matrix Market file, dense or sparse. The
// caller frees `values`. Errors as above.
kn_status sparse_read_columns(const char *path, struct sparse_columns *columns, kn_error *err);

// Writes columns, as .npy (float64; one column has one dimension) or as a dense .mtx by the path's ending;
// "-" is standard output, as .npy; `force` overwrites. KN_ERROR_ARGUMENT: another ending, or in a .mtx a
// number that is not finite; KN_ERROR_OUTPUT.
kn_status sparse_write_columns(const char *path, const struct sparse_columns *columns, bool force,
                               kn_error *err);

#endif
