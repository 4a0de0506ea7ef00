// SPDX-License-Identifier: Apache-2.0
// Preconditioners of the normal equations, (A^T A + lambda I) x = A^T b, on the host in double precision.
#ifndef KN_APP_SPARSE_SOLVER_PRECONDITIONER_H
#define KN_APP_SPARSE_SOLVER_PRECONDITIONER_H

#include "app/sparse/matrix.h"

enum sparse_preconditioner_kind {
    SPARSE_JACOBI, // the diagonal: squared lengths of A's columns, plus lambda
    SPARSE_ILU     // the incomplete LU factors on the pattern of A^T A (Meijerink and van der Vorst 1977)
};

struct sparse_preconditioner;

// Incomplete factors of such a matrix may have pivots that are not positive; then the diagonal is increased,
// by a thousandth and twice as much each time (Manteuffel 1980), until all are positive. KN_ERROR_ARGUMENT:
// another kind, or an ILU that even a doubled diagonal does not help, as for an empty column without lambda;
// KN_ERROR_MEMORY. Cost of Jacobi: one pass over the nonzeros. Cost of ILU: A^T A with all its nonzeros (20
// bytes each), the length of a row of A for each nonzero of A, and the square of the length of a row of A^T A
// for each of its rows and shifts.
kn_status ki_sparse_preconditioner_create(const struct sparse_matrix *matrix,
                                          enum sparse_preconditioner_kind kind, double lambda,
                                          struct sparse_preconditioner **preconditioner, kn_error *err);

// out = M^-1 v, `columns` numbers each.
void ki_sparse_preconditioner_apply(const void *preconditioner, const double *v, double *out);

// The fraction by which the diagonal was increased: 0 if it was not.
double ki_sparse_preconditioner_shift(const struct sparse_preconditioner *preconditioner);

void ki_sparse_preconditioner_free(struct sparse_preconditioner *preconditioner);

// A^T A + lambda I as a sparse matrix, which the caller frees with ki_sparse_free; every diagonal element is
// stored.
kn_status ki_sparse_gram(const struct sparse_matrix *matrix, double lambda, struct sparse_matrix *gram,
                         kn_error *err);

#endif
