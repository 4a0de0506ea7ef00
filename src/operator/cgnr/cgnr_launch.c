// SPDX-License-Identifier: Apache-2.0
// The iterations and their launches.
#include "cgnr_internal.h"

#include "base/array.h"

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
                           cgnr_scalar(s, s->terms.lambda),
                           cgnr_scalar(s, s->terms.smooth),
                           cgnr_scalar(s, s->terms.weight),
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
                           KN_BUFFER(b[CGNR_X]),     KN_VALUE(s->columns), cgnr_scalar(s, s->terms.weight),
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
    const kn_arg args[] = {KN_BUFFER(b[CGNR_D]),
                           KN_BUFFER(b[CGNR_H]),
                           KN_BUFFER(b[CGNR_X]),
                           KN_VALUE(s->columns),
                           cgnr_scalar(s, s->terms.weight),
                           cgnr_scalar(s, s->terms.gradient),
                           cgnr_scalar(s, s->terms.residual),
                           KN_BUFFER(b[CGNR_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return launch(queue, s, CGNR_TURN, args, KI_COUNT(args), err);
}

// ---- an iteration ----

// Takes the step that the previous iteration has prepared, which gives this iteration's x; unless this is the
// last iteration, also computes A d.
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

// The same for the normal equations, with A^T A d.
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

static kn_status iterate(const void *data, kn_queue *queue, size_t iteration, bool last, kn_error *err)
{
    const struct cgnr *s = data;

    if (s->is_fused)
        return s->fused.iterate(s->fused.data, queue, s, (uint32_t)iteration, last, err);
    return s->options.self_adjoint ? iterate_equation(queue, s, last, err)
                                   : iterate_separate(queue, s, last, err);
}

// ---- all iterations ----

size_t ki_cgnr_cell_of(const struct cgnr *s, size_t k)
{
    return CGNR_CELLS * (size_t)s->parts + CGNR_START + CGNR_CELLS * k;
}

// Launches of a block beyond the last iteration do nothing, except for separate products.
static struct operator_loop loop_of(const struct cgnr *s, size_t most)
{
    bool looks = s->options.gradient > 0 || cgnr_keeps_residual(&s->options);

    return (struct operator_loop){.iterate = iterate,
                                  .data = s,
                                  .count = most + 1,
                                  .recording = s->recording,
                                  .goes_beyond = s->is_fused && most == s->options.iterations,
                                  .state = looks ? s->buffers[CGNR_STATE] : NULL,
                                  .first = (ki_cgnr_cell_of(s, 0) + 3) * CGNR_CELL,
                                  .stride = CGNR_CELLS * CGNR_CELL,
                                  .progress = s->options.progress,
                                  .progress_data = s->options.progress_data};
}

kn_status ki_cgnr_record(kn_queue *queue, struct cgnr *s, kn_error *err)
{
    const struct operator_loop loop = loop_of(s, s->options.iterations);

    if (s->options.unrecorded || s->options.progress || s->options.noise > 0 || s->most + 1 < LOOP_BLOCK ||
        !s->a->can_record)
        return KN_OK;
    return ki_loop_record(queue, &loop, s->options.recording, &s->recording, err);
}

kn_status ki_cgnr_iterate_all(kn_queue *queue, const struct cgnr *s, size_t most, size_t *launched,
                              kn_error *err)
{
    const struct operator_loop loop = loop_of(s, most);

    return ki_loop_run(queue, &loop, launched, err);
}

kn_status ki_cgnr_launch_all(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    struct operator_loop loop = loop_of(s, s->options.iterations);
    size_t launched;

    loop.state = NULL;
    return ki_loop_launch(queue, &loop, &launched, err);
}
