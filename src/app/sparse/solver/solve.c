// SPDX-License-Identifier: Apache-2.0
// koine/least_squares.h: what is refused, and the way of a task through the method that solves it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/sparse/api/operator_internal.h"
#include "app/sparse/api/sparse_internal.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "solve_internal.h"

static const double penalty_factor = 50;

static void settle(kn_least_squares_options *task)
{
    if (task->method == KN_LEAST_SQUARES_AUTO)
        task->method = task->bounded ? KN_LEAST_SQUARES_FISTA : KN_LEAST_SQUARES_CGNR;
    if (task->stop == KN_LEAST_SQUARES_STOP_AUTO)
        task->stop = task->tolerance > 0 ? KN_LEAST_SQUARES_STOP_RESIDUAL
                     : task->noise > 0   ? KN_LEAST_SQUARES_STOP_DISCREPANCY
                                         : KN_LEAST_SQUARES_STOP_FIXED;
}

kn_status kn_least_squares_settle(const kn_least_squares_options *options, kn_least_squares_options *settled,
                                  kn_error *err)
{
    kn_least_squares_options read;
    kn_status status;

    if (!options || !settled)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", __func__, options ? "settled" : "options");
    status = KI_SIZED_READ(__func__, kn_least_squares_options, options, &read, err);
    if (status)
        return status;
    settle(&read);
    *settled = read;
    return KN_OK;
}

// ---- what is refused ----

static kn_status check_numbers(const kn_least_squares_options *task, kn_error *err)
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
    if (task->stop == KN_LEAST_SQUARES_STOP_RESIDUAL && task->tolerance == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "to stop at a residual wants a tolerance, a part of |b|");
    if (task->stop == KN_LEAST_SQUARES_STOP_DISCREPANCY && task->noise == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "to stop at the discrepancy wants the noise, |b - b exact|");
    return KN_OK;
}

// Refuses what the method, the host or devices do not support.
static kn_status check_support(const kn_least_squares_options *task, bool on_device, bool rays, kn_error *err)
{
    const bool cgnr = task->method == KN_LEAST_SQUARES_CGNR, gram = task->method == KN_LEAST_SQUARES_GRAM;
    const bool printed = task->method == KN_LEAST_SQUARES_PRINTED;
    const bool host = !on_device, holds = kn_least_squares_method_holds_bounds(task->method);
    const struct {
        bool asked;
        const char *reason;
    } refused[] = {
        {holds && task->correction,
         "a correction of one's own goes with cgnr and printed; fista, bb and sirt hold bounds"},
        {task->method == KN_LEAST_SQUARES_SIRT && (task->lambda > 0 || task->smooth > 0),
         "sirt has neither lambda nor smooth; fista and bb have"},
        {on_device && task->type == KN_F64 && ki_solve_single_alone(task),
         "devices have this method, rule or format in single precision alone"},
        {on_device && gram && rays, "gram wants the matrix of a geometry on the host; leave the device out"},
        {on_device && task->preconditioner, "preconditioners are the host's alone"},
        {on_device && task->bounded && task->correction,
         "a penalty for bounds and a correction of its own; write both in one"},
        {host && !cgnr && task->type == KN_F32, "the host has single precision for cgnr alone"},
        {host && task->correction,
         "a correction in OpenCL C wants a device: the host has no compiler for it"},
        {host && task->format != KN_SPARSE_AUTO && task->format != KN_SPARSE_SELL &&
             task->format != KN_SPARSE_SIMPLE,
         "the host has the formats sell and simple (rows); the others want a device"},
        {!cgnr && !((printed || holds) && on_device) && task->format != KN_SPARSE_AUTO,
         "formats are a choice of cgnr's, and on devices of all methods but gram; the others have one"},
        {!cgnr && task->preconditioner, "preconditioners go with cgnr"},
        {gram && task->bounded,
         "gram has no bounds; fista, bb and sirt hold them, and with cgnr they are a penalty"},
        {gram && task->stop != KN_LEAST_SQUARES_STOP_FIXED, "gram has no iterations to stop"},
        {printed && task->stop != KN_LEAST_SQUARES_STOP_FIXED,
         "printed, the loop as its source has it, does all its iterations; leave the stopping rule out, or "
         "take cgnr"},
        {holds && task->stop == KN_LEAST_SQUARES_STOP_NCP,
         "only cgnr looks at the whiteness of the residual (ncp)"},
    };

    for (size_t i = 0; i < KI_COUNT(refused); i++)
        if (refused[i].asked)
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s", refused[i].reason);
    return KN_OK;
}

