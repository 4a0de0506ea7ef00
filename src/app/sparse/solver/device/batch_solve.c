// SPDX-License-Identifier: Apache-2.0
// Solutions for many right-hand sides: their preparation and their results.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "batch_internal.h"

// ---- preparation and results ----

// w = A x - b; sums of its squares and of those of b for every image, each added up from pieces in a fixed
// order.
static kn_status find_residuals(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                                double *sums, kn_error *err)
{
    kn_buffer *const *m = b->buffers;
    const kn_arg args[] = {KN_BUFFER(m[BATCH_W]),   KN_BUFFER(m[BATCH_B]),    KN_VALUE(b->rows),
                           KN_VALUE(b->rests.each), KN_BUFFER(m[BATCH_SUMS]), KN_VALUE(run->all)};
    const size_t count = 2 * (size_t)run->all, groups = b->options.images / b->options.step * b->rests.count;
    double *parts = malloc(b->rests.count * count * sizeof *parts);
    kn_status status = parts ? ki_batch_multiply(queue, b, run, 0, m[BATCH_X], m[BATCH_W], err)
                             : ki_fail_memory(err, b->rests.count * count * sizeof *parts, "solving");

    if (!status)
        status = ki_batch_launch(queue, b, run, BATCH_REST, groups, args, KI_COUNT(args), err);
    if (!status)
        status = kn_buffer_read(queue, m[BATCH_SUMS], 0, parts, b->rests.count * count * CGNR_CELL, err);
    memset(sums, 0, count * sizeof *sums);
    for (size_t i = 0; i < b->rests.count * count && !status; i++)
        sums[i % count] += parts[i];
    free(parts);
    return status;
}

// h = e + L x, d = 0, e = 0, and no image has ended.
static kn_status launch_begin(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                              kn_error *err)
{
    const uint32_t none = 0;
    kn_buffer *const *m = b->buffers;
    const kn_arg args[] = {KN_BUFFER(m[BATCH_X]),
                           KN_BUFFER(m[BATCH_H]),
                           KN_BUFFER(m[BATCH_D]),
                           KN_BUFFER(m[BATCH_E]),
                           KN_VALUE(b->columns),
                           KN_VALUE((float)b->terms.lambda),
                           KN_VALUE((float)b->terms.smooth),
                           KN_VALUE(b->terms.order)};
    kn_status status = ki_batch_launch(queue, b, run, BATCH_BEGIN, ki_batch_groups_of(b, b->columns), args,
                                       KI_COUNT(args), err);

    return status ? status
                  : kn_buffer_fill(queue, m[BATCH_ENDS], &none, sizeof none, 0, run->all * sizeof none,
                                   NO_EVENT, err);
}

// h = A^T (A x - b) + L x, d = 0, e = 0.
static kn_status begin(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                       kn_buffer *right, kn_buffer *x, double *sums, kn_error *err)
{
    kn_buffer *const *m = b->buffers;
    kn_status status = ki_batch_carry(queue, b, run, BATCH_TAKE, right, m[BATCH_B], b->rows, err);

    if (!status)
        status = ki_batch_carry(queue, b, run, BATCH_TAKE, x, m[BATCH_X], b->columns, err);
    if (!status)
        status = find_residuals(queue, b, run, sums, err);
    for (uint32_t i = 0; i < run->count && !status; i++)
        if (!isfinite(sums[i]) || !isfinite(sums[run->all + i]))
            status = ki_fail(err, KN_ERROR_ARGUMENT,
                             "%s %zu (from 0) is not finite everywhere, or beyond single precision",
                             isfinite(sums[run->all + i]) ? "start" : "right hand side", run->first + i);
    if (!status)
        status = ki_batch_multiply(queue, b, run, 1, m[BATCH_W], m[BATCH_E], err);
    return status ? status : launch_begin(queue, b, run, err);
}

