// SPDX-License-Identifier: Apache-2.0
// Least squares on a device: a column after the other, or in single precision many at once.
#include <koine/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "batch.h"
#include "gram_device.h"
#include "app/sparse/api/operator_internal.h"
#include "app/sparse/solver/host/host_solve.h"
#include "app/sparse/solver/solve_internal.h"
#include "operator/bounded/bounded.h"
#include "operator/bounded/limits.h"

enum { MOST_AT_ONCE = 128, BLOCK = 32 }; // columns

struct device_run {
    struct solve_run *run;
    kn_queue *queue;
    struct sparse_solver *solver;
    struct sparse_batch *batch;      // in its place, for `at_once` columns
    struct sparse_gram_device *gram; // in the place of both
    kn_operator *a;                  // within bounds that hold, in the place of all
    struct bounded *bounded;         // on it
    struct sparse_solver *plain;     // for going on, where `solver` stops otherwise; NULL: not made
    size_t rows, columns, at_once;
    kn_buffer *b, *x, *gradient;
    size_t size;   // of a number there
    float *floats; // as many as the longer of both; NULL in double precision
};

static kn_status send(struct device_run *d, const double *from, size_t count, kn_buffer *to, kn_error *err)
{
    if (!d->floats)
        return kn_buffer_write(d->queue, to, 0, from, count * sizeof *from, err);
    for (size_t i = 0; i < count; i++)
        d->floats[i] = (float)from[i];
    return kn_buffer_write(d->queue, to, 0, d->floats, count * sizeof *d->floats, err);
}

static kn_status fetch(struct device_run *d, kn_buffer *from, double *to, size_t count, kn_error *err)
{
    kn_status status;

    if (!d->floats)
        return kn_buffer_read(d->queue, from, 0, to, count * sizeof *to, err);
    status = kn_buffer_read(d->queue, from, 0, d->floats, count * sizeof *d->floats, err);
    for (size_t i = 0; i < count && !status; i++)
        to[i] = (double)d->floats[i];
    return status;
}

static kn_status multiply(void *data, bool transposed, const double *from, double *to, kn_error *err)
{
    struct device_run *d = data;
    kn_buffer *source = transposed ? d->b : d->x, *target = transposed ? d->x : d->b;
    kn_status status = send(d, from, transposed ? d->rows : d->columns, source, err);

    if (!status)
        status = d->a       ? ki_operator_apply(d->a, d->queue, transposed, source, target, err)
                 : d->gram  ? ki_sparse_gram_device_apply(d->queue, d->gram, transposed, source, target, err)
                 : d->batch ? ki_sparse_batch_apply(d->queue, d->batch, transposed, source, target, err)
                            : ki_sparse_solver_apply(d->queue, d->solver, transposed, source, target, err);
    return status ? status : fetch(d, target, to, transposed ? d->columns : d->rows, err);
}

// Columns that the device has room for at once (batch.h), in whole blocks, or 0.
static size_t most_at_once(const struct solve_run *run)
{
    const kn_device_info *info = kn_context_get_device(kn_queue_get_context(run->queue));
    size_t rows = run->matrix->rows, columns = run->matrix->columns, iterations = run->task.iterations;
    uint64_t longest = rows > columns ? rows : columns, all = 4 * (uint64_t)columns + 2 * rows, most;

    longest = (longest > 4 * iterations ? longest : 4 * iterations) + 1;
    most = info->max_alloc / sizeof(float) / longest;
    if (most > info->global_memory / 2 / sizeof(float) / (all + 1))
        most = info->global_memory / 2 / sizeof(float) / (all + 1);
    return most < MOST_AT_ONCE ? (size_t)most / BLOCK * BLOCK : MOST_AT_ONCE;
}

// Many columns at once have cgnr in single precision alone, no stop at a residual or by its whiteness, and
// matrices in one format.
static bool is_batch(const struct solve_run *run)
{
    return run->b->count > 1 && !run->task.is_double && !run->task.geometry &&
           run->task.format == KN_SPARSE_AUTO && run->task.method == SPARSE_METHOD_CGNR &&
           run->task.stop != SPARSE_STOP_NCP && ki_solve_goal(run, 0) <= 0 && most_at_once(run) > 1;
}

