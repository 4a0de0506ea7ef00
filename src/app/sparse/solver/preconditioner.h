// SPDX-License-Identifier: Apache-2.0
// Preconditioners of the normal equations, (A^T A + lambda I) x = A^T b, on the host in double precision.
#ifndef KN_APP_SPARSE_SOLVER_PRECONDITIONER_H
#define KN_APP_SPARSE_SOLVER_PRECONDITIONER_H

#include "app/sparse/matrix.h"

enum sparse_preconditioner_kind {
    SPARSE_JACOBI, // the diagonal: squared lengths of A's columns, and lambda
    SPARSE_ILU // the incomplete LU factors on the pattern of A^T A itself (Meijerink and van der Vorst 1977)
};

struct sparse_preconditioner;

// Incomplete factors of such a matrix may have pivots that are not positive; then the diagonal is made
// greater, by a thousandth and twice as much each time (Manteuffel 1980), until there are none.
// KN_ERROR_ARGUMENT: another kind, or an ILU whose diagonal twice as great does not help, as with an empty
// column and no lambda; KN_ERROR_MEMORY. Jacobi: one pass over the nonzeros. ILU: A^T A with all its nonzeros
// (20 bytes each), a row's length of A for each of A's nonzeros, and the square of a row's length of A^T A
// for each of its rows and shifts.
kn_status ki_sparse_preconditioner_create(const struct sparse_matrix *matrix,
                                          enum sparse_preconditioner_kind kind, double lambda,
                                          struct sparse_preconditioner **preconditioner, kn_error *err);

// out = M^-1 v, `columns` numbers each.
void ki_sparse_preconditioner_apply(const void *preconditioner, const double *v, double *out);

// By what part the diagonal was made greater: 0 if it was not.
double ki_sparse_preconditioner_shift(const struct sparse_preconditioner *preconditioner);

void ki_sparse_preconditioner_free(struct sparse_preconditioner *preconditioner);

// A^T A + lambda I as a sparse matrix, the caller frees it by ki_sparse_free; every diagonal element is
// there.
kn_status ki_sparse_gram(const struct sparse_matrix *matrix, double lambda, struct sparse_matrix *gram,
                         kn_error *err);

#endif
