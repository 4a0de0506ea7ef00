// SPDX-License-Identifier: Apache-2.0
// The launches of a sparse wavelet transform (cl/operator/wavelet.cl).
#include "bounded_internal.h"

#include "base/array.h"

// What a level reads from and writes to: the first one from G, the next back to it.
static kn_buffer *side(const struct bounded *s, unsigned level)
{
    return s->buffers[level % 2 ? BOUNDED_DUAL : BOUNDED_G];
}

// A level's box and taps.
enum { BOX_ARGS = 10 };

static void add_box(const struct bounded *s, unsigned level, kn_arg *args)
{
    const struct wavelet *wavelet = &s->wavelet;
    const struct wavelet_level *box = &wavelet->level[level];
    const kn_arg all[BOX_ARGS] = {
        KN_VALUE((uint32_t)box->lengths[0]),     KN_VALUE((uint32_t)box->lengths[1]),
        KN_VALUE((uint32_t)box->lengths[2]),     KN_VALUE((uint64_t)wavelet->strides[1]),
        KN_VALUE((uint64_t)wavelet->strides[2]), KN_VALUE((uint32_t)box->halved),
        KN_VALUE((float)wavelet->taps[0]),       KN_VALUE((float)wavelet->taps[1]),
        KN_VALUE((float)wavelet->taps[2]),       KN_VALUE((float)wavelet->taps[3])};

    for (size_t i = 0; i < BOX_ARGS; i++)
        args[i] = all[i];
}

kn_status ki_bounded_launch_splits(kn_queue *queue, const struct bounded *s, double lambda, unsigned ahead,
                                   kn_error *err)
{
    kn_status status = KN_OK;

    for (unsigned level = 0; level < s->wavelet.levels && !status; level++) {
        const kn_arg tail[] = {KN_VALUE((float)lambda),   KN_VALUE((uint32_t)(level == 0)),
                               KN_VALUE((uint32_t)ahead), KN_BUFFER(s->buffers[BOUNDED_STATE]),
                               KN_VALUE(s->parts),        KN_VALUE(s->most)};
        kn_arg args[2 + BOX_ARGS + KI_COUNT(tail)] = {KN_BUFFER(side(s, level)),
                                                      KN_BUFFER(side(s, level + 1))};

        add_box(s, level, args + 2);
        for (size_t i = 0; i < KI_COUNT(tail); i++)
            args[2 + BOX_ARGS + i] = tail[i];
        status = ki_bounded_launch(queue, s, BOUNDED_WAVELET_SPLIT, args, KI_COUNT(args), err);
    }
    return status;
}

static kn_status launch_joins(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_status status = KN_OK;

    for (unsigned level = s->wavelet.levels; level-- > 0 && !status;) {
        kn_arg args[2 + BOX_ARGS] = {KN_BUFFER(side(s, level + 1)), KN_BUFFER(side(s, level))};

        add_box(s, level, args + 2);
        status = ki_bounded_launch(queue, s, BOUNDED_WAVELET_JOIN, args, KI_COUNT(args), err);
    }
    return status;
}

static const kn_buffer *gradient_of(const struct bounded *s)
{
    return s->buffers[s->options.normal ? BOUNDED_R : BOUNDED_V];
}

static kn_status launch_point(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(gradient_of(s)),
                           KN_BUFFER(b[BOUNDED_G_BEFORE]),
                           KN_BUFFER(b[BOUNDED_X]),
                           KN_BUFFER(b[BOUNDED_X_BEFORE]),
                           KN_BUFFER(b[BOUNDED_RIGHT]),
                           KN_BUFFER(b[BOUNDED_G]),
                           KN_VALUE(s->columns),
                           KN_VALUE((uint32_t)s->options.normal),
                           KN_BUFFER(b[BOUNDED_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return ki_bounded_launch(queue, s, BOUNDED_WAVELET_POINT, args, KI_COUNT(args), err);
}

static kn_status launch_compare(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {
        KN_BUFFER(b[BOUNDED_G]), KN_BUFFER(b[BOUNDED_X]),     KN_BUFFER(b[BOUNDED_X_BEFORE]),
        KN_VALUE(s->columns),    KN_BUFFER(b[BOUNDED_STATE]), KN_VALUE(s->parts),
        KN_VALUE(s->most)};

    return ki_bounded_launch(queue, s, BOUNDED_WAVELET_COMPARE, args, KI_COUNT(args), err);
}

static kn_status launch_move(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const double end = ki_bounded_end(s);
    const kn_arg args[] = {KN_BUFFER(b[BOUNDED_G]),
                           KN_BUFFER(gradient_of(s)),
                           KN_BUFFER(b[BOUNDED_G_BEFORE]),
                           KN_BUFFER(b[BOUNDED_X]),
                           KN_BUFFER(b[BOUNDED_X_BEFORE]),
                           KN_VALUE(s->columns),
                           KN_VALUE((uint32_t)s->options.normal),
                           KN_VALUE((float)(end * end)),
                           KN_BUFFER(b[BOUNDED_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return ki_bounded_launch(queue, s, BOUNDED_STEP, args, KI_COUNT(args), err);
}

// Evaluates x, and makes the next one, except in the last iteration, which only records by how much it would
// differ.
kn_status ki_bounded_iterate_wavelet(const void *data, kn_queue *queue, size_t k, bool last, kn_error *err)
{
    const struct bounded *s = data;
    kn_buffer *const *b = s->buffers;
    kn_status status = ki_operator_apply(s->a, queue, false, b[BOUNDED_X], b[BOUNDED_W], err);

    (void)k;
    (void)last;
    if (!status)
        status = ki_bounded_launch_residual(queue, s, err);
    if (!status && !s->options.normal)
        status = ki_operator_apply(s->a, queue, true, b[BOUNDED_R], b[BOUNDED_V], err);
    if (!status)
        status = launch_point(queue, s, err);
    if (!status)
        status = ki_bounded_launch_splits(queue, s, s->options.lambda, 1, err);
    if (!status)
        status = launch_joins(queue, s, err);
    if (!status)
        status = launch_compare(queue, s, err);
    return status ? status : launch_move(queue, s, err);
}
