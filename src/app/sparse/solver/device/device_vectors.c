// SPDX-License-Identifier: Apache-2.0
#include "device_vectors.h"

#include <stdlib.h>

#include <koine/experimental.h>

#include "base/error.h"

enum { MOST_AT_ONCE = 128, BLOCK = 32 }; // columns

size_t ki_device_most_at_once(const struct solve_run *run)
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

bool ki_device_is_batch(const struct solve_run *run)
{
    const kn_least_squares_options *task = &run->task;

    return run->count > 1 && task->type == KN_F32 && !run->geometry && task->format == KN_SPARSE_AUTO &&
           task->method == KN_LEAST_SQUARES_CGNR && task->stop == KN_LEAST_SQUARES_STOP_FIXED &&
           ki_device_most_at_once(run) > 1;
}

struct device_vectors ki_device_vectors(const struct solve_run *run, size_t at_once)
{
    return (struct device_vectors){
        .queue = run->queue, .rows = run->matrix->rows, .columns = run->matrix->columns, .at_once = at_once};
}

kn_status ki_device_vectors_create(struct device_vectors *v, bool is_double, kn_error *err)
{
    kn_context *context = kn_queue_get_context(v->queue);
    size_t most = (v->rows > v->columns ? v->rows : v->columns) * v->at_once;
    kn_status status = KN_OK;

    v->size = is_double ? sizeof(double) : sizeof(float);
    if (!is_double) {
        v->floats = malloc((most + 1) * sizeof *v->floats);
        if (!v->floats)
            status = ki_fail_memory(err, most * sizeof *v->floats, "the solver");
    }
    if (!status)
        status = kn_buffer_create(context, (v->rows * v->at_once + 1) * v->size, &v->b, err);
    return status ? status : kn_buffer_create(context, (v->columns * v->at_once + 1) * v->size, &v->x, err);
}

void ki_device_vectors_free(struct device_vectors *v)
{
    kn_buffer_free(v->b);
    kn_buffer_free(v->x);
    kn_buffer_free(v->gradient);
    free(v->floats);
}

kn_status ki_device_send(struct device_vectors *v, const double *from, size_t count, kn_buffer *to,
                         kn_error *err)
{
    if (!v->floats)
        return kn_buffer_write(v->queue, to, 0, from, count * sizeof *from, err);
    for (size_t i = 0; i < count; i++)
        v->floats[i] = (float)from[i];
    return kn_buffer_write(v->queue, to, 0, v->floats, count * sizeof *v->floats, err);
}

kn_status ki_device_fetch(struct device_vectors *v, kn_buffer *from, double *to, size_t count, kn_error *err)
{
    kn_status status;

    if (!v->floats)
        return kn_buffer_read(v->queue, from, 0, to, count * sizeof *to, err);
    status = kn_buffer_read(v->queue, from, 0, v->floats, count * sizeof *v->floats, err);
    for (size_t i = 0; i < count && !status; i++)
        to[i] = (double)v->floats[i];
    return status;
}

kn_status ki_device_send_gradients(struct device_vectors *v, const double *gradients, size_t count,
                                   kn_error *err)
{
    kn_status status = KN_OK;

    if (!v->gradient)
        status = kn_buffer_create(kn_queue_get_context(v->queue),
                                  (v->columns * v->at_once + 1) * sizeof *v->floats, &v->gradient, err);
    return status ? status : ki_device_send(v, gradients, count * v->columns, v->gradient, err);
}

kn_status ki_device_multiply(struct device_vectors *v, device_apply *apply, void *own, bool transposed,
                             const double *from, double *to, kn_error *err)
{
    kn_buffer *source = transposed ? v->b : v->x, *target = transposed ? v->x : v->b;
    kn_status status = ki_device_send(v, from, transposed ? v->rows : v->columns, source, err);

    if (!status)
        status = apply(own, transposed, source, target, err);
    return status ? status : ki_device_fetch(v, target, to, transposed ? v->columns : v->rows, err);
}

double ki_device_build_seconds(const struct device_vectors *v)
{
    return kn_context_get_build_seconds(kn_queue_get_context(v->queue));
}

const char *ki_device_recorded(const kn_recording *recording)
{
    return !recording                                                       ? ""
           : kn_recording_get_way(recording) == KN_RECORDING_GRAPH          ? " in graphs"
           : kn_recording_get_way(recording) == KN_RECORDING_COMMAND_BUFFER ? " in command buffers"
                                                                            : "";
}