// Fills in the results from the ends of images, their squared gradients, and the lengths of their steps,
// |g|^2 / d.e.
static kn_status take_results(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                              const uint32_t *ends, struct cgnr_result *results, kn_error *err)
{
    size_t last = 0, row = 2 * (size_t)run->all, bytes;
    double *norms;
    kn_status status = KN_OK;

    for (uint32_t i = 0; i < run->count; i++) {
        size_t iteration = ends[i] ? ends[i] >> 5 : b->options.solver.iterations;
        ki_cgnr_take_end(ends[i] & 31, iteration, &results[i]);
        last = iteration > last ? iteration : last;
    }
    bytes = (last + 1) * row * sizeof *norms;
    norms = malloc(bytes);
    if (!norms)
        return ki_fail_memory(err, bytes, "solving");
    status = kn_buffer_read(queue, b->buffers[BATCH_NORMS], 0, norms, bytes, err);
    for (size_t i = last; i > 0 && !status; i--)
        for (uint32_t image = 0; image < run->all; image++) {
            double *curvature = &norms[i * row + run->all + image];

            *curvature = norms[(i - 1) * row + image] / *curvature;
        }
    for (uint32_t i = 0; i < run->count && !status; i++)
        status = ki_cgnr_take_history(norms + i, norms + run->all + i, row, NULL, &results[i], err);
    free(norms);
    return status;
}

// Iterates from the prepared vectors; `ends` has room for all images.
static kn_status iterate(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                         uint32_t *ends, struct cgnr_result *results, kn_error *err)
{
    kn_status status = kn_queue_finish(queue, err);
    double begun = ki_clock_seconds(), seconds;

    if (!status)
        status = ki_batch_iterate(queue, b, run, ends, err);
    seconds = ki_clock_seconds() - begun;
    for (uint32_t i = 0; i < run->count && !status; i++)
        results[i] = (struct cgnr_result){
            .seconds = seconds, .launches_per_iteration = b->launches == SPARSE_BATCH_WHOLE ? 0 : 4};
    return status ? status : take_results(queue, b, run, ends, results, err);
}

// Solves the images of one run.
static kn_status solve(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                       kn_buffer *right, kn_buffer *x, struct cgnr_result *results, kn_error *err)
{
    double *sums = malloc(run->all * (2 * sizeof *sums + sizeof(uint32_t)));
    uint32_t *ends = (uint32_t *)(void *)(sums + 2 * (size_t)run->all);
    kn_status status = sums ? begin(queue, b, run, right, x, sums, err)
                            : ki_fail_memory(err, run->all * 2 * sizeof *sums, "solving");

    if (!status)
        status = iterate(queue, b, run, ends, results, err);
    if (!status)
        status = find_residuals(queue, b, run, sums, err);
    for (uint32_t i = 0; i < run->count && !status; i++) {
        double rest = sums[i], goal = sums[run->all + i];
        results[i].residual = goal > 0 ? sqrt(rest / goal) : rest > 0 ? INFINITY : 0;
    }
    if (!status)
        status = ki_batch_carry(queue, b, run, BATCH_GIVE, b->buffers[BATCH_X], x, b->columns, err);
    free(sums);
    return status;
}

static struct batch_run run_of(const struct sparse_batch *b, size_t first, size_t count)
{
    uint32_t images = b->options.images, some = (uint32_t)(count < b->most ? count : b->most);
    uint32_t blocks = (some + images - 1) / images;

    return (struct batch_run){first, some, blocks, blocks * images};
}

// Continues with the images of one run, whose gradients are known.
static kn_status go_on(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                       kn_buffer *gradients, kn_buffer *x, struct cgnr_result *results, kn_error *err)
{
    kn_buffer *const *m = b->buffers;
    uint32_t *ends = malloc(run->all * sizeof *ends);
    kn_status status = ends ? ki_batch_carry(queue, b, run, BATCH_TAKE, x, m[BATCH_X], b->columns, err)
                            : ki_fail_memory(err, run->all * sizeof *ends, "solving");

    if (!status)
        status = launch_begin(queue, b, run, err);
    if (!status)
        status = ki_batch_carry(queue, b, run, BATCH_TAKE, gradients, m[BATCH_H], b->columns, err);
    if (!status)
        status = iterate(queue, b, run, ends, results, err);
    for (uint32_t i = 0; i < run->count && !status; i++)
        results[i].residual = NAN;
    if (!status)
        status = ki_batch_carry(queue, b, run, BATCH_GIVE, m[BATCH_X], x, b->columns, err);
    free(ends);
    return status;
}

