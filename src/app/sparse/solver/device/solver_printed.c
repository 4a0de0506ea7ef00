// SPDX-License-Identifier: Apache-2.0
// The launches that the loop as its source prints it has in place of the step
// (cl/app/sparse/sparse_printed.cl).
#include "base/array.h"
#include "solver_internal.h"

static kn_status launch(kn_queue *queue, const struct sparse_solver *s, unsigned kernel, const kn_arg *args,
                        size_t count, kn_error *err)
{
    const kn_range range = {1, {s->parts * s->group}, {s->group}, {0}};

    return kn_launch(queue, s->kernels[kernel], &range, args, count, NO_EVENT, err);
}

static kn_status launch_move(kn_queue *queue, const struct sparse_solver *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[SOLVER_D]), KN_BUFFER(b[SOLVER_E]),    KN_BUFFER(b[SOLVER_X]),
                           KN_VALUE(s->columns),   KN_VALUE(s->terms.weight), KN_BUFFER(b[SOLVER_STATE]),
                           KN_VALUE(s->parts),     KN_VALUE(s->most)};

    return launch(queue, s, SOLVER_PRINTED_MOVE, args, KI_COUNT(args), err);
}

static kn_status launch_residual(kn_queue *queue, const struct sparse_solver *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[SOLVER_W]), KN_BUFFER(b[SOLVER_RIGHT]), KN_BUFFER(b[SOLVER_R]),
                           KN_VALUE(s->rows),      KN_BUFFER(b[SOLVER_STATE]), KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return launch(queue, s, SOLVER_PRINTED_RESIDUAL, args, KI_COUNT(args), err);
}

static kn_status launch_gradient(kn_queue *queue, const struct sparse_solver *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    const kn_arg args[] = {KN_BUFFER(b[SOLVER_V]),     KN_BUFFER(b[SOLVER_X]),    KN_BUFFER(b[SOLVER_E]),
                           KN_BUFFER(b[SOLVER_H]),     KN_VALUE(s->columns),      KN_VALUE(s->terms.lambda),
                           KN_VALUE(s->terms.smooth),  KN_VALUE(s->terms.weight), KN_VALUE(s->terms.order),
                           KN_BUFFER(b[SOLVER_STATE]), KN_VALUE(s->parts),        KN_VALUE(s->most)};

    return launch(queue, s, SOLVER_PRINTED_GRADIENT, args, KI_COUNT(args), err);
}

kn_status ki_solver_launch_printed(kn_queue *queue, const struct sparse_solver *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_status status = launch_move(queue, s, err);

    if (!status)
        status = ki_spmv_product_apply(queue, &s->products[0], b[SOLVER_X], b[SOLVER_W], err);
    if (!status)
        status = launch_residual(queue, s, err);
    if (!status)
        status = ki_spmv_product_apply(queue, &s->products[1], b[SOLVER_R], b[SOLVER_V], err);
    return status ? status : launch_gradient(queue, s, err);
}
