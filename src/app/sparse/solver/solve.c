// SPDX-License-Identifier: Apache-2.0
// koine/least_squares.h: solves a task with its method.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "solve_internal.h"

static const double penalty_factor = 50;

// The greatest |a_j|^2; for a geometry, whose elements are about 1, the greatest sum of a column.
static kn_status greatest_column(const struct solve_run *run, double *greatest, kn_error *err)
{
    size_t rows = run->matrix->rows, columns = run->matrix->columns;
    double *squares = calloc(columns + rows + 1, sizeof *squares), *ones = squares + columns;
    kn_status status =
        squares ? KN_OK : ki_fail_memory(err, (rows + columns) * sizeof *squares, "the columns' lengths");

    for (size_t i = 0; i < rows && !status; i++)
        ones[i] = run->factors ? run->factors[i] : 1;
    if (!status && run->geometry)
        status = ki_solve_multiply_exactly(run, true, ones, squares, err);
    for (size_t i = 0; i < run->matrix->nonzeros && !status && !run->geometry; i++)
        squares[run->matrix->indices[i]] += run->matrix->values[i] * run->matrix->values[i];
    *greatest = 0;
    for (size_t i = 0; i < columns && !status; i++)
        *greatest = fmax(*greatest, squares[i]);
    free(squares);
    return status;
}

// Takes the terms of the task, and fills in the weight if it is 0.
static kn_status take_terms(struct solve_run *run, kn_error *err)
{
    kn_least_squares_options *task = &run->task;
    bool penalty = ki_solve_is_penalty(task);

    if (penalty && task->weight == 0) {
        kn_status status = greatest_column(run, &task->weight, err);

        if (status)
            return status;
        task->weight *= penalty_factor;
    }
    if (task->correction && task->weight == 0)
        task->weight = 1;
    run->terms = (struct solve_terms){.lambda = task->method == KN_LEAST_SQUARES_TV ? 0 : task->lambda,
                                      .smooth = task->smooth,
                                      .order = task->order};
    if (penalty) {
        run->terms.penalty = task->weight;
        run->terms.low = task->low;
        run->terms.high = task->high;
    }
    if (penalty || task->correction)
        run->result->weight = task->weight;
    return KN_OK;
}

// Takes the starts of x, and allocates room for the results.
static kn_status take_starts(struct solve_run *run, kn_error *err)
{
    size_t columns = run->matrix->columns, count = run->count, all = columns * count;
    kn_least_squares_result *result = run->result;

    run->x = calloc(all + 1, sizeof *run->x);
    run->traces = calloc(count + 1, sizeof *run->traces);
    result->solutions = calloc(count + 1, sizeof *result->solutions);
    result->histories = calloc(count + 1, sizeof *result->histories);
    result->count = count;
    result->type = run->task.type;
    if (!run->x || !run->traces || !result->solutions || !result->histories)
        return ki_fail_memory(err, all * sizeof *run->x, "the solutions");
    for (size_t i = 0; i < count; i++) {
        result->solutions[i] = (kn_least_squares_solution){.error_estimate = NAN,
                                                           .objective = NAN,
                                                           .precision_reached = true,
                                                           .tolerance_reached = true,
                                                           .noise_reached = true};
        ki_solve_take_start(run, i, run->x + i * columns);
    }
    return KN_OK;
}

static solve_function *function_of(const struct solve_run *run)
{
    static solve_function *const functions[] = {
        [KN_LEAST_SQUARES_CGNR] = ki_solve_host_cgnr, [KN_LEAST_SQUARES_PRINTED] = ki_solve_printed,
        [KN_LEAST_SQUARES_FISTA] = ki_solve_bounded,  [KN_LEAST_SQUARES_BB] = ki_solve_bounded,
        [KN_LEAST_SQUARES_SIRT] = ki_solve_bounded,   [KN_LEAST_SQUARES_TV] = ki_solve_bounded,
        [KN_LEAST_SQUARES_GRAM] = ki_solve_gram,      [KN_LEAST_SQUARES_FBP] = ki_solve_filtered};

    if (run->queue && run->task.method != KN_LEAST_SQUARES_FBP)
        return run->task.method == KN_LEAST_SQUARES_GRAM                ? ki_solve_gram_device
               : kn_least_squares_method_holds_bounds(run->task.method) ? ki_solve_bounded_device
                                                                        : ki_solve_device;
    return functions[run->task.method];
}

// Makes the matrix of a geometry on the host, if the method needs products.
static kn_status make_matrix(struct solve_run *run, kn_error *err)
{
    if (run->queue || !run->geometry || run->task.method == KN_LEAST_SQUARES_FBP)
        return KN_OK;
    return ki_sparse_parallel_matrix(run->geometry, &run->own_matrix, err);
}

static kn_status solve(struct solve_run *run, kn_error *err)
{
    kn_status status = ki_solve_check_numbers(run, err);

    if (!status)
        status = ki_solve_apply_weights(run, err);
    if (!status)
        status = make_matrix(run, err);
    if (!status)
        status = ki_solve_scale_columns(run, err);
    if (!status)
        status = take_terms(run, err);
    if (!status)
        status = take_starts(run, err);
    run->own_correction = ki_solve_terms_correction(&run->terms);
    if (run->terms.lambda > 0 || run->terms.smooth > 0 || run->terms.penalty > 0)
        run->correction = &run->own_correction;
    if (!status)
        status = function_of(run)(run, err);
    if (!status)
        ki_solve_unscale(run);
    if (!status)
        status = ki_solve_judge(run, err);
    for (size_t i = 0; run->traces && i < run->count; i++)
        free(run->traces[i].gradients);
    free(run->traces);
    free(run->measured);
    return status;
}

kn_status kn_least_squares(kn_queue *queue, const kn_least_squares_task *task, double *x,
                           const kn_least_squares_options *options, kn_least_squares_result **made,
                           kn_error *err)
{
    struct solve_run run = {.queue = queue, .start = x, .result = calloc(1, sizeof *run.result)};
    kn_status status = !x           ? ki_fail(err, KN_ERROR_ARGUMENT, "x is NULL")
                       : run.result ? ki_solve_begin(__func__, task, options, &run, err)
                                    : ki_fail_memory(err, sizeof *run.result, __func__);

    if (!status)
        status = solve(&run, err);
    ki_error_name(__func__, status, err);
    if (!status)
        memcpy(x, run.x, run.count * run.matrix->columns * sizeof *x);
    free(run.x);
    ki_solve_end(&run);
    if (!status && made)
        *made = run.result;
    else
        kn_least_squares_result_free(run.result);
    return status;
}
