// SPDX-License-Identifier: Apache-2.0
// Least squares within bounds that hold exactly, on a device: one column after another, in single precision.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "device_vectors.h"
#include "app/sparse/api/operator_internal.h"
#include "app/sparse/solver/host/host_solve.h"
#include "operator/bounded/bounded.h"
#include "operator/bounded/limits.h"

struct device_run {
    struct device_vectors v;
    kn_operator *a;
    struct bounded *bounded; // on the operator
};

static kn_status apply(void *own, bool transposed, kn_buffer *from, kn_buffer *to, kn_error *err)
{
    struct device_run *d = own;

    return ki_operator_apply(d->a, d->v.queue, transposed, from, to, err);
}

// A function of type solve_multiply.
static kn_status multiply(void *data, bool transposed, const double *from, double *to, kn_error *err)
{
    struct device_run *d = data;

    return ki_device_multiply(&d->v, apply, d, transposed, from, to, err);
}

static kn_solve_method method_of(kn_least_squares_method method)
{
    return method == KN_LEAST_SQUARES_BB     ? KN_SOLVE_BB
           : method == KN_LEAST_SQUARES_SIRT ? KN_SOLVE_SIRT
           : method == KN_LEAST_SQUARES_TV   ? KN_SOLVE_TV
                                             : KN_SOLVE_FISTA;
}

static kn_status create(struct solve_run *run, struct device_run *d, double *gradients, double *residuals,
                        kn_error *err)
{
    const kn_least_squares_options *task = &run->task;
    const struct sparse_source source = {run->geometry ? NULL : run->matrix, run->geometry};
    const kn_sparse_operator_options storage =
        KN_INIT(kn_sparse_operator_options, .format = task->format, .type = KN_F32);
    struct bounded_options options = {.method = method_of(task->method),
                                      .iterations = task->iterations,
                                      .low = task->bounded ? task->low : -INFINITY,
                                      .high = task->bounded ? task->high : INFINITY,
                                      .floor = run->past_floor ? 0 : 1e-7,
                                      .lambda = task->lambda,
                                      .smooth = task->smooth,
                                      .order = task->order,
                                      .shape = task->shape,
                                      .gradients = gradients,
                                      .residuals = residuals,
                                      .progress = task->iteration_progress,
                                      .progress_data = task->progress_data};
    kn_status status = ki_bounded_limits(KN_F32, &options.low, &options.high, err);

    if (!status && options.method == KN_SOLVE_SIRT && source.matrix)
        status = ki_sparse_check_signs(source.matrix, err);
    if (!status)
        status = ki_sparse_make_operator("kn_least_squares", d->v.queue, &source, &storage, &d->a, err);
    return status ? status : ki_bounded_create(d->v.queue, d->a, &options, &d->bounded, err);
}

static kn_status prepare(struct solve_run *run, struct device_run *d, double *gradients, double *residuals,
                         kn_error *err)
{
    double start = ki_clock_seconds(), built = ki_device_build_seconds(&d->v);
    kn_status status = create(run, d, gradients, residuals, err);

    if (!status)
        status = ki_device_vectors_create(&d->v, false, err);
    if (!status)
        status = kn_queue_finish(d->v.queue, err);
    run->result->prepare_seconds = ki_clock_seconds() - start - (ki_device_build_seconds(&d->v) - built);
    if (!status) {
        run->result->launches_per_iteration = ki_bounded_launches(d->bounded);
        snprintf(run->result->code, sizeof run->result->code,
                 "single precision, A as %s, A^T as %s, separate launches%s",
                 ki_sparse_format_names[kn_sparse_operator_get_format(d->a, false)],
                 ki_sparse_format_names[kn_sparse_operator_get_format(d->a, true)],
                 ki_device_recorded(ki_bounded_recording(d->bounded)));
    }
    return status;
}

static kn_status solve_column(struct solve_run *run, struct device_run *d, size_t column,
                              const double *residuals, kn_error *err)
{
    static const kn_least_squares_stopped reasons[] = {
        [KN_SOLVE_STOPPED_ITERATIONS] = KN_LEAST_SQUARES_STOPPED_ITERATIONS,
        [KN_SOLVE_STOPPED_NOISE] = KN_LEAST_SQUARES_STOPPED_DISCREPANCY,
        [KN_SOLVE_STOPPED_FLOOR] = KN_LEAST_SQUARES_STOPPED_FLOOR};
    kn_least_squares_solution *solution = &run->result->solutions[column];
    double *x = run->x + column * d->v.columns, start = ki_clock_seconds();
    kn_solve_result result;
    kn_status status = ki_solve_history(run, column, err);

    ki_bounded_set_noise(d->bounded, ki_solve_goal(run, column));
    if (!status)
        status = ki_device_send(&d->v, run->b + column * d->v.rows, d->v.rows, d->v.b, err);
    if (!status)
        status = ki_device_send(&d->v, x, d->v.columns, d->v.x, err);
    if (!status)
        status = kn_queue_finish(d->v.queue, err);
    run->result->copy_seconds += ki_clock_seconds() - start;
    start = ki_clock_seconds();
    if (!status)
        status = ki_bounded_solve(d->v.queue, d->bounded, d->v.b, d->v.x, &result, err);
    run->result->iterate_seconds += ki_clock_seconds() - start;
    if (status)
        return status;
    for (size_t i = 0; i <= result.iterations; i++)
        run->result->histories[column][i] = result.right > 0 ? residuals[i] / result.right : residuals[i];
    solution->iterations = result.iterations;
    solution->stopped =
        result.stopped == KN_SOLVE_STOPPED_NOISE && run->task.stop == KN_LEAST_SQUARES_STOP_RESIDUAL
            ? KN_LEAST_SQUARES_STOPPED_RESIDUAL
            : reasons[result.stopped];
    return ki_device_fetch(&d->v, d->v.x, x, d->v.columns, err);
}

kn_status ki_solve_bounded_device(struct solve_run *run, kn_error *err)
{
    struct device_run d = {.v = ki_device_vectors(run, 1)};
    size_t places = run->task.iterations + 1;
    double *gradients = calloc(places, 2 * sizeof *gradients), *residuals = gradients + places;
    kn_status status = gradients ? prepare(run, &d, gradients, residuals, err)
                                 : ki_fail_memory(err, places * 2 * sizeof *gradients, "the residuals");

    if (!status)
        status = ki_solve_adjoint(run, multiply, &d, 0x1p-24, err);
    for (size_t i = 0; i < run->count && !status; i++) {
        status = solve_column(run, &d, i, residuals, err);
        if (!status)
            status = ki_solve_done(run, i + 1, err);
    }
    ki_bounded_free(d.bounded);
    kn_operator_free(d.a);
    ki_device_vectors_free(&d.v);
    free(gradients);
    return status;
}
