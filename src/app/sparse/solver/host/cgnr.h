// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients for least squares with a correction term, by the host's own code (host.h).
#ifndef KN_APP_SPARSE_SOLVER_HOST_CGNR_H
#define KN_APP_SPARSE_SOLVER_HOST_CGNR_H

#include "app/sparse/product/host/host.h"
#include "app/sparse/solver/preconditioner.h"
#include "app/sparse/solver/reference.h"

enum sparse_host_stop {
    SPARSE_HOST_STOP_ITERATIONS,  // all of them done
    SPARSE_HOST_STOP_RESIDUAL,    // |A x - b| <= tolerance |b|
    SPARSE_HOST_STOP_DISCREPANCY, // |A x - b| <= noise
    // A x - b has become less white than it was (ncp.h): x is the last one before
    SPARSE_HOST_STOP_NCP,
    SPARSE_HOST_STOP_FLOOR // the gradient is at the precision's floor: 1e-7 (float), 1e-15 of the first one
};

struct sparse_host_solve_options {
    size_t iterations;
    double tolerance, noise;                            // 0: not looked at
    bool ncp;                                           // stops there; looks further, as ncp.h says
    bool past_floor;                                    // goes on at the precision's floor, for measurements
    const struct sparse_correction *correction;         // NULL: none
    const struct sparse_preconditioner *preconditioner; // of columns as in files; NULL: none
};

struct sparse_host_solve_result {
    size_t iterations;
    enum sparse_host_stop stopped_by;
    double residual;        // |A x - b|, and
    double normal_residual; // |A^T (A x - b) + F(x)|, as the recurrence has them
    double *history;        // iterations + 1 places for |A x - b|, given by the caller (NULL: not wanted)
    // As many for the gradient's length, and for the length of the step that led there, 0 first; NULL: both
    // are not wanted.
    double *gradients, *steps;
};

// All threads work where that is faster than one alone: iterations are timed.
// x, `columns` numbers of the host's type in and out, from b, `rows` of them. The source's loop (reference.h)
// with one A and one A^T an iteration: the residual by recurrence, its gradient anew from it. Sums are in
// double and in fixed blocks: the same bits in every run, with any number of threads. A preconditioner M
// makes M^-1 g of the descent g. KN_ERROR_MEMORY.
kn_status ki_sparse_host_solve(struct sparse_host *host, const void *b,
                               const struct sparse_host_solve_options *options, void *x,
                               struct sparse_host_solve_result *result, kn_error *err);

#endif
