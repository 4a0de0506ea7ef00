// SPDX-License-Identifier: Apache-2.0
// koine/least_squares.h: checks a task and its options, and fills in defaults.
#include <math.h>
#include <stdlib.h>

#include "app/sparse/api/operator_internal.h"
#include "app/sparse/api/sparse_internal.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "solve_internal.h"

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

// ---- checks ----

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
    const bool printed = task->method == KN_LEAST_SQUARES_PRINTED, fbp = task->method == KN_LEAST_SQUARES_FBP;
    const bool host = !on_device, holds = kn_least_squares_method_holds_bounds(task->method);
    const struct {
        bool asked;
        const char *reason;
    } refused[] = {
        {holds && task->correction,
         "a correction is only for cgnr and printed; fista, bb, sirt and tv keep bounds exactly"},
        {task->method == KN_LEAST_SQUARES_SIRT && (task->lambda > 0 || task->smooth > 0),
         "sirt has neither lambda nor smooth; fista and bb have"},
        {fbp && !rays, "fbp filters the projections of a tomography geometry; a matrix has none"},
        {fbp && (task->lambda > 0 || task->smooth > 0 || task->bounded || task->correction),
         "fbp has neither lambda nor smooth, bounds or a correction; its filter suppresses noise"},
        {fbp && task->stop != KN_LEAST_SQUARES_STOP_FIXED, "fbp has no iterations to stop"},
        {!fbp && task->filter, "filters are only for fbp"},
        {task->method == KN_LEAST_SQUARES_TV && task->smooth > 0,
         "tv has no smooth; its lambda weighs the total variation"},
        {on_device && task->type == KN_F64 && ki_solve_single_alone(task),
         "devices have this method, rule or format in single precision alone"},
        {on_device && gram && rays, "gram wants the matrix of a geometry on the host; leave the device out"},
        {on_device && task->preconditioner == KN_LEAST_SQUARES_ILU,
         "incomplete LU factors are the host's alone; devices have jacobi"},
        {on_device && task->preconditioner && rays,
         "on devices jacobi is for a matrix, whose columns it scales; the host has it for a geometry"},
        {on_device && task->preconditioner &&
             (task->lambda > 0 || task->smooth > 0 || task->bounded || task->correction),
         "on devices jacobi is for |A x - b|^2 alone; the host has it with lambda, smooth and a penalty"},
        {on_device && task->bounded && task->correction,
         "a penalty for bounds and a correction of its own; write both in one"},
        {host && !cgnr && !fbp && task->type == KN_F32,
         "the host has single precision for cgnr and fbp alone"},
        {host && task->correction,
         "a correction in OpenCL C wants a device: the host has no compiler for it"},
        {host && task->format != KN_SPARSE_AUTO && task->format != KN_SPARSE_SELL &&
             task->format != KN_SPARSE_SIMPLE,
         "the host has the formats sell and simple (rows); the others want a device"},
        {!cgnr && !((printed || holds) && on_device) && task->format != KN_SPARSE_AUTO,
         "formats are a choice of cgnr's, and on devices of all methods but gram and fbp; the others have "
         "one"},
        {!cgnr && task->preconditioner, "preconditioners are only for cgnr"},
        {gram && task->bounded,
         "gram has no bounds; fista, bb, sirt and tv hold them, and with cgnr they are a penalty"},
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

// fbp minimises nothing, and sirt has weights of its own.
static kn_status check_weighted(const struct solve_run *run, kn_error *err)
{
    const kn_least_squares_method method = run->task.method;

    if (run->weights && (method == KN_LEAST_SQUARES_FBP || method == KN_LEAST_SQUARES_SIRT))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s has no weights of measurements; cgnr, printed, fista, bb, gram and tv have",
                       kn_least_squares_method_name(method));
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
    if (!kn_tomography_filter_name(task->filter))
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no filter %d; see kn_tomography_filter",
                       (int)task->filter);
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

// Double precision if it is supported; devices compute the weights of a geometry in single precision.
static kn_status take_type(struct solve_run *run, kn_error *err)
{
    kn_least_squares_options *task = &run->task;
    const kn_device_info *info = run->queue ? kn_context_get_device(kn_queue_get_context(run->queue)) : NULL;

    if (task->type == 0)
        task->type =
            !info || (info->fp64 && !run->geometry && !ki_solve_single_alone(task)) ? KN_F64 : KN_F32;
    if (info && task->type == KN_F64 && !info->fp64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) has no double precision", info->spec, info->name);
    return KN_OK;
}