static kn_status check_choices(const kn_least_squares_options *task, kn_error *err)
{
    if (!kn_least_squares_method_name(task->method))
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no method %d; see kn_least_squares_method",
                       (int)task->method);
    if (!kn_least_squares_stop_name(task->stop))
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no stopping rule %d; see kn_least_squares_stop",
                       (int)task->stop);
    if (!kn_least_squares_preconditioner_name(task->preconditioner))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "there is no preconditioner %d; see kn_least_squares_preconditioner",
                       (int)task->preconditioner);
    if (!kn_sparse_format_name(task->format))
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no format %d; see kn_sparse_format",
                       (int)task->format);
    if (task->type != 0 && task->type != KN_F32 && task->type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "type %d; expected KN_F64, KN_F32 or 0", (int)task->type);
    if (task->iterations >= UINT32_MAX)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu iterations; expected fewer than 2^32 - 1",
                       task->iterations);
    return KN_OK;
}

static kn_status check_finite(const char *name, const double *values, size_t count, kn_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s[%zu] is %g; expected finite numbers", name, i,
                           values[i]);
    return KN_OK;
}

static kn_status check_vectors(const struct solve_run *run, kn_error *err)
{
    size_t rows = run->matrix->rows, columns = run->matrix->columns,
           longest = rows > columns ? rows : columns;
    kn_status status;

    if (run->count > SIZE_MAX / sizeof(double) / 4 / (longest + 1))
        return ki_fail(err, KN_ERROR_LIMIT, "%zu right-hand sides; memory has no addresses for them",
                       run->count);
    status = check_finite("b", run->b, run->count * rows, err);
    return status ? status : check_finite("x", run->start, run->count * columns, err);
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

// The terms of the task, and the weight that it leaves open.
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
    run->terms = (struct solve_terms){.lambda = task->lambda, .smooth = task->smooth, .order = task->order};
    if (penalty) {
        run->terms.penalty = task->weight;
        run->terms.low = task->low;
        run->terms.high = task->high;
    }
    if (penalty || task->correction)
        run->result->weight = task->weight;
    return KN_OK;
}

