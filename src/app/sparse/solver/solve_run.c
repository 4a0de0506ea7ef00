// SPDX-License-Identifier: Apache-2.0
// Functions that the methods on the host and on devices call for the system being solved.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "solve_internal.h"

bool kn_least_squares_method_holds_bounds(kn_least_squares_method method)
{
    return method == KN_LEAST_SQUARES_FISTA || method == KN_LEAST_SQUARES_BB ||
           method == KN_LEAST_SQUARES_SIRT || method == KN_LEAST_SQUARES_TV;
}

bool ki_solve_is_penalty(const kn_least_squares_options *task)
{
    return task->bounded && !kn_least_squares_method_holds_bounds(task->method);
}

bool ki_solve_single_alone(const kn_least_squares_options *task)
{
    return task->stop == KN_LEAST_SQUARES_STOP_NCP || task->format == KN_SPARSE_BACKPROJECTION ||
           task->format == KN_SPARSE_ON_THE_FLY || task->format == KN_SPARSE_ON_THE_FLY_LOCAL ||
           task->method == KN_LEAST_SQUARES_GRAM || task->method == KN_LEAST_SQUARES_FBP ||
           kn_least_squares_method_holds_bounds(task->method);
}

void ki_solve_take_start(const struct solve_run *run, size_t column, double *x)
{
    const kn_least_squares_options *task = &run->task;
    const double *start = run->start + column * run->matrix->columns;
    bool holds = task->bounded && kn_least_squares_method_holds_bounds(task->method);

    for (size_t i = 0; i < run->matrix->columns; i++)
        x[i] = holds ? fmin(fmax(start[i], task->low), task->high) : start[i];
}

double ki_solve_norm(const double *x, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

double ki_solve_goal(const struct solve_run *run, size_t column)
{
    const kn_least_squares_options *task = &run->task;

    if (task->stop == KN_LEAST_SQUARES_STOP_DISCREPANCY)
        return task->noise;
    return task->stop == KN_LEAST_SQUARES_STOP_RESIDUAL
               ? task->tolerance * ki_solve_norm(run->b + column * run->matrix->rows, run->matrix->rows)
               : 0;
}

kn_status ki_solve_done(const struct solve_run *run, size_t solved, kn_error *err)
{
    const kn_least_squares_options *task = &run->task;

    if (!task->progress || task->progress(task->progress_data, solved, run->count))
        return KN_OK;
    return ki_fail(err, KN_ERROR_INTERRUPTED,
                   "stopped by the progress function after %zu of %zu right-hand sides", solved, run->count);
}

kn_status ki_solve_history(const struct solve_run *run, size_t column, kn_error *err)
{
    double **history = &run->result->histories[column];

    *history = calloc(run->task.iterations + 1, sizeof **history);
    return *history ? KN_OK : ki_fail_memory(err, run->task.iterations * sizeof **history, "the residuals");
}
