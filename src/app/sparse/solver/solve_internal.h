// SPDX-License-Identifier: Apache-2.0
// A system being solved: what the host's and the device's methods share.
#ifndef KN_APP_SPARSE_SOLVER_SOLVE_INTERNAL_H
#define KN_APP_SPARSE_SOLVER_SOLVE_INTERNAL_H

#include <koine/experimental/least_squares.h>

#include "app/sparse/matrix.h"
#include "app/sparse/tomography/parallel.h"
#include "operator/terms.h"

struct kn_least_squares_result {
    size_t count; // of right-hand sides
    kn_type type;
    kn_least_squares_solution *solutions; // one for each
    double **histories;                   // of each; NULL: none
    bool history_is_normal;
    unsigned launches_per_iteration; // 0 on the host
    double prepare_seconds, iterate_seconds, copy_seconds;
    double adjoint, adjoint_bound;
    double weight;
    double shift;
    char code[128];
};

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
    kn_queue *queue;                           // NULL on the host
    const struct sparse_matrix *matrix;        // of a geometry that is not kept: rows and columns alone
    const struct sparse_parallel *geometry;    // NULL: there is none
    const double *b, *start;                   // as the caller gave them
    size_t count;                              // of right-hand sides
    double *x;                                 // starts and solutions of all
    kn_least_squares_options task;             // settled
    bool past_floor;                           // of its tuning
    struct solve_terms terms;                  // of it, with the penalty
    struct solve_correction own_correction;    // of these
    const struct solve_correction *correction; // the same; NULL: there are none
    kn_least_squares_result *result;
    struct solve_trace *traces;      // a place for each column; what computes in single precision fills them
    struct solve_measured *measured; // of each column, where it is known already; NULL: it is not
    // Of a task with a geometry: that, and its matrix, as far as it is made, and the transposed one.
    struct sparse_parallel own_geometry;
    struct sparse_matrix own_matrix, own_transposed;
};

// The task and the options of a public function, checked and settled, in a run that has its queue; b and x
// are not looked at. To be ended even where it fails.
kn_status ki_solve_begin(const char *function, const kn_least_squares_task *given,
                         const kn_least_squares_options *options, struct solve_run *run, kn_error *err);
void ki_solve_end(struct solve_run *run);

// All columns: x, and of each solution iterations, stopped, history; seconds, launches, code, adjoint. One
// for each of the methods.
typedef kn_status solve_function(struct solve_run *run, kn_error *err);
solve_function ki_solve_host_cgnr, ki_solve_printed, ki_solve_bounded, ki_solve_gram, ki_solve_device,
    ki_solve_gram_device, ki_solve_bounded_device, ki_solve_filtered;

double ki_solve_norm(const double *x, size_t count);
// Residual at which the task wants to stop a column, in units of b; 0: it does not.
double ki_solve_goal(const struct solve_run *run, size_t column);
// That so many are solved. KN_ERROR_INTERRUPTED.
kn_status ki_solve_done(const struct solve_run *run, size_t solved, kn_error *err);
// Room for a column's history of up to task.iterations.
kn_status ki_solve_history(const struct solve_run *run, size_t column, kn_error *err);
// Where a column starts: within bounds, if the method holds them.
void ki_solve_take_start(const struct solve_run *run, size_t column, double *x);

// Whether bounds are a penalty.
bool ki_solve_is_penalty(const kn_least_squares_options *task);
// Whether devices have something of the task in single precision alone.
bool ki_solve_single_alone(const kn_least_squares_options *task);

// to = A from, or A^T from, in double precision; of the geometry where there is one.
kn_status ki_solve_multiply_exactly(const struct solve_run *run, bool transposed, const double *from,
                                    double *to, kn_error *err);

// to = A from, or A^T from, as the method computes it with a precision of `epsilon`.
typedef kn_status solve_multiply(void *data, bool transposed, const double *from, double *to, kn_error *err);
kn_status ki_solve_adjoint(struct solve_run *run, solve_multiply *multiply, void *data, double epsilon,
                           kn_error *err);
// By the reference's products.
kn_status ki_solve_adjoint_plain(struct solve_run *run, kn_error *err);

// Room for a trace of `count` iterations; kn_least_squares frees it.
kn_status ki_solve_trace_make(struct solve_run *run, size_t column, size_t count, kn_error *err);
// Columns first to first + count - 1 once more in single precision, from x to where the gradient is smaller
// still; `gradients` have, computed in double precision, its part that is linear, A^T (A x - b) and the terms
// without bounds. x: solutions in and out.
typedef kn_status solve_refine(void *data, size_t first, size_t count, const double *gradients, double *x,
                               kn_error *err);
// Fills error_estimate and precision_reached of columns that were computed in single precision, some at once.
kn_status ki_solve_accuracy(struct solve_run *run, solve_refine *refine, void *data, size_t at_once,
                            kn_error *err);

// Does something for each column in so many threads, each of which has a number below that. Its products are
// the thread's own if there is more than one. KN_ERROR_* of the first that fails.
typedef kn_status solve_each(void *data, size_t column, unsigned thread, kn_error *err);
unsigned ki_solve_threads(size_t count);
kn_status ki_solve_each(size_t count, solve_each *column, void *data, kn_error *err);

// Residuals of x, and whether they are what was asked for.
kn_status ki_solve_judge(const struct solve_run *run, kn_error *err);

#endif
