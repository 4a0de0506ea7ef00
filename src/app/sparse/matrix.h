// SPDX-License-Identifier: Apache-2.0
// A sparse matrix as all of this science begins with it: rows of nonzeros (CSR), in double precision.
#ifndef KN_APP_SPARSE_MATRIX_H
#define KN_APP_SPARSE_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include <koine/error.h>

struct sparse_matrix {
    size_t rows, columns;
    size_t nonzeros;   // stored: explicit zeros count
    uint64_t *starts;  // rows + 1: where a row's nonzeros begin, and behind the last one `nonzeros`
    uint32_t *indices; // columns from 0, ascending in a row, each at most once
    double *values;
};

// An entry of a matrix, rows and columns from 0.
struct sparse_entries {
    size_t rows, columns, count;
    const uint32_t *row, *column;
    const double *values; // NULL: every one is 1
};

// What the caller frees with ki_sparse_free, rows + 1 starts at 0 and `nonzeros` without meaning yet.
// KN_ERROR_ARGUMENT: more rows or columns than 32 bits count, or more than 2^24 of them and 64 a nonzero;
// KN_ERROR_MEMORY. On failure `out` is empty.
kn_status ki_sparse_create(size_t rows, size_t columns, size_t nonzeros, struct sparse_matrix *out,
                           kn_error *err);

// From entries in any order: those of one place are summed, in their order; explicit zeros stay. Errors as
// above, and KN_ERROR_ARGUMENT for an entry outside the matrix. Two passes of counting sort over the entries.
kn_status ki_sparse_from_entries(const struct sparse_entries *entries, struct sparse_matrix *out,
                                 kn_error *err);

// The transposed matrix, of its own memory. Errors as ki_sparse_create. Two passes over the nonzeros.
kn_status ki_sparse_transpose(const struct sparse_matrix *matrix, struct sparse_matrix *out, kn_error *err);

// The transposed matrix without its nonzeros: sizes and starts alone. Errors as above. One pass over the
// nonzeros.
kn_status ki_sparse_transpose_starts(const struct sparse_matrix *matrix, struct sparse_matrix *out,
                                     kn_error *err);

// Nonzeros of the row that has the most.
size_t ki_sparse_longest_row(const struct sparse_matrix *matrix);

// The rows by their lengths, the longest first, equal ones in their order: `order` has room for all of them.
// KN_ERROR_MEMORY. A counting sort, of two passes over the rows.
kn_status ki_sparse_sort_rows(const struct sparse_matrix *matrix, uint32_t *order, kn_error *err);

// Whether starts and indices are what struct sparse_matrix says, and values are finite: KN_ERROR_INPUT names
// the row that is not. For matrices that come ready made.
kn_status ki_sparse_check(const struct sparse_matrix *matrix, const char *name, kn_error *err);

// Numbers from -1 to 1, always the same ones, to try products with.
void ki_sparse_fill(float *x, size_t count);

void ki_sparse_free(struct sparse_matrix *matrix);

#endif