static struct cgnr_options options_of(const struct solve_run *run, size_t column)
{
    const struct sparse_task *task = &run->task;
    size_t rows = run->matrix->rows;
    double right = ki_solve_norm(run->b->values + column * rows, rows), goal = ki_solve_goal(run, column);
    bool printed = task->method == SPARSE_METHOD_PRINTED; // does all its iterations
    struct cgnr_options options = {.iterations = task->iterations,
                                   .gradient = task->past_floor || printed ? -1 : 0,
                                   .printed = printed,
                                   .white = task->stop == SPARSE_STOP_NCP,
                                   .residual = right > 0 ? goal / right : 0,
                                   .lambda = task->lambda,
                                   .smooth = task->smooth,
                                   .order = task->order,
                                   .correction = task->correction,
                                   .weight = task->correction ? task->weight : 0};

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
    const struct sparse_task *task = &d->run->task;
    const struct sparse_storage storage = {.format = task->format, .tuning = {.is_double = task->is_double}};

    return task->geometry
               ? ki_sparse_solver_create_parallel(d->queue, task->geometry, &storage, options, solver, err)
               : ki_sparse_solver_create(d->queue, d->run->matrix, &storage, options, solver, err);
}

static kn_status create_for_column(struct device_run *d, size_t column, kn_error *err)
{
    const struct cgnr_options options = options_of(d->run, column);

    return create_solver(d, &options, &d->solver, err);
}

static kn_status create_batch(struct solve_run *run, struct device_run *d, kn_error *err)
{
    size_t count = run->b->count, most = most_at_once(run);
    const struct sparse_batch_options options = {.solver = options_of(run, 0),
                                                 .at_once = count < most ? count : most};
    kn_status status = ki_sparse_batch_create(d->queue, run->matrix, &options, &d->batch, err);

    if (!status)
        d->at_once = ki_sparse_batch_at_once(d->batch);
    return status;
}

// Of blocks of iterations, where the device has more for them than launches.
static const char *recorded(const kn_recording *recording)
{
    return !recording                                                       ? ""
           : kn_recording_get_way(recording) == KN_RECORDING_GRAPH          ? " in graphs"
           : kn_recording_get_way(recording) == KN_RECORDING_COMMAND_BUFFER ? " in command buffers"
                                                                            : "";
}

static void say_code(struct solve_run *run, const struct device_run *d)
{
    char *code = run->answer->code;
    size_t size = sizeof run->answer->code;

    if (d->batch)
        snprintf(code, size, "single precision, %u right-hand sides side by side, %s",
                 ki_sparse_batch_images(d->batch),
                 ki_sparse_batch_is_whole(d->batch)   ? "many iterations a launch"
                 : ki_sparse_batch_is_tiled(d->batch) ? "A and A^T by tiles of rows"
                                                      : "separate launches");
    else
        snprintf(code, size, "%s precision, A as %s, A^T as %s, %s launches%s%s",
                 run->task.is_double ? "double" : "single",
                 ki_sparse_format_names[ki_sparse_solver_format(d->solver, false)],
                 ki_sparse_format_names[ki_sparse_solver_format(d->solver, true)],
                 ki_sparse_solver_is_fused(d->solver) ? "fused" : "separate",
                 run->task.method == SPARSE_METHOD_PRINTED ? ", A and A^T twice" : "",
                 recorded(ki_cgnr_recording(ki_sparse_solver_cgnr(d->solver))));
}

static kn_status create_vectors(struct device_run *d, kn_error *err)
{
    kn_context *context = kn_queue_get_context(d->queue);
    size_t most = (d->rows > d->columns ? d->rows : d->columns) * d->at_once;
    kn_status status = KN_OK;

    d->size = d->run->task.is_double ? sizeof(double) : sizeof(float);
    if (!d->run->task.is_double) {
        d->floats = malloc((most + 1) * sizeof *d->floats);
        if (!d->floats)
            status = ki_fail_memory(err, most * sizeof *d->floats, "the solver");
    }
    if (!status)
        status = kn_buffer_create(context, (d->rows * d->at_once + 1) * d->size, &d->b, err);
    return status ? status : kn_buffer_create(context, (d->columns * d->at_once + 1) * d->size, &d->x, err);
}

static double build_seconds(const struct device_run *d)
{
    return kn_context_get_build_seconds(kn_queue_get_context(d->queue));
}

