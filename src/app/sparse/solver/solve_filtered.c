// SPDX-License-Identifier: Apache-2.0
// Filtered back-projection as a method of koine/least_squares.h: on the host in either precision, on devices
// in single precision. It solves no equations, and has neither products that could be checked nor a gradient.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/sparse/tomography/fbp.h"
#include "base/error.h"
#include "base/os/clock.h"
#include "solve_internal.h"

struct filtered {
    struct sparse_fbp_host *host;
    struct sparse_fbp_device *device;
    kn_buffer *sinogram, *picture;
    void *numbers; // of the type: a sinogram, followed by a picture
};

static kn_status prepare_device(struct solve_run *run, struct filtered *filtered, kn_error *err)
{
    kn_context *context = kn_queue_get_context(run->queue);
    kn_status status =
        ki_sparse_fbp_device_create(run->queue, run->geometry, run->task.filter, &filtered->device, err);

    if (!status)
        status = kn_buffer_create(context, run->matrix->rows * sizeof(float), &filtered->sinogram, err);
    if (!status)
        status = kn_buffer_create(context, run->matrix->columns * sizeof(float), &filtered->picture, err);
    if (!status)
        snprintf(run->result->code, sizeof run->result->code, "single precision, filter %s, back %s",
                 kn_tomography_filter_name(run->task.filter), ki_sparse_fbp_device_text(filtered->device));
    return status;
}

static kn_status prepare(struct solve_run *run, struct filtered *filtered, kn_error *err)
{
    const size_t numbers = run->matrix->rows + run->matrix->columns;
    const double start = ki_clock_seconds();
    kn_status status = KN_OK;

    filtered->numbers = malloc(numbers * kn_type_size(run->task.type));
    if (!filtered->numbers)
        return ki_fail_memory(err, numbers * kn_type_size(run->task.type), "filtered back-projection");
    if (run->queue)
        status = prepare_device(run, filtered, err);
    else
        status = ki_sparse_fbp_host_create(run->geometry, run->task.filter, run->task.type, NULL,
                                           &filtered->host, err);
    if (!status && !run->queue)
        snprintf(run->result->code, sizeof run->result->code, "%s precision, filter %s, %s code",
                 run->task.type == KN_F64 ? "double" : "single", kn_tomography_filter_name(run->task.filter),
                 ki_sparse_fbp_host_level(filtered->host));
    run->result->prepare_seconds = ki_clock_seconds() - start;
    return status;
}

// From one array to the other; on a device, copies are timed separately.
static kn_status run_once(struct solve_run *run, const struct filtered *filtered, const void *sinogram,
                          void *picture, kn_error *err)
{
    kn_least_squares_result *result = run->result;
    const size_t given = run->matrix->rows * sizeof(float), made = run->matrix->columns * sizeof(float);
    double start = ki_clock_seconds();
    kn_status status = KN_OK;

    if (!run->queue) {
        ki_sparse_fbp_host_run(filtered->host, sinogram, picture);
        result->iterate_seconds += ki_clock_seconds() - start;
        return KN_OK;
    }
    status = kn_buffer_write(run->queue, filtered->sinogram, 0, sinogram, given, err);
    result->copy_seconds += ki_clock_seconds() - start;
    start = ki_clock_seconds();
    if (!status)
        status = ki_sparse_fbp_device_run(run->queue, filtered->device, filtered->sinogram, filtered->picture,
                                          err);
    if (!status)
        status = kn_queue_finish(run->queue, err);
    result->iterate_seconds += ki_clock_seconds() - start;
    start = ki_clock_seconds();
    if (!status)
        status = kn_buffer_read(run->queue, filtered->picture, 0, picture, made, err);
    result->copy_seconds += ki_clock_seconds() - start;
    return status;
}

static kn_status solve_column(struct solve_run *run, struct filtered *filtered, size_t column, kn_error *err)
{
    const size_t rows = run->matrix->rows, columns = run->matrix->columns;
    const double *b = run->b + column * rows;
    double *x = run->x + column * columns;
    float *singles = filtered->numbers;
    kn_status status = KN_OK;

    if (run->task.type == KN_F64)
        return run_once(run, filtered, b, x, err);
    for (size_t i = 0; i < rows && !status; i++) {
        singles[i] = (float)b[i];
        if (!isfinite(singles[i]))
            status =
                ki_fail(err, KN_ERROR_ARGUMENT, "b[%zu] is %g, which single precision has not; use double",
                        column * rows + i, b[i]);
    }
    if (!status)
        status = run_once(run, filtered, singles, singles + rows, err);
    for (size_t i = 0; i < columns && !status; i++)
        x[i] = (double)singles[rows + i];
    return status;
}

kn_status ki_solve_filtered(struct solve_run *run, kn_error *err)
{
    struct filtered filtered = {.host = NULL};
    kn_status status = prepare(run, &filtered, err);

    for (size_t i = 0; i < run->count && !status; i++) {
        run->result->solutions[i].stopped = KN_LEAST_SQUARES_STOPPED_DIRECT;
        status = solve_column(run, &filtered, i, err);
        if (!status)
            status = ki_solve_done(run, i + 1, err);
    }
    ki_sparse_fbp_host_free(filtered.host);
    ki_sparse_fbp_device_free(filtered.device);
    kn_buffer_free(filtered.sinogram);
    kn_buffer_free(filtered.picture);
    free(filtered.numbers);
    return status;
}
