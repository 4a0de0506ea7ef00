// SPDX-License-Identifier: Apache-2.0
// The host's solvers of src/operator for a sparse matrix: conjugate gradients (cgnr/host_cgnr.h) with the
// host's products, in their order of rows and columns; and solutions within bounds (bounded/host_bounded.h)
// with the reference products.
#ifndef KN_APP_SPARSE_SOLVER_HOST_HOST_SOLVE_H
#define KN_APP_SPARSE_SOLVER_HOST_HOST_SOLVE_H

#include <koine/solve.h>

#include "app/sparse/product/host/host.h"
#include "app/sparse/matrix.h"
#include "operator/cgnr/host_cgnr.h"
#include "operator/terms.h"

// ki_host_cgnr for that matrix, in the host's type.
kn_status ki_sparse_host_solve(struct sparse_host *host, const void *b,
                               const struct host_cgnr_options *options, void *x,
                               struct host_cgnr_result *result, kn_error *err);

// ---- as printed ----

// Conjugate gradients on A^T A with the correction term (NULL: none), with the loop as printed in their
// source: two products with A and two with A^T per iteration, F of the pairs (x, x) and (x, d), by one thread
// in double precision. The printed step has the wrong factor; this code takes the step that minimises along
// d, alpha = -(g.d) / (d.e). x holds the start, then the solution, `columns` numbers. `history` (or NULL) has
// room for iterations + 1 values of |A x - b|. Stops early if the curvature along d is not above 0; the rest
// of `history` is then filled with the last value. KN_ERROR_MEMORY.
kn_status ki_sparse_host_printed(const struct sparse_matrix *matrix, const double *b,
                                 const struct solve_correction *correction, size_t iterations, double *x,
                                 double *history, kn_error *err);

// ---- within bounds ----

enum sparse_bounded_method {
    SPARSE_FISTA, // KN_SOLVE_FISTA, KN_SOLVE_BB and KN_SOLVE_SIRT of koine/solve.h
    SPARSE_BB,
    SPARSE_SIRT, // for comparison; A must not have negative elements
    SPARSE_TV    // KN_SOLVE_TV
};

enum sparse_bounded_stop {
    SPARSE_BOUNDED_ITERATIONS,  // all iterations were done
    SPARSE_BOUNDED_DISCREPANCY, // |A x - b| <= noise
    SPARSE_BOUNDED_GRADIENT     // the projected gradient is at 1e-12 of the first one, or no step descends
};

struct sparse_bounded_options {
    enum sparse_bounded_method method;
    size_t iterations;
    double low, high;                          // -INFINITY and INFINITY: no bound
    double noise;                              // 0: no stop
    const struct solve_correction *correction; // linear; for SPARSE_FISTA and SPARSE_BB. NULL: none
    const size_t *shape;                       // for SPARSE_TV: three lengths, and
    double lambda;                             // the weight
    double *squared_norm;                      // as in host_bounded_options
    // Called with x before the first iteration (k = 0) and after each one; `residual` is |A x - b|. NULL:
    // none.
    void (*look)(void *data, size_t k, const double *x, double residual);
    void *data;
    kn_solve_progress *progress; // as in kn_solve_options; NULL: none
    void *progress_data;
};

struct sparse_bounded_result {
    size_t iterations;
    enum sparse_bounded_stop stopped_by;
    double residual; // |A x - b|
    double gradient; // length of the projected gradient, as in kn_solve_plan_get_gradients
};

// Checks A for SIRT: KN_ERROR_ARGUMENT for an element below 0.
kn_status ki_sparse_check_signs(const struct sparse_matrix *matrix, kn_error *err);

// In double precision, by one thread. x holds the start, which is projected into the bounds, and then the
// solution, `columns` numbers. Cost and errors are those of ki_host_bounded, and KN_ERROR_ARGUMENT if low is
// above high, if a bound is NaN, for an unknown method, and for negative elements with SPARSE_SIRT.
kn_status ki_sparse_bounded_solve(const struct sparse_matrix *matrix, const double *b,
                                  const struct sparse_bounded_options *options, double *x,
                                  struct sparse_bounded_result *result, kn_error *err);

#endif
