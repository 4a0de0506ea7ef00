// SPDX-License-Identifier: Apache-2.0
// The launches of a self-adjoint operator's equation (cl/operator/cg.cl).
#include "base/array.h"
#include "cgnr_internal.h"

static kn_status launch(kn_queue *queue, const struct cgnr *s, unsigned kernel, const kn_arg *args,
                        size_t count, kn_error *err)
{
    const kn_range range = {1, {s->parts * s->group}, {s->group}, {0}};

    return kn_launch(queue, s->kernels[kernel], &range, args, count, NO_EVENT, err);
}

// v += smooth D^H D d, and partial sums of d.v.
static kn_status launch_difference(kn_queue *queue, const struct cgnr *s, const kn_buffer *d, kn_error *err)
{
    const kn_arg args[] = {KN_BUFFER(s->buffers[CGNR_V]),
                           KN_BUFFER(d),
                           KN_VALUE((uint32_t)s->image.size[0]),
                           KN_VALUE((uint32_t)s->image.size[1]),
                           KN_VALUE((uint32_t)s->image.size[2]),
                           KN_VALUE((uint32_t)s->image.periodic),
                           cgnr_scalar(s, s->terms.smooth),
                           KN_BUFFER(s->buffers[CGNR_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return launch(queue, s, CG_DIFFERENCE, args, KI_COUNT(args), err);
}

kn_status ki_cg_launch_begin(kn_queue *queue, const struct cgnr *s, const kn_buffer *right, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[CGNR_V]),           KN_BUFFER(right),
                           KN_BUFFER(b[CGNR_X]),           KN_BUFFER(b[CGNR_H]),
                           KN_VALUE((uint64_t)s->columns), cgnr_scalar(s, s->terms.lambda),
                           KN_BUFFER(b[CGNR_STATE]),       KN_VALUE(s->parts)};
    kn_status status = cgnr_has_image(s) ? launch_difference(queue, s, b[CGNR_X], err) : KN_OK;

    return status ? status : launch(queue, s, CG_BEGIN, args, KI_COUNT(args), err);
}

kn_status ki_cg_launch_curve(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[CGNR_V]),
                           KN_BUFFER(b[CGNR_D]),
                           KN_VALUE((uint64_t)s->columns),
                           cgnr_scalar(s, s->terms.lambda),
                           KN_BUFFER(b[CGNR_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return cgnr_has_image(s) ? launch_difference(queue, s, b[CGNR_D], err)
                             : launch(queue, s, CG_CURVE, args, KI_COUNT(args), err);
}

kn_status ki_cg_launch_step(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[CGNR_D]),
                           KN_BUFFER(b[CGNR_V]),
                           KN_BUFFER(b[CGNR_H]),
                           KN_VALUE((uint64_t)s->columns),
                           cgnr_scalar(s, s->terms.lambda),
                           KN_BUFFER(b[CGNR_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return launch(queue, s, CG_STEP, args, KI_COUNT(args), err);
}

kn_status ki_cg_launch_turn(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[CGNR_X]),
                           KN_BUFFER(b[CGNR_D]),
                           KN_BUFFER(b[CGNR_H]),
                           KN_VALUE((uint64_t)s->columns),
                           cgnr_scalar(s, s->terms.gradient),
                           KN_BUFFER(b[CGNR_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return launch(queue, s, CG_TURN, args, KI_COUNT(args), err);
}
