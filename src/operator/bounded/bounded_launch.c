// SPDX-License-Identifier: Apache-2.0
// The launches, and the iteration that they form.
#include "bounded_internal.h"

#include "base/array.h"
#include "operator/cgnr/cgnr.h"

// ---- layout of the state ----

// The cells LIMIT and LENGTH, between those of the last iteration and more partial sums.
enum { ENDS = 2 };

size_t ki_bounded_goal(const struct bounded *s)
{
    return (size_t)CGNR_CELLS * s->parts * CGNR_CELL;
}

size_t ki_bounded_cell(const struct bounded *s, size_t k)
{
    return ki_bounded_goal(s) + (CGNR_START + CGNR_CELLS * k) * CGNR_CELL;
}

size_t ki_bounded_partial(const struct bounded *s, unsigned kind)
{
    size_t part = (size_t)s->parts * CGNR_CELL;

    return kind < CGNR_CELLS ? kind * part
                             : ki_bounded_cell(s, s->options.iterations + 1) + ENDS * CGNR_CELL +
                                   (kind - CGNR_CELLS) * part;
}

double ki_bounded_end(const struct bounded *s)
{
    return s->options.normal && s->options.tolerance > s->options.floor ? s->options.tolerance
                                                                        : s->options.floor;
}

// ---- launches ----

kn_status ki_bounded_launch(kn_queue *queue, const struct bounded *s, unsigned kernel, const kn_arg *args,
                            size_t count, kn_error *err)
{
    const kn_range range = {1, {s->parts * s->group}, {s->group}, {0}};

    return kn_launch(queue, s->kernels[kernel], &range, args, count, NO_EVENT, err);
}

kn_status ki_bounded_launch_residual(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[BOUNDED_W]), KN_BUFFER(b[BOUNDED_RIGHT]), KN_BUFFER(b[BOUNDED_R]),
                           KN_VALUE(s->rows),       KN_BUFFER(b[BOUNDED_STATE]), KN_VALUE(s->parts)};

    return ki_bounded_launch(queue, s, BOUNDED_RESIDUAL, args, KI_COUNT(args), err);
}

// Only the steps of Barzilai and Borwein need the changes of x and of the gradient; other methods do not keep
// them, and pass x in their place.
kn_status ki_bounded_launch_gradient(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    uint32_t changes = s->options.method == KN_SOLVE_BB;
    const kn_arg args[] = {KN_BUFFER(b[BOUNDED_V]),
                           KN_BUFFER(b[BOUNDED_X]),
                           KN_BUFFER(b[changes ? BOUNDED_X_BEFORE : BOUNDED_X]),
                           KN_BUFFER(b[changes ? BOUNDED_G_BEFORE : BOUNDED_X]),
                           KN_BUFFER(b[BOUNDED_G]),
                           KN_VALUE(s->columns),
                           KN_VALUE((float)s->options.lambda),
                           KN_VALUE((float)s->options.smooth),
                           KN_VALUE((uint32_t)(s->options.smooth > 0 ? s->options.order : 0)),
                           KN_VALUE((float)s->options.low),
                           KN_VALUE((float)s->options.high),
                           KN_VALUE(changes),
                           KN_BUFFER(b[BOUNDED_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return ki_bounded_launch(queue, s, BOUNDED_GRADIENT, args, KI_COUNT(args), err);
}

kn_status ki_bounded_launch_normal(kn_queue *queue, const struct bounded *s, const kn_buffer *d,
                                   kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[BOUNDED_V]),
                           KN_BUFFER(d),
                           KN_VALUE(s->columns),
                           KN_VALUE((float)(s->options.method >= KN_SOLVE_TV ? 0 : s->options.lambda)),
                           KN_VALUE((float)s->options.smooth),
                           KN_VALUE((uint32_t)(s->options.smooth > 0 ? s->options.order : 0)),
                           KN_BUFFER(b[BOUNDED_STATE]),
                           KN_VALUE(s->parts)};

    return ki_bounded_launch(queue, s, BOUNDED_NORMAL, args, KI_COUNT(args), err);
}

kn_status ki_bounded_launch_scale(kn_queue *queue, const struct bounded *s, kn_buffer *d, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[BOUNDED_V]), KN_BUFFER(d), KN_VALUE(s->columns),
                           KN_BUFFER(b[BOUNDED_STATE]), KN_VALUE(s->parts)};

    return ki_bounded_launch(queue, s, BOUNDED_SCALE, args, KI_COUNT(args), err);
}

