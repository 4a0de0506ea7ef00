// SPDX-License-Identifier: Apache-2.0
// Least squares with the Gram matrix of the normal equations on a device, many columns at once, in single
// precision.
#include <stdio.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "device_vectors.h"
#include "gram_device.h"

struct device_run {
    struct device_vectors v;
    struct sparse_gram_device *gram;
};

static kn_status apply(void *own, bool transposed, kn_buffer *from, kn_buffer *to, kn_error *err)
{
    struct device_run *d = own;

    return ki_sparse_gram_device_apply(d->v.queue, d->gram, transposed, from, to, err);
}

// A function of type solve_multiply.
static kn_status multiply(void *data, bool transposed, const double *from, double *to, kn_error *err)
{
    struct device_run *d = data;

    return ki_device_multiply(&d->v, apply, d, transposed, from, to, err);
}

// Factors on the host, in double precision, and uploads their inverse.
static kn_status prepare(struct solve_run *run, struct device_run *d, kn_error *err)
{
    struct sparse_gram *gram = NULL;
    double start = ki_clock_seconds(), built = ki_device_build_seconds(&d->v);
    kn_status status = ki_sparse_gram_create(run->matrix, &run->terms, &gram, err);

    if (!status)
        status = ki_sparse_gram_device_create(d->v.queue, run->matrix, gram, &d->gram, err);
    ki_sparse_gram_free(gram);
    if (!status)
        status = ki_device_vectors_create(&d->v, false, err);
    run->result->prepare_seconds = ki_clock_seconds() - start - (ki_device_build_seconds(&d->v) - built);
    snprintf(run->result->code, sizeof run->result->code,
             "single precision, A^T b and G^-1 of Cholesky factors in double precision");
    return status;
}

static kn_status solve_columns(struct solve_run *run, struct device_run *d, size_t first, size_t count,
                               kn_error *err)
{
    kn_least_squares_result *result = run->result;
    double start = ki_clock_seconds(), built = ki_device_build_seconds(&d->v);
    kn_status status = ki_device_send(&d->v, run->b + first * d->v.rows, count * d->v.rows, d->v.b, err);

    result->copy_seconds += ki_clock_seconds() - start;
    start = ki_clock_seconds();
    if (!status)
        status = ki_sparse_gram_device_solve(d->v.queue, d->gram, d->v.b, count, d->v.x, err);
    if (!status)
        status = kn_queue_finish(d->v.queue, err);
    result->iterate_seconds += ki_clock_seconds() - start - (ki_device_build_seconds(&d->v) - built);
    start = ki_clock_seconds();
    if (!status)
        status = ki_device_fetch(&d->v, d->v.x, run->x + first * d->v.columns, count * d->v.columns, err);
    result->copy_seconds += ki_clock_seconds() - start;
    for (size_t i = first; i < first + count; i++)
        result->solutions[i].stopped = KN_LEAST_SQUARES_STOPPED_DIRECT;
    return status;
}

// x -= G^-1 g, with the gradients that were sent.
static kn_status correct(struct device_run *d, size_t count, double *x, kn_error *err)
{
    double *step_back = malloc((count * d->v.columns + 1) * sizeof *step_back);
    kn_status status =
        step_back ? ki_sparse_gram_device_inverse(d->v.queue, d->gram, d->v.gradient, count, d->v.x, err)
                  : ki_fail_memory(err, count * d->v.columns * sizeof *step_back, "the accuracy");

    if (!status)
        status = ki_device_fetch(&d->v, d->v.x, step_back, count * d->v.columns, err);
    for (size_t i = 0; i < count * d->v.columns && !status; i++)
        x[i] -= step_back[i];
    free(step_back);
    return status;
}

// A function of type solve_refine.
static kn_status refine(void *data, size_t first, size_t count, const double *gradients, double *x,
                        kn_error *err)
{
    struct device_run *d = data;
    kn_status status = ki_device_send_gradients(&d->v, gradients, count, err);

    (void)first;
    return status ? status : correct(d, count, x, err);
}

kn_status ki_solve_gram_device(struct solve_run *run, kn_error *err)
{
    size_t count = run->count, most = ki_device_most_at_once(run);
    struct device_run d = {.v = ki_device_vectors(run, count < most ? count : most > 0 ? most : 1)};
    kn_status status = prepare(run, &d, err);

    if (!status)
        status = ki_solve_adjoint(run, multiply, &d, 0x1p-24, err);
    for (size_t i = 0, some; i < count && !status; i += some) {
        some = count - i < d.v.at_once ? count - i : d.v.at_once;
        status = solve_columns(run, &d, i, some, err);
        if (!status)
            status = ki_solve_done(run, i + some, err);
    }
    if (!status)
        status = ki_solve_accuracy(run, refine, &d, d.v.at_once, err);
    ki_sparse_gram_device_free(d.gram);
    ki_device_vectors_free(&d.v);
    return status;
}
