// SPDX-License-Identifier: Apache-2.0
// The host's solvers of src/operator with a sparse matrix: conjugate gradients (cgnr/host_cgnr.h) with the
// host's products, in their own order of rows and columns; and within bounds (bounded/host_bounded.h) with
// the reference's products.
#ifndef KN_APP_SPARSE_SOLVER_HOST_HOST_SOLVE_H
#define KN_APP_SPARSE_SOLVER_HOST_HOST_SOLVE_H

#include <koine/solve.h>

#include "app/sparse/product/host/host.h"
#include "app/sparse/matrix.h"
#include "operator/cgnr/host_cgnr.h"
#include "operator/terms.h"

// ki_host_cgnr of that matrix, in the host's type.
kn_status ki_sparse_host_solve(struct sparse_host *host, const void *b,
                               const struct host_cgnr_options *options, void *x,
                               struct host_cgnr_result *result, kn_error *err);

// ---- as printed ----

// Conjugate gradients on A^T A with the correction term (NULL: none), as their source prints the loop: A and
// A^T twice an iteration, F of the pair (x, x) and (x, d), by one thread in double precision. The printed
// step has the wrong factor, as minimising along d gives alpha = -(g.d) / (d.e), which this takes. x = x,
// `columns` numbers in and out. `history` (or NULL) has iterations + 1 places for |A x - b|. It stops early
// where the curvature along d is not above 0; the rest of `history` is then the last one's. KN_ERROR_MEMORY.
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
    SPARSE_BOUNDED_ITERATIONS,  // all of them done
    SPARSE_BOUNDED_DISCREPANCY, // |A x - b| <= noise
    SPARSE_BOUNDED_GRADIENT     // the projected gradient is at 1e-12 of the first one, or no step goes down
};

struct sparse_bounded_options {
    enum sparse_bounded_method method;
    size_t iterations;
    double low, high;                          // -INFINITY and INFINITY: no bound
    double noise;                              // 0: not looked at
    const struct solve_correction *correction; // a linear one; of SPARSE_FISTA and SPARSE_BB. NULL: none
    const size_t *shape;                       // of SPARSE_TV: three lengths, and
    double lambda;                             // the weight
    double *squared_norm;                      // as host_bounded_options has it
    // Called, where it is not NULL, with x before the first iteration (k = 0) and after each; `residual` is
    // |A x - b|.
    void (*look)(void *data, size_t k, const double *x, double residual);
    void *data;
    kn_solve_progress *progress; // as kn_solve_options has it; NULL: none
    void *progress_data;
};

struct sparse_bounded_result {
    size_t iterations;
    enum sparse_bounded_stop stopped_by;
    double residual; // |A x - b|
    double gradient; // the projected gradient's length, as kn_solve_plan_get_gradients has it
};

// Of an A for SIRT: KN_ERROR_ARGUMENT for an element below 0.
kn_status ki_sparse_check_signs(const struct sparse_matrix *matrix, kn_error *err);

// In double precision, by one thread: x, `columns` numbers in and out; the start is projected. Cost and
// errors are those of ki_host_bounded, and KN_ERROR_ARGUMENT: low above high, or not-a-number, a method that
// is none, negative elements with SPARSE_SIRT.
kn_status ki_sparse_bounded_solve(const struct sparse_matrix *matrix, const double *b,
                                  const struct sparse_bounded_options *options, double *x,
                                  struct sparse_bounded_result *result, kn_error *err);

#endif