kn_status ki_bounded_launch_project(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[BOUNDED_X]),         KN_VALUE(s->columns),
                           KN_VALUE((float)s->options.low), KN_VALUE((float)s->options.high),
                           KN_BUFFER(b[BOUNDED_STATE]),     KN_VALUE(s->parts)};

    return ki_bounded_launch(queue, s, BOUNDED_PROJECT, args, KI_COUNT(args), err);
}

kn_status ki_bounded_launch_weigh(kn_queue *queue, const struct bounded *s, const kn_buffer *from,
                                  const kn_buffer *weights, kn_buffer *to, uint32_t count, kn_error *err)
{
    const kn_arg args[] = {KN_BUFFER(from), KN_BUFFER(weights), KN_BUFFER(to), KN_VALUE(count)};

    return ki_bounded_launch(queue, s, BOUNDED_WEIGH, args, KI_COUNT(args), err);
}

// The arguments at the end of every method's step.
enum { STEP_TAIL = 7 };

static void add_tail(const struct bounded *s, kn_arg *args)
{
    double floor = s->options.floor;
    const kn_arg tail[STEP_TAIL] = {KN_VALUE(s->columns),
                                    KN_VALUE((float)s->options.low),
                                    KN_VALUE((float)s->options.high),
                                    KN_VALUE((float)(floor * floor)),
                                    KN_BUFFER(s->buffers[BOUNDED_STATE]),
                                    KN_VALUE(s->parts),
                                    KN_VALUE(s->most)};

    for (size_t i = 0; i < STEP_TAIL; i++)
        args[i] = tail[i];
}

static kn_status launch_gradient_step(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_arg args[4 + STEP_TAIL] = {KN_BUFFER(b[BOUNDED_G]), KN_BUFFER(b[BOUNDED_G_BEFORE]),
                                  KN_BUFFER(b[BOUNDED_X]), KN_BUFFER(b[BOUNDED_X_BEFORE])};

    add_tail(s, args + 4);
    return ki_bounded_launch(queue, s, BOUNDED_STEP, args, KI_COUNT(args), err);
}

static kn_status launch_sirt_step(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_arg args[3 + STEP_TAIL] = {KN_BUFFER(b[BOUNDED_V]), KN_BUFFER(b[BOUNDED_OF_COLUMNS]),
                                  KN_BUFFER(b[BOUNDED_X])};

    add_tail(s, args + 3);
    return ki_bounded_launch(queue, s, BOUNDED_STEP, args, KI_COUNT(args), err);
}

// ---- an iteration ----

// Evaluates x and steps to the next one, except in the last iteration, whose launch only records.
kn_status ki_bounded_iterate(const void *data, kn_queue *queue, size_t k, bool last, kn_error *err)
{
    const struct bounded *s = data;
    kn_buffer *const *b = s->buffers;
    bool sirt = s->options.method == KN_SOLVE_SIRT;
    kn_status status = ki_operator_apply(s->a, queue, false, b[BOUNDED_X], b[BOUNDED_W], err);

    (void)k;
    if (!status)
        status = ki_bounded_launch_residual(queue, s, err);
    if (!status)
        status = ki_operator_apply(s->a, queue, true, b[BOUNDED_R], b[BOUNDED_V], err);
    if (!status)
        status = ki_bounded_launch_gradient(queue, s, err);
    if (!status && sirt && !last)
        status =
            ki_bounded_launch_weigh(queue, s, b[BOUNDED_R], b[BOUNDED_OF_ROWS], b[BOUNDED_W], s->rows, err);
    if (!status && sirt && !last)
        status = ki_operator_apply(s->a, queue, true, b[BOUNDED_W], b[BOUNDED_V], err);
    return status ? status : sirt ? launch_sirt_step(queue, s, err) : launch_gradient_step(queue, s, err);
}
