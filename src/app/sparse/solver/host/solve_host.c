// SPDX-License-Identifier: Apache-2.0
// Least squares on the host: conjugate gradients by the host's own code in either precision; the loop as
// printed in its source, and solutions within bounds, in double precision.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "host_solve.h"
#include "gram.h"
#include "app/sparse/solver/preconditioner.h"
#include "app/sparse/solver/solve_internal.h"

// Turns residuals into fractions of |b|.
static void take_history(const struct solve_run *run, size_t column, double right)
{
    for (size_t i = 0; i <= run->result->solutions[column].iterations && right > 0; i++)
        run->result->histories[column][i] /= right;
}

// ---- conjugate gradients ----

struct cgnr {
    struct sparse_host *host;
    kn_type type;
    struct sparse_preconditioner *preconditioner;
    size_t rows, columns;
    void *b, *x; // in the type
};

// Convert between double precision and the type.
static void narrow(kn_type type, const double *from, void *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (type == KN_F32)
            ((float *)to)[i] = (float)from[i];
        else
            ((double *)to)[i] = from[i];
    }
}

static void widen(kn_type type, const void *from, double *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = type == KN_F32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

static kn_status multiply(void *data, bool transposed, const double *from, double *to, kn_error *err)
{
    struct cgnr *c = data;

    (void)err;
    narrow(c->type, from, transposed ? c->b : c->x, transposed ? c->rows : c->columns);
    ki_sparse_host_multiply(c->host, transposed, transposed ? c->b : c->x, transposed ? c->x : c->b);
    widen(c->type, transposed ? c->x : c->b, to, transposed ? c->columns : c->rows);
    return KN_OK;
}

static kn_status prepare(struct solve_run *run, struct cgnr *c, kn_error *err)
{
    const kn_least_squares_options *task = &run->task;
    enum sparse_host_format format = task->format == KN_SPARSE_SIMPLE ? SPARSE_HOST_CSR : SPARSE_HOST_SELL;
    double start = ki_clock_seconds();
    kn_status status;

    c->type = task->type == KN_F64 ? KN_F64 : KN_F32;
    c->rows = run->matrix->rows;
    c->columns = run->matrix->columns;
    c->b = malloc((c->rows + 1) * sizeof(double));
    c->x = malloc((c->columns + 1) * sizeof(double));
    if (!c->b || !c->x)
        return ki_fail_memory(err, (c->rows + c->columns) * sizeof(double), "the solver");
    status = ki_sparse_host_create(run->matrix, c->type, format, NULL, &c->host, err);
    if (!status && task->preconditioner) {
        status = ki_sparse_preconditioner_create(
            run->matrix, task->preconditioner == KN_LEAST_SQUARES_ILU ? SPARSE_ILU : SPARSE_JACOBI,
            task->lambda, &c->preconditioner, err);
        run->result->shift = status ? 0 : ki_sparse_preconditioner_shift(c->preconditioner);
    }
    run->result->prepare_seconds = ki_clock_seconds() - start;
    if (!status)
        snprintf(run->result->code, sizeof run->result->code, "%s precision, %s, %s code",
                 task->type == KN_F64 ? "double" : "single",
                 format == SPARSE_HOST_CSR ? "rows" : "slices of rows", ki_sparse_host_level(c->host));
    return status;
}

static kn_status solve_column(struct solve_run *run, struct cgnr *c, size_t column, kn_error *err)
{
    static const kn_least_squares_stopped reasons[] = {
        [HOST_CGNR_ITERATIONS] = KN_LEAST_SQUARES_STOPPED_ITERATIONS,
        [HOST_CGNR_RESIDUAL] = KN_LEAST_SQUARES_STOPPED_RESIDUAL,
        [HOST_CGNR_DISCREPANCY] = KN_LEAST_SQUARES_STOPPED_DISCREPANCY,
        [HOST_CGNR_NCP] = KN_LEAST_SQUARES_STOPPED_NCP,
        [HOST_CGNR_FLOOR] = KN_LEAST_SQUARES_STOPPED_FLOOR};
    const kn_least_squares_options *task = &run->task;
    const double *b = run->b + column * c->rows;
    double *x = run->x + column * c->columns, start;
    kn_least_squares_solution *solution = &run->result->solutions[column];
    struct host_cgnr_options options = {.iterations = task->iterations,
                                        .ncp = task->stop == KN_LEAST_SQUARES_STOP_NCP,
                                        .past_floor = run->past_floor,
                                        .correction = run->correction,
                                        .precondition = ki_sparse_preconditioner_apply,
                                        .preconditioner = c->preconditioner,
                                        .progress = task->iteration_progress,
                                        .progress_data = task->progress_data};
    struct host_cgnr_result result = {.iterations = 0};
    kn_status status = ki_solve_history(run, column, err);

    if (status)
        return status;
    if (task->stop == KN_LEAST_SQUARES_STOP_RESIDUAL)
        options.tolerance = task->tolerance;
    if (task->stop == KN_LEAST_SQUARES_STOP_DISCREPANCY)
        options.noise = task->noise;
    result.history = run->result->histories[column];
    if (c->type == KN_F32 && !c->preconditioner) { // which changes the matrix that the trace is of
        status = ki_solve_trace_make(run, column, task->iterations, err);
        result.gradients = run->traces[column].gradients;
        result.steps = run->traces[column].steps;
    }
    if (status)
        return status;
    narrow(c->type, b, c->b, c->rows);
    narrow(c->type, x, c->x, c->columns);
    start = ki_clock_seconds();
    status = ki_sparse_host_solve(c->host, c->b, &options, c->x, &result, err);
    run->result->iterate_seconds += ki_clock_seconds() - start;
    widen(c->type, c->x, x, c->columns);
    solution->iterations = result.iterations;
    solution->stopped = reasons[result.stopped_by];
    if (result.gradients)
        run->traces[column].count = result.iterations;
    take_history(run, column, ki_solve_norm(b, c->rows));
    return status;
}

// ---- refinement, for the accuracy ----

struct again {
    struct solve_run *run;
    struct cgnr *cgnr;
};

// The part of the gradient at x + d, and of its change, that A's products do not give.
struct shifted {
    const struct solve_terms *terms;
    const double *gradient, *x;
    double *sum; // room
};

static void add_shift(const struct shifted *shifted, const double *d, size_t count)
{
    for (size_t i = 0; i < count; i++)
        shifted->sum[i] = shifted->x[i] + d[i];
}

static void shifted_gradient(const void *data, const double *d, size_t count, double *out)
{
    const struct shifted *shifted = data;
    struct solve_terms linear = *shifted->terms, penalty = {.penalty = linear.penalty};
    struct solve_correction correction = ki_solve_terms_correction(&linear);

    linear.penalty = 0;
    correction.gradient(correction.data, d, count, out);
    penalty.low = shifted->terms->low;
    penalty.high = shifted->terms->high;
    correction = ki_solve_terms_correction(&penalty);
    add_shift(shifted, d, count);
    correction.gradient(correction.data, shifted->sum, count, out);
    for (size_t i = 0; i < count; i++)
        out[i] += shifted->gradient[i];
}

static void shifted_along(const void *data, const double *d, const double *along, size_t count, double *out)
{
    const struct shifted *shifted = data;
    struct solve_correction correction = ki_solve_terms_correction(shifted->terms);

    add_shift(shifted, d, count);
    correction.along(correction.data, shifted->sum, along, count, out);
}

// A function of type solve_refine: from d = 0, with b = 0, finds the d for which the gradient at x + d is 0.
static kn_status refine(void *data, size_t first, size_t count, const double *gradients, double *x,
                        kn_error *err)
{
    struct again *again = data;
    struct cgnr *c = again->cgnr;
    struct shifted shifted = {.terms = &again->run->terms, .gradient = gradients, .x = x};
    const struct solve_correction correction = {shifted_gradient, shifted_along, &shifted};
    const struct host_cgnr_options options = {.iterations = again->run->task.iterations,
                                              .correction = &correction,
                                              .precondition = ki_sparse_preconditioner_apply,
                                              .preconditioner = c->preconditioner};
    struct host_cgnr_result result = {.iterations = 0};
    kn_status status = KN_OK;

    (void)first;
    (void)count; // always one column
    shifted.sum = malloc((c->columns + 1) * sizeof *shifted.sum);
    if (!shifted.sum)
        return ki_fail_memory(err, c->columns * sizeof *shifted.sum, "the accuracy");
    memset(c->b, 0, (c->rows + 1) * sizeof(double));
    memset(c->x, 0, (c->columns + 1) * sizeof(double));
    status = ki_sparse_host_solve(c->host, c->b, &options, c->x, &result, err);
    if (!status)
        widen(c->type, c->x, shifted.sum, c->columns);
    for (size_t i = 0; i < c->columns && !status; i++)
        x[i] += shifted.sum[i];
    free(shifted.sum);
    return status;
}

kn_status ki_solve_host_cgnr(struct solve_run *run, kn_error *err)
{
    struct cgnr c = {.host = NULL};
    kn_status status = prepare(run, &c, err);

    if (!status)
        status = ki_solve_adjoint(run, multiply, &c, c.type == KN_F64 ? 0x1p-53 : 0x1p-24, err);
    for (size_t i = 0; i < run->count && !status; i++) {
        status = solve_column(run, &c, i, err);
        if (!status)
            status = ki_solve_done(run, i + 1, err);
    }
    if (!status && c.type == KN_F32)
        status = ki_solve_accuracy(run, refine, &(struct again){run, &c}, 1, err);
    ki_sparse_preconditioner_free(c.preconditioner);
    ki_sparse_host_free(c.host);
    free(c.b);
    free(c.x);
    return status;
}

// ---- as printed ----

kn_status ki_solve_printed(struct solve_run *run, kn_error *err)
{
    size_t rows = run->matrix->rows;
    kn_status status = ki_solve_adjoint_plain(run, err);

    snprintf(run->result->code, sizeof run->result->code,
             "double precision, A and A^T twice an iteration, one thread");
    for (size_t i = 0; i < run->count && !status; i++) {
        kn_least_squares_solution *solution = &run->result->solutions[i];
        const double *b = run->b + i * rows;
        double start;

        status = ki_solve_history(run, i, err);
        start = ki_clock_seconds();
        if (!status)
            status =
                ki_sparse_host_printed(run->matrix, b, run->correction, run->task.iterations,
                                       run->x + i * run->matrix->columns, run->result->histories[i], err);
        run->result->iterate_seconds += ki_clock_seconds() - start;
        solution->iterations = run->task.iterations;
        solution->stopped = KN_LEAST_SQUARES_STOPPED_ITERATIONS;
        if (!status)
            take_history(run, i, ki_solve_norm(b, rows));
        if (!status)
            status = ki_solve_done(run, i + 1, err);
    }
    return status;
}

// ---- normal equations ----

kn_status ki_solve_gram(struct solve_run *run, kn_error *err)
{
    kn_least_squares_result *result = run->result;
    struct sparse_gram *gram = NULL;
    double start;
    kn_status status = ki_solve_adjoint_plain(run, err);

    snprintf(result->code, sizeof result->code, "double precision, Cholesky factors of A^T A");
    start = ki_clock_seconds();
    if (!status)
        status = ki_sparse_gram_create(run->matrix, &run->terms, &gram, err);
    result->prepare_seconds = ki_clock_seconds() - start;
    start = ki_clock_seconds();
    if (!status)
        status = ki_sparse_gram_solve(gram, run->b, run->count, run->x, err);
    result->iterate_seconds = ki_clock_seconds() - start;
    for (size_t i = 0; i < run->count; i++)
        result->solutions[i].stopped = KN_LEAST_SQUARES_STOPPED_DIRECT;
    ki_sparse_gram_free(gram);
    return status;
}

// ---- within bounds ----

static void look(void *data, size_t k, const double *x, double residual)
{
    double *history = data;

    (void)x;
    history[k] = residual;
}

static enum sparse_bounded_method bounded_method(kn_least_squares_method method)
{
    return method == KN_LEAST_SQUARES_BB     ? SPARSE_BB
           : method == KN_LEAST_SQUARES_SIRT ? SPARSE_SIRT
           : method == KN_LEAST_SQUARES_TV   ? SPARSE_TV
                                             : SPARSE_FISTA;
}

static kn_status solve_bounded_column(struct solve_run *run, size_t column, double *squared_norm,
                                      kn_error *err)
{
    static const kn_least_squares_stopped reasons[] = {
        [SPARSE_BOUNDED_ITERATIONS] = KN_LEAST_SQUARES_STOPPED_ITERATIONS,
        [SPARSE_BOUNDED_DISCREPANCY] = KN_LEAST_SQUARES_STOPPED_DISCREPANCY,
        [SPARSE_BOUNDED_GRADIENT] = KN_LEAST_SQUARES_STOPPED_FLOOR};
    const kn_least_squares_options *task = &run->task;
    const double *b = run->b + column * run->matrix->rows;
    kn_least_squares_solution *solution = &run->result->solutions[column];
    struct sparse_bounded_options options = {.method = bounded_method(task->method),
                                             .iterations = task->iterations,
                                             .low = task->bounded ? task->low : -INFINITY,
                                             .high = task->bounded ? task->high : INFINITY,
                                             .noise = ki_solve_goal(run, column),
                                             .correction = run->correction,
                                             .shape = task->shape,
                                             .lambda = task->lambda,
                                             .squared_norm = squared_norm,
                                             .look = look,
                                             .progress = task->iteration_progress,
                                             .progress_data = task->progress_data};
    struct sparse_bounded_result result = {.iterations = 0};
    kn_status status = ki_solve_history(run, column, err);
    double start = ki_clock_seconds();

    if (status)
        return status;
    options.data = run->result->histories[column];
    status = ki_sparse_bounded_solve(run->matrix, b, &options, run->x + column * run->matrix->columns,
                                     &result, err);
    run->result->iterate_seconds += ki_clock_seconds() - start;
    solution->iterations = result.iterations;
    solution->stopped = reasons[result.stopped_by];
    if (result.stopped_by == SPARSE_BOUNDED_DISCREPANCY && task->stop == KN_LEAST_SQUARES_STOP_RESIDUAL)
        solution->stopped = KN_LEAST_SQUARES_STOPPED_RESIDUAL;
    if (!status)
        take_history(run, column, ki_solve_norm(b, run->matrix->rows));
    return status;
}

kn_status ki_solve_bounded(struct solve_run *run, kn_error *err)
{
    double squared_norm = -1; // of A; computed for the first column, then shared by all
    kn_status status = ki_solve_adjoint_plain(run, err);

    snprintf(run->result->code, sizeof run->result->code, "double precision, one thread");
    for (size_t i = 0; i < run->count && !status; i++) {
        status = solve_bounded_column(run, i, &squared_norm, err);
        if (!status)
            status = ki_solve_done(run, i + 1, err);
    }
    return status;
}