// The elements of x along each axis, at least 1; without a shape, those of the picture of a geometry.
static kn_status settle_shape(struct solve_run *run, kn_error *err)
{
    size_t *shape = run->task.shape, columns = run->matrix->columns, pixels = 1;
    bool fits = true;

    if (run->task.method != KN_LEAST_SQUARES_TV)
        return KN_OK;
    if (!shape[0] && !shape[1] && !shape[2] && run->geometry)
        shape[0] = shape[1] = run->geometry->size;
    if (!shape[0] && !shape[1] && !shape[2])
        return ki_fail(err, KN_ERROR_ARGUMENT, "tv wants the shape of x: its width, height and depth");
    for (size_t i = 0; i < KI_COUNT(run->task.shape); i++) {
        shape[i] = shape[i] ? shape[i] : 1;
        fits = fits && pixels <= columns / shape[i];
        pixels *= fits ? shape[i] : 1;
    }
    if (fits && pixels == columns)
        return KN_OK;
    return ki_fail(err, KN_ERROR_ARGUMENT, "a shape of %zu x %zu x %zu, and A has %zu columns", shape[0],
                   shape[1], shape[2], columns);
}

static kn_status check_options(struct solve_run *run, kn_error *err)
{
    kn_status status = check_choices(&run->task, err);

    settle(&run->task);
    if (!status)
        status = check_numbers(&run->task, err);
    if (!status)
        status = settle_shape(run, err);
    if (!status)
        status = take_type(run, err);
    if (!status)
        status = check_support(&run->task, run->queue != NULL, run->geometry != NULL, err);
    return status ? status : check_weighted(run, err);
}

// ---- the task ----

static kn_status read_task(const char *function, const kn_least_squares_task *given,
                           kn_least_squares_task *task, kn_error *err)
{
    kn_status status = KI_SIZED_READ(function, kn_least_squares_task, given, task, err);

    if (status)
        return status;
    if (!given || (!task->matrix && !task->geometry))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s NULL", given ? "matrix and geometry are" : "task is");
    if (task->matrix && task->geometry)
        return ki_fail(err, KN_ERROR_ARGUMENT, "matrix and geometry are both given; expected one of them");
    if (task->count == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there are no right-hand sides: count is 0");
    return KN_OK;
}

static kn_status read_options(const char *function, struct solve_run *run,
                              const kn_least_squares_options *options, kn_error *err)
{
    kn_status status = KI_SIZED_READ(function, kn_least_squares_options, options, &run->task, err);

    if (!status && !options)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "options is NULL; they have to say how many iterations there are");
    run->past_floor = !status && run->task.tuning && run->task.tuning->past_floor;
    return status;
}

// Takes only the sizes of a geometry.
static kn_status take_matrix(const char *function, const kn_least_squares_task *task, struct solve_run *run,
                             kn_error *err)
{
    kn_status status;

    if (task->matrix) {
        run->matrix = &task->matrix->matrix;
        return KN_OK;
    }
    status = ki_sparse_read_geometry(function, task->geometry, &run->own_geometry, err);
    if (status)
        return status;
    run->geometry = &run->own_geometry;
    run->matrix = &run->own_matrix;
    run->own_matrix.rows = ki_sparse_parallel_rows(run->geometry);
    run->own_matrix.columns = ki_sparse_parallel_columns(run->geometry);
    return KN_OK;
}

static kn_status check_count(const struct solve_run *run, kn_error *err)
{
    size_t longest = run->matrix->rows > run->matrix->columns ? run->matrix->rows : run->matrix->columns;

    longest = longest > run->task.iterations ? longest : run->task.iterations;
    if (run->count > SIZE_MAX / sizeof(double) / 8 / (longest + 1))
        return ki_fail(err, KN_ERROR_LIMIT, "%zu right-hand sides; memory has no addresses for them",
                       run->count);
    return KN_OK;
}

kn_status ki_solve_begin(const char *function, const kn_least_squares_task *given,
                         const kn_least_squares_options *options, struct solve_run *run, kn_error *err)
{
    kn_least_squares_task task;
    kn_status status = read_task(function, given, &task, err);

    if (!status)
        status = read_options(function, run, options, err);
    if (status)
        return status;
    run->b = task.b;
    run->weights = task.weights;
    run->count = task.count;
    status = take_matrix(function, &task, run, err);
    if (!status)
        status = check_options(run, err);
    return status ? status : check_count(run, err);
}

void ki_solve_end(struct solve_run *run)
{
    ki_sparse_free(&run->own_matrix);
    ki_sparse_free(&run->own_transposed);
    free(run->factors);
    free(run->weighted_b);
    free(run->weighted_values);
    free(run->lengths);
    free(run->scaled_values);
    free(run->scaled_start);
    ki_sparse_parallel_free(&run->own_geometry);
}
