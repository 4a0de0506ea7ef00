// SPDX-License-Identifier: Apache-2.0
// Least squares with a fixed matrix for many right-hand sides, by its normal equations: G = A^T A + lambda I
// + smooth D^T D and its Cholesky factors are computed once, and x = G^-1 A^T b for each. On the host, in
// double precision.
#ifndef KN_APP_SPARSE_SOLVER_HOST_GRAM_H
#define KN_APP_SPARSE_SOLVER_HOST_GRAM_H

#include "app/sparse/matrix.h"
#include "operator/terms.h"

struct sparse_gram;

// Computes the factors. The matrix may be freed after that. `terms` may be NULL for none. The relative error
// of solutions is about cond(A)^2 2^-53, where the iterations have cond(A). Errors: KN_ERROR_ARGUMENT for a
// term that is not finite or below 0, for differences of an order other than 1 or 2, for `nonnegative`, which
// a G cannot express, and for a G that is not positive definite (an empty column, columns that depend on one
// another, more columns than rows: lambda helps), with the column; KN_ERROR_LIMIT for more than 2^24 columns;
// KN_ERROR_MEMORY. Memory: 8 columns^2 bytes, and 12 per nonzero. Cost: the sum of the squares of the rows'
// lengths, and columns^3 / 3, multiplications and additions, on all threads.
kn_status ki_sparse_gram_create(const struct sparse_matrix *matrix, const struct solve_terms *terms,
                                struct sparse_gram **gram, kn_error *err);
void ki_sparse_gram_free(struct sparse_gram *gram); // NULL is fine

// b: `count` right-hand sides, one after another, with one number per row; x: as many solutions, with one
// number per column. The bits are the same with any number of threads, whatever else is solved at the same
// time. KN_ERROR_MEMORY. Cost: for 16 of them, one pass over A's nonzeros and two over the factors.
kn_status ki_sparse_gram_solve(const struct sparse_gram *gram, const double *b, size_t count, double *x,
                               kn_error *err);

// Columns `first` to first + count - 1 of G^-1, one after another. KN_ERROR_MEMORY. Cost: that of as many
// right-hand sides.
kn_status ki_sparse_gram_inverse(const struct sparse_gram *gram, size_t first, size_t count, double *columns,
                                 kn_error *err);

#endif
