// SPDX-License-Identifier: Apache-2.0
// Products of an operator in the host's memory with vectors in double precision.
#ifndef KN_OPERATOR_HOST_PRODUCTS_H
#define KN_OPERATOR_HOST_PRODUCTS_H

#include "operator/operator.h"
#include "operator/terms.h"

struct host_products {
    const kn_operator *a;
    kn_error *err;        // not NULL
    kn_status status;     // the first error of the products so far
    size_t rows, columns; // lengths of the vectors
    bool is_single;
    bool is_normal;   // A is the product of another operator's adjoint and that operator
    float *from, *to; // with room for the longer vector, if the operator is in single precision
};

// to = A from, or A^H from; does nothing after a product has failed.
void ki_host_products_multiply(struct host_products *products, bool adjoint, const double *from, double *to);

// Converts numbers of the operator's type to doubles, and back.
void ki_host_products_take(const struct host_products *products, const void *from, double *to, size_t count);
void ki_host_products_give(const struct host_products *products, const double *from, void *to, size_t count);

// The greatest eigenvalue of A^H A, or of a normal A, with a linear correction (NULL: none), slightly above
// the result of 30 power iterations that start from almost ones. The caller gives room for two vectors with a
// number per column, one with a number per row, and x, which is passed to the correction.
double ki_host_products_squared_norm(struct host_products *products,
                                     const struct solve_correction *correction, const double *x, double *y,
                                     double *before, double *of_rows);

#endif
