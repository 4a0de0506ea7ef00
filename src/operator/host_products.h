// SPDX-License-Identifier: Apache-2.0
// Products with an operator in the host's memory, of vectors in double precision.
#ifndef KN_OPERATOR_HOST_PRODUCTS_H
#define KN_OPERATOR_HOST_PRODUCTS_H

#include "operator/operator.h"
#include "operator/terms.h"

struct host_products {
    const kn_operator *a;
    kn_error *err;        // not NULL
    kn_status status;     // of the products so far
    size_t rows, columns; // numbers
    bool is_single;
    float *from, *to; // of the longer of both, where it is single
};

// to = A from, or A^H from; once a product has failed, nothing.
void ki_host_products_multiply(struct host_products *products, bool adjoint, const double *from, double *to);

// Numbers of the operator's type as doubles, and the other way.
void ki_host_products_take(const struct host_products *products, const void *from, double *to, size_t count);
void ki_host_products_give(const struct host_products *products, const double *from, void *to, size_t count);

// The greatest eigenvalue of A^H A with a linear correction (NULL: none), a little above what 30 power
// iterations from almost ones give. Room for two vectors of columns, one of rows, and x, which the correction
// gets.
double ki_host_products_squared_norm(struct host_products *products,
                                     const struct solve_correction *correction, const double *x, double *y,
                                     double *before, double *of_rows);

#endif
