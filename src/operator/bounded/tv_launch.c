// SPDX-License-Identifier: Apache-2.0
// The launches of total variation (cl/operator/tv.cl).
#include "bounded_internal.h"

#include "base/array.h"

static kn_status launch_rows(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[BOUNDED_W]), KN_BUFFER(b[BOUNDED_RIGHT]), KN_BUFFER(b[BOUNDED_R]),
                           KN_BUFFER(b[BOUNDED_P]), KN_VALUE(s->rows),           KN_BUFFER(b[BOUNDED_STATE]),
                           KN_VALUE(s->parts)};

    return ki_bounded_launch(queue, s, BOUNDED_TV_ROWS, args, KI_COUNT(args), err);
}

static kn_status launch_normal(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[BOUNDED_W]),     KN_BUFFER(b[BOUNDED_RIGHT]), KN_BUFFER(b[BOUNDED_X]),
                           KN_BUFFER(b[BOUNDED_R]),     KN_BUFFER(b[BOUNDED_P]),     KN_VALUE(s->columns),
                           KN_BUFFER(b[BOUNDED_STATE]), KN_VALUE(s->parts),          KN_VALUE(s->most)};

    return ki_bounded_launch(queue, s, BOUNDED_TV_ROWS, args, KI_COUNT(args), err);
}

static kn_status launch_differences(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const size_t *lengths = s->grid.lengths;
    const kn_arg args[] = {KN_BUFFER(b[BOUNDED_X]),
                           KN_BUFFER(b[BOUNDED_X_BEFORE]),
                           KN_BUFFER(b[BOUNDED_DUAL]),
                           KN_VALUE((uint32_t)lengths[0]),
                           KN_VALUE((uint32_t)lengths[1]),
                           KN_VALUE((uint32_t)lengths[2]),
                           KN_VALUE((float)s->options.lambda),
                           KN_VALUE((float)(1 / (2 * s->grid.norm))),
                           KN_BUFFER(b[BOUNDED_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return ki_bounded_launch(queue, s, BOUNDED_TV_DIFFERENCES, args, KI_COUNT(args), err);
}

static kn_status launch_step(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const size_t *lengths = s->grid.lengths;
    double end = ki_bounded_end(s);
    const kn_arg args[] = {KN_BUFFER(b[s->options.normal ? BOUNDED_P : BOUNDED_V]),
                           KN_BUFFER(b[BOUNDED_DUAL]),
                           KN_BUFFER(b[BOUNDED_X]),
                           KN_BUFFER(b[BOUNDED_X_BEFORE]),
                           KN_VALUE((uint32_t)lengths[0]),
                           KN_VALUE((uint32_t)lengths[1]),
                           KN_VALUE((uint32_t)lengths[2]),
                           KN_VALUE((float)s->options.low),
                           KN_VALUE((float)s->options.high),
                           KN_VALUE((float)(end * end)),
                           KN_BUFFER(b[BOUNDED_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return ki_bounded_launch(queue, s, BOUNDED_STEP, args, KI_COUNT(args), err);
}

// Evaluates x' and steps to the next one, except in the last iteration, whose launch only records.
kn_status ki_bounded_iterate_tv(const void *data, kn_queue *queue, size_t k, bool last, kn_error *err)
{
    const struct bounded *s = data;
    kn_buffer *const *b = s->buffers;
    kn_status status = ki_operator_apply(s->a, queue, false, b[BOUNDED_X], b[BOUNDED_W], err);

    (void)k;
    if (!status)
        status = (s->options.normal ? launch_normal : launch_rows)(queue, s, err);
    if (!status)
        status = launch_differences(queue, s, err);
    if (!status && !last && !s->options.normal)
        status = ki_operator_apply(s->a, queue, true, b[BOUNDED_P], b[BOUNDED_V], err);
    return status ? status : launch_step(queue, s, err);
}