// x as it is before, and a place for what becomes of it.
static kn_status take_starts(struct solve_run *run, kn_error *err)
{
    size_t columns = run->matrix->columns, count = run->count, all = columns * count;
    kn_least_squares_result *result = run->result;

    run->x = calloc(all + 1, sizeof *run->x);
    run->traces = calloc(count + 1, sizeof *run->traces);
    result->solutions = calloc(count + 1, sizeof *result->solutions);
    result->histories = calloc(count + 1, sizeof *result->histories);
    result->count = count;
    result->columns = columns;
    if (!run->x || !run->traces || !result->solutions || !result->histories)
        return ki_fail_memory(err, all * sizeof *run->x, "the solutions");
    for (size_t i = 0; i < count; i++) {
        result->solutions[i] = (kn_least_squares_solution){.error_estimate = NAN,
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
        [KN_LEAST_SQUARES_SIRT] = ki_solve_bounded,   [KN_LEAST_SQUARES_GRAM] = ki_solve_gram};

    if (run->queue)
        return run->task.method == KN_LEAST_SQUARES_GRAM                ? ki_solve_gram_device
               : kn_least_squares_method_holds_bounds(run->task.method) ? ki_solve_bounded_device
                                                                        : ki_solve_device;
    return functions[run->task.method];
}

// Double precision where it is to be had; of rays devices compute the weights in single.
static kn_status take_type(struct solve_run *run, kn_error *err)
{
    kn_least_squares_options *task = &run->task;
    const kn_device_info *info = run->queue ? kn_context_get_device(kn_queue_get_context(run->queue)) : NULL;

    if (task->type == 0)
        task->type =
            !info || (info->fp64 && !run->geometry && !ki_solve_single_alone(task)) ? KN_F64 : KN_F32;
    if (info && task->type == KN_F64 && !info->fp64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) has no double precision", info->spec, info->name);
    run->result->type = task->type;
    return KN_OK;
}

static kn_status check(struct solve_run *run, kn_error *err)
{
    kn_status status = check_choices(&run->task, err);

    settle(&run->task);
    if (!status)
        status = check_numbers(&run->task, err);
    if (!status)
        status = take_type(run, err);
    if (!status)
        status = check_support(&run->task, run->queue != NULL, run->geometry != NULL, err);
    return status ? status : check_vectors(run, err);
}

static kn_status solve(struct solve_run *run, kn_error *err)
{
    struct solve_correction correction;
    kn_status status = check(run, err);

    if (!status)
        status = take_terms(run, err);
    if (!status)
        status = take_starts(run, err);
    correction = ki_solve_terms_correction(&run->terms);
    if (run->terms.lambda > 0 || run->terms.smooth > 0 || run->terms.penalty > 0)
        run->correction = &correction;
    if (!status)
        status = function_of(run)(run, err);
    if (!status)
        status = ki_solve_judge(run, err);
    for (size_t i = 0; run->traces && i < run->count; i++)
        free(run->traces[i].gradients);
    free(run->traces);
    free(run->measured);
    return status;
}

// ---- the task ----

// A geometry's: on a device its size alone is looked at.
static kn_status take_geometry(struct solve_run *run, const struct sparse_parallel *geometry,
                               struct sparse_matrix *matrix, kn_error *err)
{
    run->geometry = geometry;
    run->matrix = matrix;
    if (!run->queue)
        return ki_sparse_parallel_matrix(geometry, matrix, err);
    matrix->rows = ki_sparse_parallel_rows(geometry);
    matrix->columns = ki_sparse_parallel_columns(geometry);
    return KN_OK;
}

static kn_status solve_geometry(struct solve_run *run, const kn_tomography_geometry *given, kn_error *err)
{
    struct sparse_matrix matrix = {.rows = 0};
    struct sparse_parallel geometry;
    kn_status status = ki_sparse_read_geometry("kn_least_squares", given, &geometry, err);

    if (!status)
        status = take_geometry(run, &geometry, &matrix, err);
    if (!status)
        status = solve(run, err);
    ki_sparse_free(&matrix);
    ki_sparse_parallel_free(&geometry);
    return status;
}

static kn_status read_task(const kn_least_squares_task *given, kn_least_squares_task *task, kn_error *err)
{
    kn_status status = KI_SIZED_READ("kn_least_squares", kn_least_squares_task, given, task, err);

    if (status)
        return status;
    if (!given || !task->b || (!task->matrix && !task->geometry))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s NULL",
                       !given     ? "task is"
                       : !task->b ? "b is"
                                  : "matrix and geometry are");
    if (task->matrix && task->geometry)
        return ki_fail(err, KN_ERROR_ARGUMENT, "matrix and geometry are both given; expected one of them");
    if (task->count == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there are no right-hand sides: count is 0");
    return KN_OK;
}

static kn_status read_options(struct solve_run *run, const kn_least_squares_options *options, kn_error *err)
{
    kn_status status = KI_SIZED_READ("kn_least_squares", kn_least_squares_options, options, &run->task, err);

    if (!status && !options)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "options is NULL; they have to say how many iterations there are");
    run->past_floor = !status && run->task.tuning && run->task.tuning->past_floor;
    return status;
}

static kn_status solve_task(struct solve_run *run, const kn_least_squares_task *given,
                            const kn_least_squares_options *options, kn_error *err)
{
    kn_least_squares_task task;
    kn_status status = read_task(given, &task, err);

    if (!status)
        status = read_options(run, options, err);
    if (status)
        return status;
    run->b = task.b;
    run->count = task.count;
    run->matrix = task.matrix ? &task.matrix->matrix : NULL;
    return task.matrix ? solve(run, err) : solve_geometry(run, task.geometry, err);
}

kn_status kn_least_squares(kn_queue *queue, const kn_least_squares_task *task, double *x,
                           const kn_least_squares_options *options, kn_least_squares_result **made,
                           kn_error *err)
{
    struct solve_run run = {.queue = queue, .start = x};
    kn_status status;

    if (!x)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: x is NULL", __func__);
    run.result = calloc(1, sizeof *run.result);
    if (!run.result)
        return ki_fail_memory(err, sizeof *run.result, __func__);
    status = ki_error_name(__func__, solve_task(&run, task, options, err), err);
    if (!status)
        memcpy(x, run.x, run.count * run.result->columns * sizeof *x);
    free(run.x);
    if (!status && made)
        *made = run.result;
    else
        kn_least_squares_result_free(run.result);
    return status;
}
