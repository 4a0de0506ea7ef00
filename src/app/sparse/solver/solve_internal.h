// SPDX-License-Identifier: Apache-2.0
// A system being solved: what the host's and the device's methods share.
#ifndef KN_APP_SPARSE_SOLVER_SOLVE_INTERNAL_H
#define KN_APP_SPARSE_SOLVER_SOLVE_INTERNAL_H

#include "solve.h"

// Of iterations: lengths of gradients and of steps, as ki_sparse_lag_of (accuracy.h) takes them.
struct solve_trace {
    double *gradients, *steps; // one allocation
    size_t count;
};

// |A x - b| and the gradient's length, of x as it is given.
struct solve_measured {
    double residual, gradient;
};

struct solve_run {
    kn_queue *queue;                    // NULL on the host
    const struct sparse_matrix *matrix; // of a geometry on a device: rows and columns alone
    const struct sparse_columns *b;
    struct sparse_task task;                   // settled
    struct solve_terms terms;                  // of it, with the penalty
    const struct solve_correction *correction; // of these; NULL: there are none
    const struct sparse_progress *progress;
    struct sparse_answer *answer;    // x is the start
    struct solve_trace *traces;      // a place for each column; what computes in single precision fills them
    struct solve_measured *measured; // of each column, where it is known already; NULL: it is not
};

// All columns: x, and of each solution iterations, stopped_by, history; seconds, launches, code, adjoint. One
// for each of the methods.
typedef kn_status solve_function(struct solve_run *run, kn_error *err);
solve_function ki_solve_host_cgnr, ki_solve_printed, ki_solve_bounded, ki_solve_gram, ki_solve_device,
    ki_solve_gram_device, ki_solve_bounded_device;

double ki_solve_norm(const double *x, size_t count);
// Residual at which the task wants to stop a column, in units of b; 0: it does not.
double ki_solve_goal(const struct solve_run *run, size_t column);
void ki_solve_done(const struct solve_run *run, size_t columns);
// Room for a history of up to task.iterations.
kn_status ki_solve_history(const struct solve_run *run, double **history, kn_error *err);

// to = A from, or A^T from, in double precision; of the geometry where there is one.
kn_status ki_solve_multiply_exactly(const struct solve_run *run, bool transposed, const double *from,
                                    double *to, kn_error *err);

// to = A from, or A^T from, as the method computes it with a precision of `epsilon`.
typedef kn_status solve_multiply(void *data, bool transposed, const double *from, double *to, kn_error *err);
kn_status ki_solve_adjoint(struct solve_run *run, solve_multiply *multiply, void *data, double epsilon,
                           kn_error *err);
// By the reference's products.
kn_status ki_solve_adjoint_plain(struct solve_run *run, kn_error *err);

// Room for a trace of `count` iterations; ki_sparse_solve frees it.
kn_status ki_solve_trace_make(struct solve_run *run, size_t column, size_t count, kn_error *err);
// Columns first to first + count - 1 once more in single precision, from x to where the gradient is smaller
// still; `gradients` have, computed in double precision, its part that is linear, A^T (A x - b) and the terms
// without bounds. x: solutions in and out.
typedef kn_status solve_refine(void *data, size_t first, size_t count, const double *gradients, double *x,
                               kn_error *err);
// Fills error_estimate and precision_reached of columns that were computed in single precision, some at once.
kn_status ki_solve_accuracy(struct solve_run *run, solve_refine *refine, void *data, size_t at_once,
                            kn_error *err);

// Residuals of the answer's x, and whether they are what was asked for; `starts` is x before.
kn_status ki_solve_judge(const struct solve_run *run, const double *starts, kn_error *err);

#endif
