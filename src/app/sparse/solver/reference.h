// SPDX-License-Identifier: Apache-2.0
// Sparse least squares as plainly as they can be written: double precision, one thread, one obvious loop.
// Everything else is measured against this.
#ifndef KN_APP_SPARSE_SOLVER_REFERENCE_H
#define KN_APP_SPARSE_SOLVER_REFERENCE_H

#include <stdbool.h>

#include "app/sparse/matrix.h"
#include "operator/terms.h"

// y = A x: `columns` numbers to `rows`. One pass over the nonzeros.
void ki_sparse_reference_multiply(const struct sparse_matrix *matrix, const double *x, double *y);

// x = A^T y: `rows` numbers to `columns`.
void ki_sparse_reference_multiply_transposed(const struct sparse_matrix *matrix, const double *y, double *x);

// The x of least |A x - b|, by Householder reflections of the dense matrix: rows * columns doubles, and 2
// rows columns^2 operations. KN_ERROR_ARGUMENT: fewer rows than columns, or columns that depend on one
// another (a diagonal element of R below rows * 2^-52 of the greatest); KN_ERROR_MEMORY.
kn_status ki_sparse_reference_least_squares(const struct sparse_matrix *matrix, const double *b, double *x,
                                            kn_error *err);

struct sparse_reference_options {
    size_t iterations;
    const struct solve_correction *correction; // NULL: none
    // The loop as its source prints it: A and A^T twice an iteration, F of the pair (x, x) and (x, d).
    // Without: the data's part of the gradient by recurrence, F apart. The same numbers but for rounding. The
    // printed step has the wrong factor, as minimising along d gives alpha = -(g.d) / (d.e): both take that.
    bool printed;
};

// Conjugate gradients on A^T A with the correction term: from x = x, `columns` numbers in and out. `history`
// (or NULL) has iterations + 1 places for |A x - b|. It stops early where the gradient, or the curvature
// along d, is 0; the rest of `history` is then the last one's. KN_ERROR_MEMORY.
kn_status ki_sparse_reference_solve(const struct sparse_matrix *matrix, const double *b,
                                    const struct sparse_reference_options *options, double *x,
                                    double *history, kn_error *err);

#endif
