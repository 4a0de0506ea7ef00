// SPDX-License-Identifier: Apache-2.0
// What the host's and the device's methods ask of a system being solved.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "solve_internal.h"

bool ki_sparse_holds_bounds(enum sparse_method method)
{
    return method == SPARSE_METHOD_FISTA || method == SPARSE_METHOD_BB || method == SPARSE_METHOD_SIRT;
}

const char *ki_sparse_single_alone(const struct sparse_task *task)
{
    static const char *const methods[SPARSE_METHODS] = {[SPARSE_METHOD_FISTA] = "--method fista",
                                                        [SPARSE_METHOD_BB] = "--method bb",
                                                        [SPARSE_METHOD_GRAM] = "--method gram",
                                                        [SPARSE_METHOD_SIRT] = "--method sirt"};

    if (task->stop == SPARSE_STOP_NCP)
        return "--stop ncp";
    if (task->format == KN_SPARSE_BACKPROJECTION)
        return "--format backprojection";
    if (task->format == KN_SPARSE_ON_THE_FLY || task->format == KN_SPARSE_ON_THE_FLY_LOCAL)
        return "--format on-the-fly";
    return methods[task->method];
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
    const struct sparse_task *task = &run->task;

    if (task->stop == SPARSE_STOP_DISCREPANCY)
        return task->noise;
    return task->stop == SPARSE_STOP_RESIDUAL
               ? task->tolerance * ki_solve_norm(run->b->values + column * run->b->rows, run->b->rows)
               : 0;
}

void ki_solve_done(const struct solve_run *run, size_t columns)
{
    if (run->progress)
        run->progress->step(run->progress->data, (double)columns / (double)run->b->count);
}

kn_status ki_solve_history(const struct solve_run *run, double **history, kn_error *err)
{
    *history = calloc(run->task.iterations + 1, sizeof **history);
    return *history ? KN_OK : ki_fail_memory(err, run->task.iterations * sizeof **history, "the residuals");
}
