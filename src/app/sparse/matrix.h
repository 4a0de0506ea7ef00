// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in the form in which this science stores it first: rows of nonzeros (CSR), in double
// precision.
#ifndef KN_APP_SPARSE_MATRIX_H
#define KN_APP_SPARSE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include <koine/error.h>

struct sparse_matrix {
    size_t rows, columns;
    size_t nonzeros;   // stored ones, including explicit zeros
    uint64_t *starts;  // rows + 1: where each row's nonzeros begin, then `nonzeros`
    uint32_t *indices; // columns from 0, ascending within a row, each at most once
    double *values;
};

// Entries of a matrix, with rows and columns from 0.
struct sparse_entries {
    size_t rows, columns, count;
    const uint32_t *row, *column;
    const double *values; // NULL: every value is 1
};

// Allocates a matrix, with rows + 1 starts of 0 and `nonzeros` undefined indices and values; free it with
// ki_sparse_free. KN_ERROR_ARGUMENT: the rows or columns exceed 32 bits, or exceed both 2^24 and 64 per
// nonzero; KN_ERROR_MEMORY. On failure `out` is empty.
kn_status ki_sparse_create(size_t rows, size_t columns, size_t nonzeros, struct sparse_matrix *out,
                           kn_error *err);

// Creates a matrix from entries in any order: entries at the same position are summed in their order;
// explicit zeros are kept. Errors: as above, and KN_ERROR_ARGUMENT for an entry outside the matrix. Cost: two
// passes of counting sort over the entries.
kn_status ki_sparse_from_entries(const struct sparse_entries *entries, struct sparse_matrix *out,
                                 kn_error *err);

// Creates the transposed matrix. Errors: as ki_sparse_create. Cost: two passes over the nonzeros.
kn_status ki_sparse_transpose(const struct sparse_matrix *matrix, struct sparse_matrix *out, kn_error *err);

// The transposed matrix without its nonzeros: sizes and starts only. Errors: as above. Cost: one pass over
// the nonzeros.
kn_status ki_sparse_transpose_starts(const struct sparse_matrix *matrix, struct sparse_matrix *out,
                                     kn_error *err);

// The number of nonzeros in the longest row.
size_t ki_sparse_longest_row(const struct sparse_matrix *matrix);

// Sorts the rows by length, the longest first, equal ones in their order, into `order`, which has room for
// all of them. KN_ERROR_MEMORY. Cost: a counting sort, two passes over the rows.
kn_status ki_sparse_sort_rows(const struct sparse_matrix *matrix, uint32_t *order, kn_error *err);

// Checks a matrix that was not created here: starts and indices must be as in struct sparse_matrix, and
// values finite. KN_ERROR_INPUT names the row that is not.
kn_status ki_sparse_check(const struct sparse_matrix *matrix, const char *name, kn_error *err);

// Fills x with reproducible numbers from -1 to 1, for testing products.
void ki_sparse_fill(float *x, size_t count);

void ki_sparse_free(struct sparse_matrix *matrix);

#endif
