// SPDX-License-Identifier: Apache-2.0
// Least squares on a device: one column after another, or in single precision many at once.
#include <koine/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "batch.h"
#include "device_vectors.h"

struct device_run {
    struct solve_run *run;
    struct device_vectors v;
    struct sparse_solver *solver;
    struct sparse_batch *batch;  // instead of `solver`, for `at_once` columns
    struct sparse_solver *plain; // for refinement, if `solver` has another stop; NULL: not created
};

static kn_status apply(void *own, bool transposed, kn_buffer *from, kn_buffer *to, kn_error *err)
{
    struct device_run *d = own;

    return d->batch ? ki_sparse_batch_apply(d->v.queue, d->batch, transposed, from, to, err)
                    : ki_sparse_solver_apply(d->v.queue, d->solver, transposed, from, to, err);
}

// A function of type solve_multiply.
static kn_status multiply(void *data, bool transposed, const double *from, double *to, kn_error *err)
{
    struct device_run *d = data;

    return ki_device_multiply(&d->v, apply, d, transposed, from, to, err);
}

static struct cgnr_options options_of(const struct solve_run *run, size_t column)
{
    const kn_least_squares_options *task = &run->task;
    size_t rows = run->matrix->rows;
    double right = ki_solve_norm(run->b + column * rows, rows), goal = ki_solve_goal(run, column);
    bool printed = task->method == KN_LEAST_SQUARES_PRINTED; // runs all its iterations
    struct cgnr_options options = {.iterations = task->iterations,
                                   .gradient = run->past_floor || printed ? -1 : 0,
                                   .printed = printed,
                                   .white = task->stop == KN_LEAST_SQUARES_STOP_NCP,
                                   .residual = right > 0 ? goal / right : 0,
                                   .lambda = task->lambda,
                                   .smooth = task->smooth,
                                   .order = task->order,
                                   .correction = task->correction,
                                   .weight = task->correction ? task->weight : 0,
                                   .progress = task->iteration_progress,
                                   .progress_data = task->progress_data};

    if (task->bounded) {
        options.penalty = task->weight;
        options.low = task->low;
        options.high = task->high;
    }
    return options;
}

static kn_status create_solver(const struct device_run *d, const struct cgnr_options *options,
                               struct sparse_solver **solver, kn_error *err)
{
    const kn_least_squares_options *task = &d->run->task;
    const struct sparse_storage storage = {.format = task->format,
                                           .tuning = {.is_double = task->type == KN_F64}};

    return d->run->geometry
               ? ki_sparse_solver_create_parallel(d->v.queue, d->run->geometry, &storage, options, solver,
                                                  err)
               : ki_sparse_solver_create(d->v.queue, d->run->matrix, &storage, options, solver, err);
}

static kn_status create_for_column(struct device_run *d, size_t column, kn_error *err)
{
    const struct cgnr_options options = options_of(d->run, column);

    return create_solver(d, &options, &d->solver, err);
}

static kn_status create_batch(struct solve_run *run, struct device_run *d, kn_error *err)
{
    size_t count = run->count, most = ki_device_most_at_once(run);
    const struct sparse_batch_options options = {.solver = options_of(run, 0),
                                                 .at_once = count < most ? count : most};
    kn_status status = ki_sparse_batch_create(d->v.queue, run->matrix, &options, &d->batch, err);

    if (!status)
        d->v.at_once = ki_sparse_batch_at_once(d->batch);
    return status;
}

static void say_code(struct solve_run *run, const struct device_run *d)
{
    char *code = run->result->code;
    size_t size = sizeof run->result->code;
    const char *scaled = run->unscaled_matrix ? ", columns scaled" : "";

    if (d->batch)
        snprintf(code, size, "single precision, %u right-hand sides side by side, %s%s",
                 ki_sparse_batch_images(d->batch),
                 ki_sparse_batch_is_whole(d->batch)   ? "many iterations a launch"
                 : ki_sparse_batch_is_tiled(d->batch) ? "A and A^T by tiles of rows"
                                                      : "separate launches",
                 scaled);
    else
        snprintf(code, size, "%s precision, A as %s, A^T as %s, %s launches%s%s%s",
                 run->task.type == KN_F64 ? "double" : "single",
                 ki_sparse_format_names[ki_sparse_solver_format(d->solver, false)],
                 ki_sparse_format_names[ki_sparse_solver_format(d->solver, true)],
                 ki_sparse_solver_is_fused(d->solver) ? "fused" : "separate",
                 run->task.method == KN_LEAST_SQUARES_PRINTED ? ", A and A^T twice" : "",
                 ki_device_recorded(ki_cgnr_recording(ki_sparse_solver_cgnr(d->solver))), scaled);
}

