// SPDX-License-Identifier: Apache-2.0
#include "solver_internal.h"

#include "base/array.h"

// Iterations between two looks of the host's; even, as two places take turns.
enum { BLOCK = 32 };

// ---- launches ----

static kn_status launch(kn_queue *queue, const struct sparse_solver *s, unsigned kernel, size_t groups,
                        const kn_arg *args, size_t count, kn_error *err)
{
    size_t group = kernel == SOLVER_BACKWARD ? s->back_group : s->group;
    const kn_range range = {1, {groups * group}, {group}, {0}};

    return kn_launch(queue, s->kernels[kernel], &range, args, count, NO_EVENT, err);
}

static kn_status launch_forward(kn_queue *queue, const struct sparse_solver *s, uint32_t iteration,
                                kn_error *err)
{
    kn_buffer *const *b = s->buffers, *const *a = s->products[0].buffers;
    unsigned from = iteration % 2 ? SOLVER_NEXT_X : SOLVER_X, to = iteration % 2 ? SOLVER_X : SOLVER_NEXT_X;
    const kn_arg args[] = {KN_BUFFER(a[SPMV_SELL_STARTS]),
                           KN_BUFFER(a[SPMV_SELL_INDICES]),
                           KN_BUFFER(a[SPMV_SELL_VALUES]),
                           KN_VALUE(s->rows),
                           KN_VALUE(s->columns),
                           KN_BUFFER(b[from]),
                           KN_BUFFER(b[from + 1]),
                           KN_BUFFER(b[from + 2]),
                           KN_BUFFER(b[SOLVER_E]),
                           KN_BUFFER(b[to]),
                           KN_BUFFER(b[to + 1]),
                           KN_BUFFER(b[to + 2]),
                           KN_BUFFER(b[SOLVER_W]),
                           KN_BUFFER(b[SOLVER_R]),
                           KN_VALUE(s->terms.weight),
                           KN_VALUE(s->terms.gradient),
                           KN_VALUE(s->terms.residual),
                           KN_BUFFER(b[SOLVER_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return launch(queue, s, SOLVER_FORWARD, s->parts, args, KI_COUNT(args), err);
}

static kn_status launch_backward(kn_queue *queue, const struct sparse_solver *s, uint32_t iteration,
                                 kn_error *err)
{
    kn_buffer *const *b = s->buffers, *const *a = s->products[1].buffers;
    size_t groups = ((size_t)s->columns * s->lanes + s->back_group - 1) / s->back_group;
    const kn_arg args[] = {KN_BUFFER(a[SPMV_CSR_STARTS]),
                           KN_BUFFER(a[SPMV_CSR_INDICES]),
                           KN_BUFFER(a[SPMV_CSR_VALUES]),
                           KN_VALUE(s->columns),
                           KN_BUFFER(b[iteration % 2 ? SOLVER_D : SOLVER_NEXT_D]),
                           KN_BUFFER(b[SOLVER_E]),
                           KN_BUFFER(b[SOLVER_W]),
                           KN_VALUE(s->terms.lambda),
                           KN_VALUE(s->terms.smooth),
                           KN_VALUE(s->terms.order),
                           KN_BUFFER(b[SOLVER_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    // Without columns, too: it counts.
    return launch(queue, s, SOLVER_BACKWARD, groups ? groups : 1, args, KI_COUNT(args), err);
}

kn_status ki_solver_launch_residual(kn_queue *queue, const struct sparse_solver *s, kn_buffer *right,
                                    kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[SOLVER_W]), KN_BUFFER(right),  KN_BUFFER(b[SOLVER_ROW_ORDER]),
                           KN_BUFFER(b[SOLVER_R]), KN_VALUE(s->rows), KN_BUFFER(b[SOLVER_STATE]),
                           KN_VALUE(s->parts)};

    return launch(queue, s, SOLVER_RESIDUAL, s->parts, args, KI_COUNT(args), err);
}

kn_status ki_solver_launch_curve(kn_queue *queue, const struct sparse_solver *s, kn_buffer *d, kn_buffer *h,
                                 kn_buffer *e, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[SOLVER_V]),
                           KN_BUFFER(d),
                           KN_BUFFER(h),
                           KN_BUFFER(b[SOLVER_X]),
                           KN_BUFFER(e),
                           KN_VALUE(s->columns),
                           KN_VALUE(s->terms.lambda),
                           KN_VALUE(s->terms.smooth),
                           KN_VALUE(s->terms.weight),
                           KN_VALUE(s->terms.order),
                           KN_BUFFER(b[SOLVER_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return launch(queue, s, SOLVER_CURVE, s->parts, args, KI_COUNT(args), err);
}

static kn_status launch_step(kn_queue *queue, const struct sparse_solver *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[SOLVER_D]),     KN_BUFFER(b[SOLVER_E]), KN_BUFFER(b[SOLVER_H]),
                           KN_BUFFER(b[SOLVER_X]),     KN_VALUE(s->columns),   KN_VALUE(s->terms.weight),
                           KN_BUFFER(b[SOLVER_STATE]), KN_VALUE(s->parts),     KN_VALUE(s->most)};

    return launch(queue, s, SOLVER_STEP, s->parts, args, KI_COUNT(args), err);
}

static kn_status launch_rest(kn_queue *queue, const struct sparse_solver *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[SOLVER_W]),     KN_BUFFER(b[SOLVER_R]), KN_VALUE(s->rows),
                           KN_BUFFER(b[SOLVER_STATE]), KN_VALUE(s->parts),     KN_VALUE(s->most)};

    return launch(queue, s, SOLVER_REST, s->parts, args, KI_COUNT(args), err);
}

static kn_status launch_turn(kn_queue *queue, const struct sparse_solver *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[SOLVER_D]),      KN_BUFFER(b[SOLVER_H]),
                           KN_BUFFER(b[SOLVER_X]),      KN_VALUE(s->columns),
                           KN_VALUE(s->terms.weight),   KN_VALUE(s->terms.gradient),
                           KN_VALUE(s->terms.residual), KN_BUFFER(b[SOLVER_STATE]),
                           KN_VALUE(s->parts),          KN_VALUE(s->most)};

    return launch(queue, s, SOLVER_TURN, s->parts, args, KI_COUNT(args), err);
}

