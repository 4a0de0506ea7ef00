// SPDX-License-Identifier: Apache-2.0
// Products with a sparse matrix as plainly as they can be written: double precision, one thread, one loop.
// What solvers say of their own accuracy rests on these, and all other products are measured against them.
#ifndef KN_APP_SPARSE_PRODUCT_REFERENCE_H
#define KN_APP_SPARSE_PRODUCT_REFERENCE_H

#include "app/sparse/matrix.h"

// y = A x: `columns` numbers to `rows`. One pass over the nonzeros.
void ki_sparse_reference_multiply(const struct sparse_matrix *matrix, const double *x, double *y);

// x = A^T y: `rows` numbers to `columns`.
void ki_sparse_reference_multiply_transposed(const struct sparse_matrix *matrix, const double *y, double *x);

#endif