static kn_status prepare(struct solve_run *run, struct device_run *d, kn_error *err)
{
    double start = ki_clock_seconds(), built = ki_device_build_seconds(&d->v);
    kn_status status = ki_device_is_batch(run) ? create_batch(run, d, err) : create_for_column(d, 0, err);

    if (!status)
        status = ki_device_vectors_create(&d->v, run->task.type == KN_F64, err);
    if (!status)
        status = kn_queue_finish(d->v.queue, err);
    run->result->prepare_seconds = ki_clock_seconds() - start - (ki_device_build_seconds(&d->v) - built);
    if (!status)
        say_code(run, d);
    return status;
}

// A solver whose iterations stop only at the gradient.
static kn_status get_plain(struct device_run *d, struct sparse_solver **plain, kn_error *err)
{
    const struct solve_run *run = d->run;
    struct cgnr_options options = options_of(run, 0);
    kn_status status = KN_OK;

    *plain = d->solver;
    if (!options.printed && !options.white && run->task.stop == KN_LEAST_SQUARES_STOP_FIXED)
        return KN_OK;
    options.printed = options.white = false;
    options.residual = options.gradient = 0;
    if (!d->plain)
        status = create_solver(d, &options, &d->plain, err);
    *plain = d->plain;
    return status;
}

static kn_status take_trace(struct solve_run *run, const struct cgnr_result *result, size_t column,
                            kn_error *err)
{
    struct solve_trace *trace = &run->traces[column];
    kn_status status = ki_solve_trace_make(run, column, result->iterations, err);

    for (size_t i = 0; i <= trace->count && !status; i++) {
        trace->gradients[i] = result->history[i] * result->gradient;
        trace->steps[i] = result->steps[i];
    }
    return status;
}

// For the loop as printed, which recomputes each gradient from x: near rounding, these gradients no longer
// belong to one matrix T_k (accuracy.h), so that its copies do not show the lag. Takes the trace of the loop
// by recurrence instead, which lags as far behind.
static kn_status take_plain_trace(struct solve_run *run, struct device_run *d, size_t column, kn_error *err)
{
    const double *x = run->x + column * d->v.columns;
    struct cgnr_result result = {.history = NULL};
    struct sparse_solver *plain;
    kn_status status = get_plain(d, &plain, err);

    if (!status)
        status =
            ki_cgnr_solve(d->v.queue, ki_sparse_solver_cgnr(plain), d->v.b, d->v.x, d->v.x, &result, err);
    if (!status)
        status = take_trace(run, &result, column, err);
    free(result.history);
    return status ? status : ki_device_send(&d->v, x, d->v.columns, d->v.x, err);
}

static kn_status take_result(struct solve_run *run, const struct cgnr_result *result, size_t column,
                             kn_error *err)
{
    static const kn_least_squares_stopped reasons[] = {
        [CGNR_STOPPED_ITERATIONS] = KN_LEAST_SQUARES_STOPPED_ITERATIONS,
        [CGNR_STOPPED_GRADIENT] = KN_LEAST_SQUARES_STOPPED_FLOOR,
        [CGNR_STOPPED_RESIDUAL] = KN_LEAST_SQUARES_STOPPED_RESIDUAL,
        [CGNR_STOPPED_CURVATURE] = KN_LEAST_SQUARES_STOPPED_CURVATURE,
        [CGNR_STOPPED_WHITENESS] = KN_LEAST_SQUARES_STOPPED_NCP,
        [CGNR_STOPPED_NOISE] = KN_LEAST_SQUARES_STOPPED_DISCREPANCY};
    kn_least_squares_solution *solution = &run->result->solutions[column];

    solution->iterations = result->iterations;
    solution->normal_residual = result->normal_residual;
    run->result->histories[column] = result->history;
    solution->stopped = reasons[result->stopped];
    if (result->stopped == CGNR_STOPPED_RESIDUAL && run->task.stop == KN_LEAST_SQUARES_STOP_DISCREPANCY)
        solution->stopped = KN_LEAST_SQUARES_STOPPED_DISCREPANCY;
    run->result->launches_per_iteration = result->launches_per_iteration;
    run->result->history_is_normal = true;
    return run->traces[column].gradients ? KN_OK : take_trace(run, result, column, err);
}