// ---- an iteration ----

// The step that the iteration before has prepared, and with it x of this one; unless it is the last, A^T A d.
static kn_status iterate_separate(kn_queue *queue, const struct sparse_solver *s, bool last, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_status status =
        s->options.printed ? ki_solver_launch_printed(queue, s, err) : launch_step(queue, s, err);

    if (!status && solver_keeps_residual(&s->options) && !s->options.printed)
        status = launch_rest(queue, s, err);
    if (!status)
        status = launch_turn(queue, s, err);
    if (!status)
        status = ki_solver_white_launch(queue, s, err);
    if (status || last)
        return status;
    status = ki_spmv_product_apply(queue, &s->products[0], b[SOLVER_D], b[SOLVER_W], err);
    if (!status)
        status = ki_spmv_product_apply(queue, &s->products[1], b[SOLVER_W], b[SOLVER_V], err);
    return status ? status : ki_solver_launch_curve(queue, s, b[SOLVER_D], b[SOLVER_H], b[SOLVER_E], err);
}

static kn_status iterate_fused(kn_queue *queue, const struct sparse_solver *s, uint32_t iteration, bool last,
                               kn_error *err)
{
    kn_status status = launch_forward(queue, s, iteration, err);

    return status || last ? status : launch_backward(queue, s, iteration, err);
}

static kn_status iterate(kn_queue *queue, const struct sparse_solver *s, size_t iteration, bool last,
                         kn_error *err)
{
    return s->fused ? iterate_fused(queue, s, (uint32_t)iteration, last, err)
                    : iterate_separate(queue, s, last, err);
}

// ---- all of them ----

kn_status ki_solver_record(kn_queue *queue, struct sparse_solver *s, kn_error *err)
{
    kn_status status;

    if (s->options.unrecorded || s->most + 1 < BLOCK || s->products[0].adds || s->products[1].adds)
        return KN_OK;
    status = kn_recording_begin(queue, s->options.recording, err);
    if (status)
        return status;
    for (size_t k = 0; k < BLOCK && !status; k++)
        status = iterate(queue, s, k, false, err);
    if (status)
        (void)kn_recording_end(queue, NULL, NULL);
    else
        status = kn_recording_end(queue, &s->recording, err);
    return status;
}

// Whether that many iterations are better replayed: what goes beyond the last one does nothing, but for
// separate products.
static bool is_block(const struct sparse_solver *s, size_t left)
{
    return s->recording && (left >= BLOCK || (s->fused && left > BLOCK / 4));
}

size_t ki_solver_cell_of(const struct sparse_solver *s, size_t k)
{
    return SOLVER_CELLS * (size_t)s->parts + SOLVER_START + SOLVER_CELLS * k;
}

kn_status ki_solver_iterate_all(kn_queue *queue, const struct sparse_solver *s, size_t *launched,
                                kn_error *err)
{
    size_t all = s->options.iterations + 1, k = 0;
    bool looks = s->options.gradient > 0 || solver_keeps_residual(&s->options);
    double code = 0;
    kn_status status = KN_OK;

    while (k < all && code == 0 && !status) {
        if (is_block(s, all - k)) {
            status = kn_recording_replay(queue, s->recording, err);
            k += all - k < BLOCK ? all - k : BLOCK;
        } else {
            status = iterate(queue, s, k, k + 1 == all, err);
            k++;
        }
        if (!status && looks && k % BLOCK == 0)
            status = kn_buffer_read(queue, s->buffers[SOLVER_STATE],
                                    (ki_solver_cell_of(s, k - 1) + 3) * SOLVER_CELL, &code, sizeof code, err);
    }
    *launched = k;
    return status ? status : kn_queue_finish(queue, err);
}
