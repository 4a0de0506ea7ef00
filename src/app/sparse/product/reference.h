// SPDX-License-Identifier: Apache-2.0
// The simplest products with a sparse matrix: double precision, one thread, one loop. The solvers' statements
// about their accuracy rest on these, and all other products are compared with them.
#ifndef KN_APP_SPARSE_PRODUCT_REFERENCE_H
#define KN_APP_SPARSE_PRODUCT_REFERENCE_H

#include "app/sparse/matrix.h"

// y = A x, from `columns` to `rows` numbers. Cost: one pass over the nonzeros.
void ki_sparse_reference_multiply(const struct sparse_matrix *matrix, const double *x, double *y);

// x = A^T y, from `rows` to `columns` numbers.
void ki_sparse_reference_multiply_transposed(const struct sparse_matrix *matrix, const double *y, double *x);

#endif
