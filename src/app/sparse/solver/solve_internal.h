// SPDX-License-Identifier: Apache-2.0
// A system that is being solved: what the methods on the host and on devices share.
#ifndef KN_APP_SPARSE_SOLVER_SOLVE_INTERNAL_H
#define KN_APP_SPARSE_SOLVER_SOLVE_INTERNAL_H

#include <koine/experimental/least_squares.h>

#include "app/sparse/matrix.h"
#include "app/sparse/tomography/parallel.h"
#include "operator/terms.h"

struct kn_least_squares_result {
    size_t count; // number of right-hand sides
    kn_type type;
    kn_least_squares_solution *solutions; // one for each
    double **histories;                   // one for each; NULL: none
    bool history_is_normal;
    unsigned launches_per_iteration; // 0 on the host
    double prepare_seconds, iterate_seconds, copy_seconds;
    double adjoint, adjoint_bound;
    double weight;
    double shift;
    char code[128];
};

// Lengths of gradients and of steps of the iterations, in the form that ki_sparse_lag_of (accuracy.h) takes.
struct solve_trace {
    double *gradients, *steps; // one allocation
    size_t count;
};

// |A x - b| and the length of the gradient, for the x that is returned.
struct solve_measured {
    double residual, gradient;
};

struct solve_run {
    kn_queue *queue;                    // NULL on the host
    const struct sparse_matrix *matrix; // for a geometry whose matrix is not stored: only rows and columns
    const struct sparse_parallel *geometry;    // NULL: the task has a matrix
    const double *b, *start;                   // the caller's
    size_t count;                              // number of right-hand sides
    double *x;                                 // starts, then solutions, of all right-hand sides
    kn_least_squares_options task;             // checked, with defaults filled in
    bool past_floor;                           // from its tuning
    struct solve_terms terms;                  // of the task, including the penalty
    struct solve_correction own_correction;    // of these terms
    const struct solve_correction *correction; // points to it; NULL: there are no terms
    kn_least_squares_result *result;
    struct solve_trace *traces;      // one for each column; methods in single precision fill them
    struct solve_measured *measured; // for each column, if known already; NULL: not known
    // For a task with a geometry: a copy, its matrix, as far as it was made, and the transposed matrix.
    struct sparse_parallel own_geometry;
    struct sparse_matrix own_matrix, own_transposed;
    // For a task with weights (weights.c): the caller's; their square roots, by which the rows of
    // `matrix` or `geometry` and of `b` are multiplied; and what that takes, if it is not the geometry's.
    const double *weights;
    double *factors, *weighted_b, *weighted_values;
    struct sparse_matrix weighted_matrix; // the caller's, with these values
    // For Jacobi's preconditioner on a device (scaling.c): the lengths of the columns, and what dividing by
    // them takes; and `matrix` and `start` without that.
    double *lengths, *scaled_values, *scaled_start;
    struct sparse_matrix scaled_matrix;
    const struct sparse_matrix *unscaled_matrix; // NULL: nothing is scaled
    const double *unscaled_start;
};

// Checks the task and the options of a public function, fills in the defaults, and stores them in a run with
// its queue; does not look at b and x. The run must be ended even if this fails.
kn_status ki_solve_begin(const char *function, const kn_least_squares_task *given,
                         const kn_least_squares_options *options, struct solve_run *run, kn_error *err);
void ki_solve_end(struct solve_run *run);

// Solves all columns: fills in x, and for each solution iterations, stopped and history; and seconds,
// launches, code and adjoint. There is one function for each method.
typedef kn_status solve_function(struct solve_run *run, kn_error *err);
solve_function ki_solve_host_cgnr, ki_solve_printed, ki_solve_bounded, ki_solve_gram, ki_solve_device,
    ki_solve_gram_device, ki_solve_bounded_device, ki_solve_filtered;

// Checks b, the starts and the weights. If there are weights, `matrix` or `geometry` and `b` become those of
// the problem without weights that has the same solution. KN_ERROR_ARGUMENT; KN_ERROR_MEMORY.
kn_status ki_solve_check_numbers(const struct solve_run *run, kn_error *err);
kn_status ki_solve_apply_weights(struct solve_run *run, kn_error *err);

// If the task has Jacobi's preconditioner on a device: `matrix` and `start` become those of the problem whose
// columns have length 1. Afterwards they are restored, and x becomes that of the problem. KN_ERROR_ARGUMENT;
// KN_ERROR_MEMORY.
kn_status ki_solve_scale_columns(struct solve_run *run, kn_error *err);
void ki_solve_unscale(struct solve_run *run);

double ki_solve_norm(const double *x, size_t count);
// The residual at which the task stops a column, in units of b; 0: no stop.
double ki_solve_goal(const struct solve_run *run, size_t column);
// Reports how many are solved. KN_ERROR_INTERRUPTED.
kn_status ki_solve_done(const struct solve_run *run, size_t solved, kn_error *err);
// Allocates a column's history of up to task.iterations.
kn_status ki_solve_history(const struct solve_run *run, size_t column, kn_error *err);
// The start of a column: within the bounds, if the method holds them.
void ki_solve_take_start(const struct solve_run *run, size_t column, double *x);

// Whether bounds are imposed by a penalty.
bool ki_solve_is_penalty(const kn_least_squares_options *task);
// Whether devices support some part of the task only in single precision.
bool ki_solve_single_alone(const kn_least_squares_options *task);

// to = A from, or A^T from, in double precision; from the geometry if there is one.
kn_status ki_solve_multiply_exactly(const struct solve_run *run, bool transposed, const double *from,
                                    double *to, kn_error *err);

// to = A from, or A^T from, computed as in the method, with a precision of `epsilon`.
typedef kn_status solve_multiply(void *data, bool transposed, const double *from, double *to, kn_error *err);
kn_status ki_solve_adjoint(struct solve_run *run, solve_multiply *multiply, void *data, double epsilon,
                           kn_error *err);
// The same check with the reference products.
kn_status ki_solve_adjoint_plain(struct solve_run *run, kn_error *err);

// Allocates a trace of `count` iterations; kn_least_squares frees it.
kn_status ki_solve_trace_make(struct solve_run *run, size_t column, size_t count, kn_error *err);
// Refines columns first to first + count - 1 in single precision, from x to where the gradient is still
// smaller. `gradients` has the linear part of the gradient, A^T (A x - b) and the terms without bounds,
// computed in double precision. x: solutions in and out.
typedef kn_status solve_refine(void *data, size_t first, size_t count, const double *gradients, double *x,
                               kn_error *err);
// Fills in error_estimate and precision_reached of columns that were computed in single precision, `at_once`
// at a time.
kn_status ki_solve_accuracy(struct solve_run *run, solve_refine *refine, void *data, size_t at_once,
                            kn_error *err);

// Calls a function for each column on several threads; `thread` is the number of the thread, from 0. If there
// is more than one thread, each column's products run on its thread only. Returns the error of the first
// column that fails.
typedef kn_status solve_each(void *data, size_t column, unsigned thread, kn_error *err);
unsigned ki_solve_threads(size_t count);
kn_status ki_solve_each(size_t count, solve_each *column, void *data, kn_error *err);

// Computes the residuals of x, and whether they meet the goals of the task.
kn_status ki_solve_judge(const struct solve_run *run, kn_error *err);

#endif
