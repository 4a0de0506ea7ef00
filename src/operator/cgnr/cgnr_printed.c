// SPDX-License-Identifier: Apache-2.0
// The launches that replace the step in the loop as printed in the paper (cl/operator/cgnr_printed.cl).
#include "base/array.h"
#include "cgnr_internal.h"

static kn_status launch(kn_queue *queue, const struct cgnr *s, unsigned kernel, const kn_arg *args,
                        size_t count, kn_error *err)
{
    const kn_range range = {1, {s->parts * s->group}, {s->group}, {0}};

    return kn_launch(queue, s->kernels[kernel], &range, args, count, NO_EVENT, err);
}

static kn_status launch_move(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[CGNR_D]),
                           KN_BUFFER(b[CGNR_E]),
                           KN_BUFFER(b[CGNR_X]),
                           KN_VALUE(s->columns),
                           cgnr_scalar(s, s->terms.weight),
                           KN_BUFFER(b[CGNR_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return launch(queue, s, CGNR_PRINTED_MOVE, args, KI_COUNT(args), err);
}

static kn_status launch_residual(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[CGNR_W]), KN_BUFFER(b[CGNR_RIGHT]), KN_BUFFER(b[CGNR_R]),
                           KN_VALUE(s->rows),    KN_BUFFER(b[CGNR_STATE]), KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return launch(queue, s, CGNR_PRINTED_RESIDUAL, args, KI_COUNT(args), err);
}

static kn_status launch_gradient(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[CGNR_V]),
                           KN_BUFFER(b[CGNR_X]),
                           KN_BUFFER(b[CGNR_E]),
                           KN_BUFFER(b[CGNR_H]),
                           KN_VALUE(s->columns),
                           cgnr_scalar(s, s->terms.lambda),
                           cgnr_scalar(s, s->terms.smooth),
                           cgnr_scalar(s, s->terms.weight),
                           KN_VALUE(s->terms.order),
                           KN_BUFFER(b[CGNR_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return launch(queue, s, CGNR_PRINTED_GRADIENT, args, KI_COUNT(args), err);
}

kn_status ki_cgnr_launch_printed(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_status status = launch_move(queue, s, err);

    if (!status)
        status = ki_operator_apply(s->a, queue, false, b[CGNR_X], b[CGNR_W], err);
    if (!status)
        status = launch_residual(queue, s, err);
    if (!status)
        status = ki_operator_apply(s->a, queue, true, b[CGNR_R], b[CGNR_V], err);
    return status ? status : launch_gradient(queue, s, err);
}
