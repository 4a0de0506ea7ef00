// SPDX-License-Identifier: Apache-2.0
#include "solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "solve_internal.h"

const char *const ki_sparse_method_names[] = {"auto", "cgnr", "printed", "fista", "bb", "gram", "sirt", NULL};
const char *const ki_sparse_stop_names[] = {"auto", "fixed", "residual", "discrepancy", "ncp", NULL};
const char *const ki_sparse_preconditioning_names[] = {"none", "jacobi", "ilu", NULL};

static const double penalty_factor = 50;

struct sparse_task ki_sparse_task_settle(const struct sparse_task *task)
{
    struct sparse_task settled = *task;

    if (task->method == SPARSE_METHOD_AUTO)
        settled.method = task->bounded ? SPARSE_METHOD_FISTA : SPARSE_METHOD_CGNR;
    if (task->stop == SPARSE_STOP_AUTO)
        settled.stop = task->tolerance > 0 ? SPARSE_STOP_RESIDUAL
                       : task->noise > 0   ? SPARSE_STOP_DISCREPANCY
                                           : SPARSE_STOP_FIXED;
    return settled;
}

// ---- what is refused ----

static kn_status check_numbers(const struct sparse_task *task, kn_error *err)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"the tolerance", task->tolerance},
                   {"the noise", task->noise},
                   {"lambda", task->lambda},
                   {"the weight of smoothness", task->smooth},
                   {"the weight of the correction", task->weight}};

    for (size_t i = 0; i < KI_COUNT(numbers); i++)
        if (!(numbers[i].value >= 0) || !isfinite(numbers[i].value))
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s is %g; expected a number from 0 on", numbers[i].name,
                           numbers[i].value);
    if (task->smooth > 0 && task->order != 1 && task->order != 2)
        return ki_fail(err, KN_ERROR_ARGUMENT, "differences of order %u; there are 1 and 2", task->order);
    if (task->bounded && !(task->low <= task->high))
        return ki_fail(err, KN_ERROR_ARGUMENT, "bounds from %g to %g; expected the lower one first",
                       task->low, task->high);
    if (task->stop == SPARSE_STOP_RESIDUAL && task->tolerance == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "to stop at a residual wants a tolerance, a part of |b|");
    if (task->stop == SPARSE_STOP_DISCREPANCY && task->noise == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "to stop at the discrepancy wants the noise, |b - b exact|");
    return KN_OK;
}

// Refuses what the method, the host or devices do not support.
static kn_status check_support(const struct sparse_task *task, bool on_device, kn_error *err)
{
    const bool cgnr = task->method == SPARSE_METHOD_CGNR, gram = task->method == SPARSE_METHOD_GRAM;
    const bool printed = task->method == SPARSE_METHOD_PRINTED;
    const bool host = !on_device, holds = ki_sparse_holds_bounds(task->method);
    const struct {
        bool asked;
        const char *reason;
    } refused[] = {
        {holds && task->correction,
         "a correction of one's own goes with cgnr and printed; fista, bb and sirt hold bounds"},
        {task->method == SPARSE_METHOD_SIRT && (task->lambda > 0 || task->smooth > 0),
         "sirt has neither lambda nor smooth; fista and bb have"},
        {on_device && task->is_double && ki_sparse_single_alone(task),
         "devices have this method, rule or format in single precision alone"},
        {on_device && gram && task->geometry,
         "gram wants the matrix of a geometry on the host; leave the device out"},
        {on_device && task->preconditioning, "preconditioners are the host's alone"},
        {on_device && task->bounded && task->correction,
         "a penalty for bounds and a correction of its own; write both in one"},
        {host && task->correction,
         "a correction in OpenCL C wants a device: the host has no compiler for it"},
        {host && task->format != KN_SPARSE_AUTO && task->format != KN_SPARSE_SELL &&
             task->format != KN_SPARSE_SIMPLE,
         "the host has the formats sell and simple (rows); the others want a device"},
        {!cgnr && !((printed || holds) && on_device) && task->format != KN_SPARSE_AUTO,
         "formats are a choice of cgnr's, and on devices of all methods but gram; the others have one"},
        {!cgnr && task->preconditioning, "preconditioners go with cgnr"},
        {gram && task->bounded,
         "gram has no bounds; fista, bb and sirt hold them, and with cgnr they are a penalty"},
        {gram && task->stop != SPARSE_STOP_FIXED, "gram has no iterations to stop"},
        {printed && task->stop != SPARSE_STOP_FIXED,
         "printed, the loop as its source has it, does all its iterations; leave the stopping rule out, or "
         "take cgnr"},
        {holds && task->stop == SPARSE_STOP_NCP, "only cgnr looks at the whiteness of the residual (ncp)"},
    };

    for (size_t i = 0; i < KI_COUNT(refused); i++)
        if (refused[i].asked)
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s", refused[i].reason);
    return KN_OK;
}