static kn_status prepare(struct solve_run *run, struct device_run *d, kn_error *err)
{
    double start = ki_clock_seconds(), built;
    kn_status status;

    d->queue = run->queue;
    built = build_seconds(d);
    d->rows = run->matrix->rows;
    d->columns = run->matrix->columns;
    d->at_once = 1;
    status = is_batch(run) ? create_batch(run, d, err) : create_for_column(d, 0, err);
    if (!status)
        status = create_vectors(d, err);
    if (!status)
        status = kn_queue_finish(d->queue, err);
    run->answer->prepare_seconds = ki_clock_seconds() - start - (build_seconds(d) - built);
    if (!status)
        say_code(run, d);
    return status;
}

// A solver whose iterations look at nothing but the gradient.
static kn_status get_plain(struct device_run *d, struct sparse_solver **plain, kn_error *err)
{
    const struct solve_run *run = d->run;
    struct cgnr_options options = options_of(run, 0);
    kn_status status = KN_OK;

    *plain = d->solver;
    if (!options.printed && !options.white && run->task.stop == SPARSE_STOP_FIXED)
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

// Of the loop as it is printed: its gradients, each anew from x, are no longer those of one matrix T_k
// (accuracy.h) as they come near rounding, so that its copies do not tell. The trace is that of the
// recurrence, which lags as far behind.
static kn_status take_plain_trace(struct solve_run *run, struct device_run *d, size_t column, kn_error *err)
{
    const double *x = run->answer->x.values + column * d->columns;
    struct cgnr_result result = {.history = NULL};
    struct sparse_solver *plain;
    kn_status status = get_plain(d, &plain, err);

    if (!status)
        status = ki_cgnr_solve(d->queue, ki_sparse_solver_cgnr(plain), d->b, d->x, d->x, &result, err);
    if (!status)
        status = take_trace(run, &result, column, err);
    free(result.history);
    return status ? status : send(d, x, d->columns, d->x, err);
}

static kn_status take_result(struct solve_run *run, const struct cgnr_result *result, size_t column,
                             kn_error *err)
{
    static const char *const reasons[] = {
        [CGNR_STOPPED_ITERATIONS] = "iterations", [CGNR_STOPPED_GRADIENT] = "floor",
        [CGNR_STOPPED_RESIDUAL] = "residual",     [CGNR_STOPPED_CURVATURE] = "curvature",
        [CGNR_STOPPED_WHITENESS] = "ncp",         [CGNR_STOPPED_NOISE] = "discrepancy"};
    struct sparse_solution *solution = &run->answer->solutions[column];

    solution->iterations = result->iterations;
    solution->normal_residual = result->normal_residual;
    solution->history = result->history;
    solution->stopped_by = reasons[result->stopped];
    if (result->stopped == CGNR_STOPPED_RESIDUAL && run->task.stop == SPARSE_STOP_DISCREPANCY)
        solution->stopped_by = "discrepancy";
    run->answer->launches_per_iteration = result->launches_per_iteration;
    run->answer->history_is_normal = true;
    return run->traces[column].gradients ? KN_OK : take_trace(run, result, column, err);
}

static kn_status solve_column(struct solve_run *run, struct device_run *d, size_t column, kn_error *err)
{
    double *x = run->answer->x.values + column * d->columns, start;
    struct cgnr_result result;
    kn_status status = KN_OK;

    // The solver takes its goal as a part of |b|: one for all, but for noise.
    if (column > 0 && run->task.stop == SPARSE_STOP_DISCREPANCY) {
        ki_sparse_solver_free(d->solver);
        d->solver = NULL;
        status = create_for_column(d, column, err);
    }
    start = ki_clock_seconds();
    if (!status)
        status = send(d, run->b->values + column * d->rows, d->rows, d->b, err);
    if (!status)
        status = send(d, x, d->columns, d->x, err);
    run->answer->copy_seconds += ki_clock_seconds() - start;
    if (!status && run->task.method == SPARSE_METHOD_PRINTED && !run->task.past_floor && !run->task.is_double)
        status = take_plain_trace(run, d, column, err);
    if (!status)
        status = ki_cgnr_solve(d->queue, ki_sparse_solver_cgnr(d->solver), d->b, d->x, d->x, &result, err);
    if (status)
        return status;
    status = take_result(run, &result, column, err);
    run->answer->iterate_seconds += result.seconds;
    start = ki_clock_seconds();
    if (!status)
        status = fetch(d, d->x, x, d->columns, err);
    run->answer->copy_seconds += ki_clock_seconds() - start;
    return status;
}

// Columns from `first` on, as many as are at once in memory, or as are left.
static kn_status solve_together(struct solve_run *run, struct device_run *d, size_t first, size_t count,
                                kn_error *err)
{
    double *x = run->answer->x.values + first * d->columns, start = ki_clock_seconds();
    struct cgnr_result *results = calloc(count, sizeof *results);
    kn_status status = results ? KN_OK : ki_fail_memory(err, count * sizeof *results, "solutions");

    if (!status)
        status = send(d, run->b->values + first * d->rows, count * d->rows, d->b, err);
    if (!status)
        status = send(d, x, count * d->columns, d->x, err);
    run->answer->copy_seconds += ki_clock_seconds() - start;
    if (!status)
        status = ki_sparse_batch_solve(d->queue, d->batch, d->b, count, d->x, results, err);
    if (!status)
        run->answer->iterate_seconds += results[0].seconds;
    for (size_t i = 0; i < count; i++) {
        kn_status taken =
            results && results[i].history ? take_result(run, &results[i], first + i, err) : KN_OK;

        status = status ? status : taken;
    }
    start = ki_clock_seconds();
    if (!status)
        status = fetch(d, d->x, x, count * d->columns, err);
    run->answer->copy_seconds += ki_clock_seconds() - start;
    free(results);
    return status;
}

// ---- once more, for the accuracy ----

static kn_status go_on(struct device_run *d, size_t count, kn_error *err)
{
    struct cgnr_result *results = calloc(count, sizeof *results);
    struct sparse_solver *plain = NULL;
    kn_status status = results ? KN_OK : ki_fail_memory(err, count * sizeof *results, "the accuracy");

    if (!status && !d->batch)
        status = get_plain(d, &plain, err);
    if (!status)
        status = d->batch
                     ? ki_sparse_batch_go_on(d->queue, d->batch, d->gradient, count, d->x, results, err)
                     : ki_cgnr_go_on(d->queue, ki_sparse_solver_cgnr(plain), d->gradient, d->x, results, err);
    for (size_t i = 0; i < count && !status; i++)
        free(results[i].history);
    free(results);
    return status;
}

// x -= G^-1 g.
static kn_status correct(struct device_run *d, size_t count, double *x, kn_error *err)
{
    double *step_back = malloc((count * d->columns + 1) * sizeof *step_back);
    kn_status status = step_back
                           ? ki_sparse_gram_device_inverse(d->queue, d->gram, d->gradient, count, d->x, err)
                           : ki_fail_memory(err, count * d->columns * sizeof *step_back, "the accuracy");

    if (!status)
        status = fetch(d, d->x, step_back, count * d->columns, err);
    for (size_t i = 0; i < count * d->columns && !status; i++)
        x[i] -= step_back[i];
    free(step_back);
    return status;
}

// A solve_refine.
static kn_status refine(void *data, size_t first, size_t count, const double *gradients, double *x,
                        kn_error *err)
{
    struct device_run *d = data;
    kn_status status = KN_OK;

    (void)first;
    if (!d->gradient)
        status = kn_buffer_create(kn_queue_get_context(d->queue),
                                  (d->columns * d->at_once + 1) * sizeof *d->floats, &d->gradient, err);
    if (!status)
        status = send(d, gradients, count * d->columns, d->gradient, err);
    if (!status && d->gram)
        return correct(d, count, x, err);
    if (!status)
        status = send(d, x, count * d->columns, d->x, err);
    if (!status)
        status = go_on(d, count, err);
    return status ? status : fetch(d, d->x, x, count * d->columns, err);
}

static void drop(struct device_run *d)
{
    ki_sparse_solver_free(d->solver);
    ki_sparse_solver_free(d->plain);
    kn_buffer_free(d->gradient);
    ki_sparse_batch_free(d->batch);
    ki_sparse_gram_device_free(d->gram);
    ki_bounded_free(d->bounded);
    kn_operator_free(d->a);
    kn_buffer_free(d->b);
    kn_buffer_free(d->x);
    free(d->floats);
}

kn_status ki_solve_device(struct solve_run *run, kn_error *err)
{
    struct device_run d = {.run = run};
    size_t count = run->b->count;
    kn_status status = prepare(run, &d, err);

    if (!status)
        status = ki_solve_adjoint(run, multiply, &d, run->task.is_double ? 0x1p-53 : 0x1p-24, err);
    for (size_t i = 0, some; i < count && !status; i += some) {
        some = count - i < d.at_once ? count - i : d.at_once;
        status = d.batch ? solve_together(run, &d, i, some, err) : solve_column(run, &d, i, err);
        ki_solve_done(run, i + some);
    }
    if (!status && !run->task.is_double)
        status = ki_solve_accuracy(run, refine, &d, d.at_once, err);
    drop(&d);
    return status;
}

// ---- within bounds that hold ----

static kn_solve_method bounded_method(enum sparse_method method)
{
    return method == SPARSE_METHOD_BB     ? KN_SOLVE_BB
           : method == SPARSE_METHOD_SIRT ? KN_SOLVE_SIRT
                                          : KN_SOLVE_FISTA;
}

static kn_status create_bounded(struct solve_run *run, struct device_run *d, double *gradients,
                                double *residuals, kn_error *err)
{
    const struct sparse_task *task = &run->task;
    const struct sparse_source source = {task->geometry ? NULL : run->matrix, task->geometry};
    const kn_sparse_operator_options storage =
        KN_INIT(kn_sparse_operator_options, .format = task->format, .type = KN_F32);
    struct bounded_options options = {.method = bounded_method(task->method),
                                      .iterations = task->iterations,
                                      .low = task->bounded ? task->low : -INFINITY,
                                      .high = task->bounded ? task->high : INFINITY,
                                      .floor = task->past_floor ? 0 : 1e-7,
                                      .lambda = task->lambda,
                                      .smooth = task->smooth,
                                      .order = task->order,
                                      .gradients = gradients,
                                      .residuals = residuals};
    kn_status status = ki_bounded_limits(KN_F32, &options.low, &options.high, err);

    if (!status && options.method == KN_SOLVE_SIRT && source.matrix)
        status = ki_sparse_check_signs(source.matrix, err);
    if (!status)
        status = ki_sparse_make_operator("koine solve", d->queue, &source, &storage, &d->a, err);
    return status ? status : ki_bounded_create(d->queue, d->a, &options, &d->bounded, err);
}

static kn_status prepare_bounded(struct solve_run *run, struct device_run *d, double *gradients,
                                 double *residuals, kn_error *err)
{
    double start = ki_clock_seconds(), built = build_seconds(d);
    kn_status status = create_bounded(run, d, gradients, residuals, err);

    if (!status)
        status = create_vectors(d, err);
    if (!status)
        status = kn_queue_finish(d->queue, err);
    run->answer->prepare_seconds = ki_clock_seconds() - start - (build_seconds(d) - built);
    if (!status) {
        run->answer->launches_per_iteration = ki_bounded_launches(d->bounded);
        snprintf(run->answer->code, sizeof run->answer->code,
                 "single precision, A as %s, A^T as %s, separate launches%s",
                 ki_sparse_format_names[kn_sparse_operator_get_format(d->a, false)],
                 ki_sparse_format_names[kn_sparse_operator_get_format(d->a, true)],
                 recorded(ki_bounded_recording(d->bounded)));
    }
    return status;
}

static kn_status solve_bounded_column(struct solve_run *run, struct device_run *d, size_t column,
                                      const double *residuals, kn_error *err)
{
    static const char *const reasons[] = {[KN_SOLVE_STOPPED_ITERATIONS] = "iterations",
                                          [KN_SOLVE_STOPPED_NOISE] = "discrepancy",
                                          [KN_SOLVE_STOPPED_FLOOR] = "floor"};
    struct sparse_solution *solution = &run->answer->solutions[column];
    double *x = run->answer->x.values + column * d->columns, start = ki_clock_seconds();
    kn_solve_result result;
    kn_status status = ki_solve_history(run, &solution->history, err);

    ki_bounded_set_noise(d->bounded, ki_solve_goal(run, column));
    if (!status)
        status = send(d, run->b->values + column * d->rows, d->rows, d->b, err);
    if (!status)
        status = send(d, x, d->columns, d->x, err);
    if (!status)
        status = kn_queue_finish(d->queue, err);
    run->answer->copy_seconds += ki_clock_seconds() - start;
    start = ki_clock_seconds();
    if (!status)
        status = ki_bounded_solve(d->queue, d->bounded, d->b, d->x, &result, err);
    run->answer->iterate_seconds += ki_clock_seconds() - start;
    if (status)
        return status;
    for (size_t i = 0; i <= result.iterations; i++)
        solution->history[i] = result.right > 0 ? residuals[i] / result.right : residuals[i];
    solution->iterations = result.iterations;
    solution->stopped_by = result.stopped == KN_SOLVE_STOPPED_NOISE && run->task.stop == SPARSE_STOP_RESIDUAL
                               ? "residual"
                               : reasons[result.stopped];
    return fetch(d, d->x, x, d->columns, err);
}

kn_status ki_solve_bounded_device(struct solve_run *run, kn_error *err)
{
    struct device_run d = {.run = run,
                           .queue = run->queue,
                           .rows = run->matrix->rows,
                           .columns = run->matrix->columns,
                           .at_once = 1};
    size_t places = run->task.iterations + 1;
    double *gradients = calloc(places, 2 * sizeof *gradients), *residuals = gradients + places;
    kn_status status = gradients ? prepare_bounded(run, &d, gradients, residuals, err)
                                 : ki_fail_memory(err, places * 2 * sizeof *gradients, "the residuals");

    if (!status)
        status = ki_solve_adjoint(run, multiply, &d, 0x1p-24, err);
    for (size_t i = 0; i < run->b->count && !status; i++) {
        status = solve_bounded_column(run, &d, i, residuals, err);
        ki_solve_done(run, i + 1);
    }
    drop(&d);
    free(gradients);
    return status;
}

// ---- normal equations ----

// The host's factors, in double precision, and their inverse on the device.
static kn_status prepare_gram(struct solve_run *run, struct device_run *d, kn_error *err)
{
    struct sparse_gram *gram = NULL;
    double start = ki_clock_seconds(), built = build_seconds(d);
    kn_status status = ki_sparse_gram_create(run->matrix, &run->terms, &gram, err);

    if (!status)
        status = ki_sparse_gram_device_create(d->queue, run->matrix, gram, &d->gram, err);
    ki_sparse_gram_free(gram);
    if (!status)
        status = create_vectors(d, err);
    run->answer->prepare_seconds = ki_clock_seconds() - start - (build_seconds(d) - built);
    snprintf(run->answer->code, sizeof run->answer->code,
             "single precision, A^T b and G^-1 of Cholesky factors in double precision");
    return status;
}

static kn_status solve_by_gram(struct solve_run *run, struct device_run *d, size_t first, size_t count,
                               kn_error *err)
{
    struct sparse_answer *answer = run->answer;
    double start = ki_clock_seconds(), built = build_seconds(d);
    kn_status status = send(d, run->b->values + first * d->rows, count * d->rows, d->b, err);

    answer->copy_seconds += ki_clock_seconds() - start;
    start = ki_clock_seconds();
    if (!status)
        status = ki_sparse_gram_device_solve(d->queue, d->gram, d->b, count, d->x, err);
    if (!status)
        status = kn_queue_finish(d->queue, err);
    answer->iterate_seconds += ki_clock_seconds() - start - (build_seconds(d) - built);
    start = ki_clock_seconds();
    if (!status)
        status = fetch(d, d->x, answer->x.values + first * d->columns, count * d->columns, err);
    answer->copy_seconds += ki_clock_seconds() - start;
    for (size_t i = first; i < first + count; i++)
        answer->solutions[i].stopped_by = "direct";
    return status;
}

kn_status ki_solve_gram_device(struct solve_run *run, kn_error *err)
{
    size_t count = run->b->count, most = most_at_once(run);
    struct device_run d = {.run = run,
                           .queue = run->queue,
                           .rows = run->matrix->rows,
                           .columns = run->matrix->columns,
                           .at_once = count < most ? count
                                      : most > 0   ? most
                                                   : 1};
    kn_status status = prepare_gram(run, &d, err);

    if (!status)
        status = ki_solve_adjoint(run, multiply, &d, 0x1p-24, err);
    for (size_t i = 0, some; i < count && !status; i += some) {
        some = count - i < d.at_once ? count - i : d.at_once;
        status = solve_by_gram(run, &d, i, some, err);
        ki_solve_done(run, i + some);
    }
    if (!status)
        status = ki_solve_accuracy(run, refine, &d, d.at_once, err);
    drop(&d);
    return status;
}