static kn_status solve_column(struct solve_run *run, struct device_run *d, size_t column, kn_error *err)
{
    double *x = run->x + column * d->v.columns, start;
    struct cgnr_result result;
    kn_status status = KN_OK;

    // The solver takes its goal as a fraction of |b|, which is the same for all columns, except with noise.
    if (column > 0 && run->task.stop == KN_LEAST_SQUARES_STOP_DISCREPANCY) {
        ki_sparse_solver_free(d->solver);
        d->solver = NULL;
        status = create_for_column(d, column, err);
    }
    start = ki_clock_seconds();
    if (!status)
        status = ki_device_send(&d->v, run->b + column * d->v.rows, d->v.rows, d->v.b, err);
    if (!status)
        status = ki_device_send(&d->v, x, d->v.columns, d->v.x, err);
    run->result->copy_seconds += ki_clock_seconds() - start;
    if (!status && run->task.method == KN_LEAST_SQUARES_PRINTED && !run->past_floor &&
        run->task.type == KN_F32)
        status = take_plain_trace(run, d, column, err);
    if (!status)
        status =
            ki_cgnr_solve(d->v.queue, ki_sparse_solver_cgnr(d->solver), d->v.b, d->v.x, d->v.x, &result, err);
    if (status)
        return status;
    status = take_result(run, &result, column, err);
    run->result->iterate_seconds += result.seconds;
    start = ki_clock_seconds();
    if (!status)
        status = ki_device_fetch(&d->v, d->v.x, x, d->v.columns, err);
    run->result->copy_seconds += ki_clock_seconds() - start;
    return status;
}

// Solves columns from `first` on, as many as are in memory together, or all that are left.
static kn_status solve_together(struct solve_run *run, struct device_run *d, size_t first, size_t count,
                                kn_error *err)
{
    double *x = run->x + first * d->v.columns, start = ki_clock_seconds();
    struct cgnr_result *results = calloc(count, sizeof *results);
    kn_status status = results ? KN_OK : ki_fail_memory(err, count * sizeof *results, "solutions");

    if (!status)
        status = ki_device_send(&d->v, run->b + first * d->v.rows, count * d->v.rows, d->v.b, err);
    if (!status)
        status = ki_device_send(&d->v, x, count * d->v.columns, d->v.x, err);
    run->result->copy_seconds += ki_clock_seconds() - start;
    if (!status)
        status = ki_sparse_batch_solve(d->v.queue, d->batch, d->v.b, count, d->v.x, results, err);
    if (!status)
        run->result->iterate_seconds += results[0].seconds;
    for (size_t i = 0; i < count; i++) {
        kn_status taken =
            results && results[i].history ? take_result(run, &results[i], first + i, err) : KN_OK;

        status = status ? status : taken;
    }
    start = ki_clock_seconds();
    if (!status)
        status = ki_device_fetch(&d->v, d->v.x, x, count * d->v.columns, err);
    run->result->copy_seconds += ki_clock_seconds() - start;
    free(results);
    return status;
}

// ---- refinement, for the accuracy ----

static kn_status go_on(struct device_run *d, size_t count, kn_error *err)
{
    struct cgnr_result *results = calloc(count, sizeof *results);
    struct sparse_solver *plain = NULL;
    kn_status status = results ? KN_OK : ki_fail_memory(err, count * sizeof *results, "the accuracy");

    if (!status && !d->batch)
        status = get_plain(d, &plain, err);
    if (!status)
        status = d->batch
                     ? ki_sparse_batch_go_on(d->v.queue, d->batch, d->v.gradient, count, d->v.x, results, err)
                     : ki_cgnr_go_on(d->v.queue, ki_sparse_solver_cgnr(plain), d->v.gradient, d->v.x, results,
                                     err);
    for (size_t i = 0; i < count && !status; i++)
        free(results[i].history);
    free(results);
    return status;
}

// A function of type solve_refine.
static kn_status refine(void *data, size_t first, size_t count, const double *gradients, double *x,
                        kn_error *err)
{
    struct device_run *d = data;
    kn_status status = ki_device_send_gradients(&d->v, gradients, count, err);

    (void)first;
    if (!status)
        status = ki_device_send(&d->v, x, count * d->v.columns, d->v.x, err);
    if (!status)
        status = go_on(d, count, err);
    return status ? status : ki_device_fetch(&d->v, d->v.x, x, count * d->v.columns, err);
}

static void drop(struct device_run *d)
{
    ki_sparse_solver_free(d->solver);
    ki_sparse_solver_free(d->plain);
    ki_sparse_batch_free(d->batch);
    ki_device_vectors_free(&d->v);
}

kn_status ki_solve_device(struct solve_run *run, kn_error *err)
{
    struct device_run d = {.run = run, .v = ki_device_vectors(run, 1)};
    size_t count = run->count;
    kn_status status = prepare(run, &d, err);

    if (!status)
        status = ki_solve_adjoint(run, multiply, &d, run->task.type == KN_F64 ? 0x1p-53 : 0x1p-24, err);
    for (size_t i = 0, some; i < count && !status; i += some) {
        some = count - i < d.v.at_once ? count - i : d.v.at_once;
        status = d.batch ? solve_together(run, &d, i, some, err) : solve_column(run, &d, i, err);
        if (!status)
            status = ki_solve_done(run, i + some, err);
    }
    if (!status && run->task.type == KN_F32)
        status = ki_solve_accuracy(run, refine, &d, d.v.at_once, err);
    drop(&d);
    return status;
}
