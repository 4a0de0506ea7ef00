// SPDX-License-Identifier: Apache-2.0
// Least squares within bounds that hold exactly, low <= x <= high, on the host in double precision.
#ifndef KN_APP_SPARSE_SOLVER_HOST_BOUNDED_H
#define KN_APP_SPARSE_SOLVER_HOST_BOUNDED_H

#include <stdbool.h>

#include "app/sparse/matrix.h"

enum sparse_bounded_method {
    // Accelerated projected gradients (Beck and Teboulle 2009), started anew whenever a step goes up
    // (O'Donoghue and
    // Candes 2015). Steps of 1 / |A^T A|, from 30 power iterations.
    SPARSE_FISTA,
    // Projected gradients with the steps of Barzilai and Borwein (1988), two long ones and a short one in
    // turn.
    SPARSE_BB,
    // Simultaneous iterative reconstruction, x + C A^T R (b - A x) with the sums of rows and columns,
    // projected: what
    // others offer. For comparison; A must not have negative elements.
    SPARSE_SIRT
};

enum sparse_bounded_stop {
    SPARSE_BOUNDED_ITERATIONS,  // all of them done
    SPARSE_BOUNDED_DISCREPANCY, // |A x - b| <= noise
    SPARSE_BOUNDED_GRADIENT     // the projected gradient is at 1e-12 of the first one
};

struct sparse_bounded_options {
    enum sparse_bounded_method method;
    size_t iterations;
    double low, high; // -INFINITY and INFINITY: no bound
    double noise;     // 0: not looked at
    size_t data_rows; // those whose residual is told and compared with `noise`, the first ones; 0: all. What
                      // is added to |A x - b|^2 may stand in the others
    // Called, where it is not NULL, with x before the first iteration (k = 0) and after each; `residual` is
    // |A x - b|.
    void (*look)(void *data, size_t k, const double *x, double residual);
    void *data;
};

struct sparse_bounded_result {
    size_t iterations;
    enum sparse_bounded_stop stopped_by;
    double residual; // |A x - b|
    double gradient; // |x - P(x - A^T (A x - b))|, which is 0 at the solution
};

// x, `columns` numbers in and out; the start is projected. KN_ERROR_ARGUMENT: low above high, or
// not-a-number, a method that is none, negative elements with SIRT; KN_ERROR_MEMORY. One A and one A^T an
// iteration, and FISTA 30 of both before.
kn_status ki_sparse_bounded_solve(const struct sparse_matrix *matrix, const double *b,
                                  const struct sparse_bounded_options *options, double *x,
                                  struct sparse_bounded_result *result, kn_error *err);

#endif