static kn_status check_columns(const struct sparse_matrix *matrix, const struct sparse_columns *b,
                               const struct sparse_columns *start, const char *const names[3], kn_error *err)
{
    if (b->rows != matrix->rows)
        return ki_fail_at(err, KN_ERROR_INPUT, names[1], 0,
                          "has %zu numbers a column, but the matrix %s is %zu x %zu: expected %zu", b->rows,
                          names[0], matrix->rows, matrix->columns, matrix->rows);
    if (start && start->rows != matrix->columns)
        return ki_fail_at(err, KN_ERROR_INPUT, names[2], 0,
                          "has %zu numbers a column, but the matrix %s is %zu x %zu: expected %zu",
                          start->rows, names[0], matrix->rows, matrix->columns, matrix->columns);
    if (start && start->count != 1 && start->count != b->count)
        return ki_fail_at(err, KN_ERROR_INPUT, names[2], 0, "has %zu columns; expected 1, or %zu as %s has",
                          start->count, b->count, names[1]);
    return KN_OK;
}

// ---- all of it ----

// The greatest |a_j|^2, and of a geometry, whose elements are about 1, the greatest sum of a column.
static kn_status greatest_column(const struct solve_run *run, double *greatest, kn_error *err)
{
    size_t rows = run->matrix->rows, columns = run->matrix->columns;
    double *squares = calloc(columns + rows + 1, sizeof *squares), *ones = squares + columns;
    kn_status status =
        squares ? KN_OK : ki_fail_memory(err, (rows + columns) * sizeof *squares, "the columns' lengths");

    for (size_t i = 0; i < rows && !status; i++)
        ones[i] = 1;
    if (!status && run->task.geometry)
        status = ki_solve_multiply_exactly(run, true, ones, squares, err);
    for (size_t i = 0; i < run->matrix->nonzeros && !status && !run->task.geometry; i++)
        squares[run->matrix->indices[i]] += run->matrix->values[i] * run->matrix->values[i];
    *greatest = 0;
    for (size_t i = 0; i < columns && !status; i++)
        *greatest = fmax(*greatest, squares[i]);
    free(squares);
    return status;
}

// The terms of the task, and the weight that it leaves open.
static kn_status take_terms(struct solve_run *run, kn_error *err)
{
    struct sparse_task *task = &run->task;
    bool penalty = task->bounded && !ki_sparse_holds_bounds(task->method);

    if (penalty && task->weight == 0) {
        kn_status status = greatest_column(run, &task->weight, err);

        if (status)
            return status;
        task->weight *= penalty_factor;
    }
    if (task->correction && task->weight == 0)
        task->weight = 1;
    run->terms = (struct solve_terms){.lambda = task->lambda, .smooth = task->smooth, .order = task->order};
    if (penalty) {
        run->terms.penalty = task->weight;
        run->terms.low = task->low;
        run->terms.high = task->high;
    }
    if (penalty || task->correction)
        run->answer->weight = task->weight;
    return KN_OK;
}

// x as it is before, for every column; and a copy.
static kn_status take_start(struct solve_run *run, const struct sparse_columns *start, double **copy,
                            kn_error *err)
{
    const struct sparse_task *task = &run->task;
    size_t columns = run->matrix->columns, count = run->b->count, all = columns * count;
    struct sparse_answer *answer = run->answer;

    *copy = calloc(all + 1, sizeof **copy);
    answer->x = (struct sparse_columns){columns, count, calloc(all + 1, sizeof *answer->x.values)};
    answer->solutions = calloc(count + 1, sizeof *answer->solutions);
    run->traces = calloc(count + 1, sizeof *run->traces);
    if (!answer->x.values || !*copy || !answer->solutions || !run->traces)
        return ki_fail_memory(err, 2 * all * sizeof **copy, "the solutions");
    for (size_t i = 0; i < count; i++) {
        answer->solutions[i].error_estimate = NAN;
        answer->solutions[i].precision_reached = true;
    }
    for (size_t i = 0; i < all; i++) {
        double value = start ? start->values[start->count == 1 ? i % columns : i] : 0;

        if (task->bounded && ki_sparse_holds_bounds(task->method))
            value = fmin(fmax(value, task->low), task->high);
        answer->x.values[i] = (*copy)[i] = value;
    }
    return KN_OK;
}

