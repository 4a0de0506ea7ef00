// SPDX-License-Identifier: Apache-2.0
// The iterations: their launches, and how many of them before the host looks.
#include "cgnr_internal.h"

#include "base/array.h"
#include "base/error.h"

// Iterations that are recorded together, and between two looks of the host's; even, as fused ones take turns
// between two places. And between two looks at iterations that are launched one by one.
enum { BLOCK = 32, LOOK = 8 };

// ---- launches ----

static kn_status launch(kn_queue *queue, const struct cgnr *s, unsigned kernel, const kn_arg *args,
                        size_t count, kn_error *err)
{
    const kn_range range = {1, {s->parts * s->group}, {s->group}, {0}};

    return kn_launch(queue, s->kernels[kernel], &range, args, count, NO_EVENT, err);
}

kn_status ki_cgnr_launch_residual(kn_queue *queue, const struct cgnr *s, const kn_buffer *right,
                                  kn_error *err)
{
    kn_arg args[7] = {KN_BUFFER(s->buffers[CGNR_W]), KN_BUFFER(right)};
    size_t count = 2;

    if (s->is_fused)
        args[count++] = KN_BUFFER(s->fused.row_order);
    args[count++] = KN_BUFFER(s->buffers[CGNR_R]);
    args[count++] = KN_VALUE(s->rows);
    args[count++] = KN_BUFFER(s->buffers[CGNR_STATE]);
    args[count++] = KN_VALUE(s->parts);
    return launch(queue, s, CGNR_RESIDUAL, args, count, err);
}

kn_status ki_cgnr_launch_curve(kn_queue *queue, const struct cgnr *s, kn_buffer *d, kn_buffer *h,
                               kn_buffer *e, kn_error *err)
{
    const kn_arg args[] = {KN_BUFFER(s->buffers[CGNR_V]),
                           KN_BUFFER(d),
                           KN_BUFFER(h),
                           KN_BUFFER(s->buffers[CGNR_X]),
                           KN_BUFFER(e),
                           KN_VALUE(s->columns),
                           KN_VALUE(s->terms.lambda),
                           KN_VALUE(s->terms.smooth),
                           KN_VALUE(s->terms.weight),
                           KN_VALUE(s->terms.order),
                           KN_BUFFER(s->buffers[CGNR_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return launch(queue, s, CGNR_CURVE, args, KI_COUNT(args), err);
}

static kn_status launch_step(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[CGNR_D]),     KN_BUFFER(b[CGNR_E]), KN_BUFFER(b[CGNR_H]),
                           KN_BUFFER(b[CGNR_X]),     KN_VALUE(s->columns), KN_VALUE(s->terms.weight),
                           KN_BUFFER(b[CGNR_STATE]), KN_VALUE(s->parts),   KN_VALUE(s->most)};

    return launch(queue, s, CGNR_STEP, args, KI_COUNT(args), err);
}

static kn_status launch_rest(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[CGNR_W]),     KN_BUFFER(b[CGNR_R]), KN_VALUE(s->rows),
                           KN_BUFFER(b[CGNR_STATE]), KN_VALUE(s->parts),   KN_VALUE(s->most)};

    return launch(queue, s, CGNR_REST, args, KI_COUNT(args), err);
}

static kn_status launch_turn(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[CGNR_D]),        KN_BUFFER(b[CGNR_H]),
                           KN_BUFFER(b[CGNR_X]),        KN_VALUE(s->columns),
                           KN_VALUE(s->terms.weight),   KN_VALUE(s->terms.gradient),
                           KN_VALUE(s->terms.residual), KN_BUFFER(b[CGNR_STATE]),
                           KN_VALUE(s->parts),          KN_VALUE(s->most)};

    return launch(queue, s, CGNR_TURN, args, KI_COUNT(args), err);
}

// ---- an iteration ----

// The step that the iteration before has prepared, and with it x of this one; unless it is the last, A d.
static kn_status iterate_equation(kn_queue *queue, const struct cgnr *s, bool last, kn_error *err)
{
    kn_status status = ki_cg_launch_step(queue, s, err);

    if (!status)
        status = ki_cg_launch_turn(queue, s, err);
    if (status || last)
        return status;
    status = ki_operator_apply(s->a, queue, false, s->buffers[CGNR_D], s->buffers[CGNR_V], err);
    return status ? status : ki_cg_launch_curve(queue, s, err);
}

// The same of normal equations, with A^T A d.
static kn_status iterate_separate(kn_queue *queue, const struct cgnr *s, bool last, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_status status =
        s->options.printed ? ki_cgnr_launch_printed(queue, s, err) : launch_step(queue, s, err);

    if (!status && cgnr_keeps_residual(&s->options) && !s->options.printed)
        status = launch_rest(queue, s, err);
    if (!status)
        status = launch_turn(queue, s, err);
    if (!status)
        status = ki_cgnr_white_launch(queue, s, err);
    if (status || last)
        return status;
    status = ki_operator_apply(s->a, queue, false, b[CGNR_D], b[CGNR_W], err);
    if (!status)
        status = ki_operator_apply(s->a, queue, true, b[CGNR_W], b[CGNR_V], err);
    return status ? status : ki_cgnr_launch_curve(queue, s, b[CGNR_D], b[CGNR_H], b[CGNR_E], err);
}

static kn_status iterate(kn_queue *queue, const struct cgnr *s, size_t iteration, bool last, kn_error *err)
{
    if (s->is_fused)
        return s->fused.iterate(s->fused.data, queue, s, (uint32_t)iteration, last, err);
    return s->options.self_adjoint ? iterate_equation(queue, s, last, err)
                                   : iterate_separate(queue, s, last, err);
}

// ---- all of them ----

kn_status ki_cgnr_record(kn_queue *queue, struct cgnr *s, kn_error *err)
{
    kn_status status;

    if (s->options.unrecorded || s->options.progress || s->options.noise > 0 || s->most + 1 < BLOCK ||
        !s->a->can_record)
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
static bool is_block(const struct cgnr *s, size_t left)
{
    return s->recording && (left >= BLOCK || (s->is_fused && left > BLOCK / 4));
}

size_t ki_cgnr_cell_of(const struct cgnr *s, size_t k)
{
    return CGNR_CELLS * (size_t)s->parts + CGNR_START + CGNR_CELLS * k;
}

kn_status ki_cgnr_iterate_all(kn_queue *queue, const struct cgnr *s, size_t *launched, kn_error *err)
{
    size_t all = s->options.iterations + 1, k = 0, look = s->recording ? BLOCK : LOOK;
    bool looks = s->options.gradient > 0 || cgnr_keeps_residual(&s->options);
    double code = 0;
    kn_status status = KN_OK;

    while (k < all && code == 0 && !status) {
        if (s->options.progress && k + 1 < all && !s->options.progress(s->options.progress_data, k))
            return ki_fail(err, KN_ERROR_INTERRUPTED, "stopped before iteration %zu", k);
        if (is_block(s, all - k)) {
            status = kn_recording_replay(queue, s->recording, err);
            k += all - k < BLOCK ? all - k : BLOCK;
        } else {
            status = iterate(queue, s, k, k + 1 == all, err);
            k++;
        }
        if (!status && looks && k % look == 0)
            status = kn_buffer_read(queue, s->buffers[CGNR_STATE],
                                    (ki_cgnr_cell_of(s, k - 1) + 3) * CGNR_CELL, &code, sizeof code, err);
    }
    *launched = k;
    return status ? status : kn_queue_finish(queue, err);
}