kn_status ki_sparse_batch_transposed(kn_queue *queue, struct sparse_batch *batch, kn_buffer *b, size_t first,
                                     size_t count, kn_buffer **products, kn_error *err)
{
    const struct batch_run run = run_of(batch, first, count);
    kn_buffer *const *m = batch->buffers;
    kn_status status =
        ki_column_check("sparse_batch_transposed (b)", queue, b, KN_F32, (first + count) * batch->rows, err);

    if (!status)
        status = ki_batch_carry(queue, batch, &run, BATCH_TAKE, b, m[BATCH_B], batch->rows, err);
    if (!status)
        status = ki_batch_multiply(queue, batch, &run, 1, m[BATCH_B], m[BATCH_E], err);
    *products = m[BATCH_E];
    return status;
}

kn_status ki_sparse_batch_apply(kn_queue *queue, struct sparse_batch *batch, bool transposed, kn_buffer *from,
                                kn_buffer *to, kn_error *err)
{
    const struct batch_run run = run_of(batch, 0, 1);
    uint32_t sources = transposed ? batch->rows : batch->columns;
    uint32_t targets = transposed ? batch->columns : batch->rows;
    kn_buffer *in = batch->buffers[transposed ? BATCH_B : BATCH_X],
              *out = batch->buffers[transposed ? BATCH_E : BATCH_W];
    kn_status status = ki_column_check("sparse_batch_apply (from)", queue, from, KN_F32, sources, err);

    if (!status)
        status = ki_column_check("sparse_batch_apply (to)", queue, to, KN_F32, targets, err);
    if (!status)
        status = ki_batch_carry(queue, batch, &run, BATCH_TAKE, from, in, sources, err);
    if (!status)
        status = ki_batch_multiply(queue, batch, &run, transposed, in, out, err);
    return status ? status : ki_batch_carry(queue, batch, &run, BATCH_GIVE, out, to, targets, err);
}

// Processes one run after another, with `solve` from right-hand sides, or with `go_on` from gradients.
static kn_status run_all(kn_queue *queue, struct sparse_batch *batch, bool goes_on, kn_buffer *from,
                         size_t count, kn_buffer *x, struct cgnr_result *results, kn_error *err)
{
    const char *name = goes_on ? "sparse_batch_go_on (gradients)" : "sparse_batch_solve (b)";
    kn_status status =
        ki_column_check(name, queue, from, KN_F32, count * (goes_on ? batch->columns : batch->rows), err);

    memset(results, 0, count * sizeof *results);
    if (!status)
        status = ki_column_check(goes_on ? "sparse_batch_go_on (x)" : "sparse_batch_solve (x)", queue, x,
                                 KN_F32, count * batch->columns, err);
    for (size_t first = 0; first < count && !status; first += batch->most) {
        const struct batch_run run = run_of(batch, first, count - first);
        status = (goes_on ? go_on : solve)(queue, batch, &run, from, x, results + first, err);
    }
    for (size_t i = 0; i < count && status; i++) {
        free(results[i].history);
        results[i].history = NULL;
    }
    return status;
}

kn_status ki_sparse_batch_solve(kn_queue *queue, struct sparse_batch *batch, kn_buffer *b, size_t count,
                                kn_buffer *x, struct cgnr_result *results, kn_error *err)
{
    return run_all(queue, batch, false, b, count, x, results, err);
}

kn_status ki_sparse_batch_go_on(kn_queue *queue, struct sparse_batch *batch, kn_buffer *gradients,
                                size_t count, kn_buffer *x, struct cgnr_result *results, kn_error *err)
{
    return run_all(queue, batch, true, gradients, count, x, results, err);
}