static solve_function *function_of(const struct solve_run *run)
{
    static solve_function *const functions[SPARSE_METHODS] = {
        [SPARSE_METHOD_CGNR] = ki_solve_host_cgnr, [SPARSE_METHOD_PRINTED] = ki_solve_printed,
        [SPARSE_METHOD_FISTA] = ki_solve_bounded,  [SPARSE_METHOD_BB] = ki_solve_bounded,
        [SPARSE_METHOD_SIRT] = ki_solve_bounded,   [SPARSE_METHOD_GRAM] = ki_solve_gram};

    if (run->queue)
        return run->task.method == SPARSE_METHOD_GRAM     ? ki_solve_gram_device
               : ki_sparse_holds_bounds(run->task.method) ? ki_solve_bounded_device
                                                          : ki_solve_device;
    return functions[run->task.method];
}

// A geometry's: on a device its size alone is looked at.
static kn_status take_matrix(struct solve_run *run, struct sparse_matrix *made, kn_error *err)
{
    const struct sparse_parallel *geometry = run->task.geometry;
    kn_status status;

    if (!geometry)
        return KN_OK;
    status = ki_sparse_parallel_check(geometry, err);
    made->rows = status ? 0 : ki_sparse_parallel_rows(geometry);
    made->columns = status ? 0 : ki_sparse_parallel_columns(geometry);
    if (!status && !run->queue)
        status = ki_sparse_parallel_matrix(geometry, made, err);
    run->matrix = made;
    return status;
}

kn_status ki_sparse_solve(kn_queue *queue, const struct sparse_matrix *matrix, const struct sparse_columns *b,
                          const struct sparse_columns *start, const char *const names[3],
                          const struct sparse_task *task, const struct sparse_progress *progress,
                          struct sparse_answer *answer, kn_error *err)
{
    struct solve_run run = {.queue = queue, .matrix = matrix, .b = b, .progress = progress, .answer = answer};
    struct sparse_matrix made = {.rows = 0};
    struct solve_correction correction;
    double *starts = NULL;
    kn_status status;

    memset(answer, 0, sizeof *answer);
    run.task = ki_sparse_task_settle(task);
    status = take_matrix(&run, &made, err);
    if (!status)
        status = check_numbers(&run.task, err);
    if (!status)
        status = check_support(&run.task, queue != NULL, err);
    if (!status)
        status = check_columns(run.matrix, b, start, names, err);
    if (!status)
        status = take_terms(&run, err);
    if (!status)
        status = take_start(&run, start, &starts, err);
    correction = ki_solve_terms_correction(&run.terms);
    if (run.terms.lambda > 0 || run.terms.smooth > 0 || run.terms.penalty > 0)
        run.correction = &correction;
    if (!status)
        status = function_of(&run)(&run, err);
    if (!status)
        status = ki_solve_judge(&run, starts, err);
    for (size_t i = 0; run.traces && i < b->count; i++)
        free(run.traces[i].gradients);
    free(run.traces);
    free(run.measured);
    free(starts);
    ki_sparse_free(&made);
    if (status)
        ki_sparse_answer_free(answer);
    return status;
}

void ki_sparse_answer_free(struct sparse_answer *answer)
{
    for (size_t i = 0; answer->solutions && i < answer->x.count; i++)
        free(answer->solutions[i].history);
    free(answer->solutions);
    free(answer->x.values);
    memset(answer, 0, sizeof *answer);
}

const struct sparse_solution *ki_sparse_worst(const struct sparse_answer *answer)
{
    const struct sparse_solution *worst = answer->solutions;

    for (size_t i = 1; i < answer->x.count; i++)
        if (answer->solutions[i].residual > worst->residual)
            worst = &answer->solutions[i];
    return worst;
}

const struct sparse_solution *ki_sparse_least_accurate(const struct sparse_answer *answer)
{
    const struct sparse_solution *least = answer->solutions;

    for (size_t i = 1; i < answer->x.count; i++) {
        const struct sparse_solution *solution = &answer->solutions[i];

        if (solution->precision_reached == least->precision_reached
                ? solution->error_estimate > least->error_estimate || isnan(least->error_estimate)
                : !solution->precision_reached)
            least = solution;
    }
    return least;
}

bool ki_sparse_all_reached(const struct sparse_answer *answer)
{
    bool reached = true;

    for (size_t i = 0; i < answer->x.count; i++)
        reached = reached && answer->solutions[i].reached;
    return reached;
}
