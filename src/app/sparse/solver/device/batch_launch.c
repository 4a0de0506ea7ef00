// SPDX-License-Identifier: Apache-2.0
#include "batch_internal.h"

#include <string.h>

#include "base/array.h"

enum { LOOK = 32, LONGEST_LAUNCH = 512 };

// ---- shapes ----

struct batch_shape ki_batch_shape_of(const struct sparse_batch_options *o, unsigned kernel)
{
    bool back = kernel == BATCH_MULTIPLY_BACK || kernel == BATCH_BACK || kernel == BATCH_GATHER;
    bool tiles = kernel == BATCH_TILE || kernel == BATCH_GATHER;
    bool steps = kernel == BATCH_MOVE || kernel == BATCH_TURN || kernel == BATCH_REST;

    return (struct batch_shape){.group = steps  ? o->step_group
                                         : back ? o->back_group
                                                : o->group,
                                .wide = back ? o->back_wide : o->wide,
                                .shares = tiles  ? 1
                                          : back ? o->back_shares
                                                 : o->shares,
                                .ahead = back ? o->back_ahead : o->ahead};
}

// The rows that a group of a product computes at a time.
uint32_t ki_batch_rows_of(const struct sparse_batch_options *o, unsigned kernel)
{
    struct batch_shape shape = ki_batch_shape_of(o, kernel);

    return shape.group * shape.wide / (o->images * shape.shares);
}

// ---- launches ----

kn_status ki_batch_launch(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                          unsigned kernel, size_t groups, const kn_arg *args, size_t count, kn_error *err)
{
    size_t group = ki_batch_shape_of(&b->options, kernel).group;
    const kn_range range = {2, {groups * group, run->blocks}, {group, 1}, {0}};

    return groups && run->blocks ? kn_launch(queue, b->kernels[kernel], &range, args, count, NO_EVENT, err)
                                 : KN_OK;
}

// The groups that give each of n lines of a block a work-item.
size_t ki_batch_groups_of(const struct sparse_batch *b, size_t n)
{
    return (n * b->options.images + b->options.group - 1) / b->options.group;
}

// to = A from, or A^T from.
kn_status ki_batch_multiply(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                            unsigned transposed, kn_buffer *from, kn_buffer *to, kn_error *err)
{
    kn_buffer *const *a = b->products[transposed].buffers;
    uint32_t rows = transposed ? b->columns : b->rows, n = transposed ? b->rows : b->columns;
    unsigned kernel = transposed ? BATCH_MULTIPLY_BACK : BATCH_MULTIPLY;
    size_t each = ki_batch_rows_of(&b->options, kernel);
    const kn_arg args[] = {KN_BUFFER(a[SPMV_CSR_STARTS]),
                           KN_BUFFER(a[SPMV_CSR_INDICES]),
                           KN_BUFFER(a[SPMV_CSR_VALUES]),
                           KN_VALUE(rows),
                           KN_VALUE(n),
                           KN_BUFFER(from),
                           KN_BUFFER(to)};

    return ki_batch_launch(queue, b, run, kernel, (rows + each - 1) / each, args, KI_COUNT(args), err);
}

// Appends the arguments of curve_images (e's vectors, its terms, ends and parts) to the first `count` ones;
// returns the new count.
static size_t add_curve(kn_arg *args, size_t count, const struct sparse_batch *b, const struct batch_run *run,
                        const uint32_t *iteration)
{
    kn_buffer *const *m = b->buffers;
    const struct cgnr_terms *t = &b->terms;
    const kn_arg curve[] = {
        KN_BUFFER(m[BATCH_E]),      KN_BUFFER(m[BATCH_X]),      KN_BUFFER(m[BATCH_H]),
        KN_BUFFER(m[BATCH_D]),      KN_VALUE((float)t->weight), KN_VALUE((float)t->lambda),
        KN_VALUE((float)t->smooth), KN_VALUE(t->order),         KN_BUFFER(m[BATCH_ENDS]),
        KN_VALUE(run->all),         KN_VALUE(*iteration),       KN_BUFFER(m[BATCH_PARTS])};

    memcpy(args + count, curve, sizeof curve);
    return count + KI_COUNT(curve);
}

enum { MOST_ARGUMENTS = 24 };

// w = A d, and e = A^T w + L d.
static kn_status launch_products(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                                 uint32_t iteration, kn_error *err)
{
    kn_buffer *const *m = b->buffers, *const *a = b->products[1].buffers;
    kn_arg args[MOST_ARGUMENTS] = {KN_BUFFER(a[SPMV_CSR_STARTS]),
                                   KN_BUFFER(a[SPMV_CSR_INDICES]),
                                   KN_BUFFER(a[SPMV_CSR_VALUES]),
                                   KN_VALUE(b->columns),
                                   KN_VALUE(b->rows),
                                   KN_VALUE(b->back.each),
                                   KN_BUFFER(m[BATCH_W])};
    size_t count = add_curve(args, 7, b, run, &iteration);
    kn_status status = ki_batch_multiply(queue, b, run, 0, m[BATCH_D], m[BATCH_W], err);

    return status ? status : ki_batch_launch(queue, b, run, BATCH_BACK, b->back.count, args, count, err);
}

// Both products of an iteration, by tiles.
static kn_status launch_tiles(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                              uint32_t iteration, kn_error *err)
{
    kn_buffer *const *m = b->buffers, *const *a = b->tile_buffers;
    const kn_arg tile[] = {KN_BUFFER(a[BATCH_TILE_STARTS]),
                           KN_BUFFER(a[BATCH_TILE_NONZEROS]),
                           KN_VALUE(b->tile_rows),
                           KN_BUFFER(a[BATCH_TILE_FIRSTS]),
                           KN_BUFFER(a[BATCH_TILE_ENTRIES]),
                           KN_BUFFER(a[BATCH_TILE_BACK]),
                           KN_VALUE(b->columns),
                           KN_VALUE(b->lines),
                           KN_BUFFER(m[BATCH_D]),
                           KN_BUFFER(m[BATCH_LINES])};
    kn_arg gather[MOST_ARGUMENTS] = {KN_BUFFER(a[BATCH_TILE_COLUMNS]), KN_VALUE(b->columns),
                                     KN_VALUE(b->back.each), KN_VALUE(b->lines), KN_BUFFER(m[BATCH_LINES])};
    size_t count = add_curve(gather, 5, b, run, &iteration);
    kn_status status = ki_batch_launch(queue, b, run, BATCH_TILE, b->tiles, tile, KI_COUNT(tile), err);

    return status ? status : ki_batch_launch(queue, b, run, BATCH_GATHER, b->back.count, gather, count, err);
}

// The rest of an iteration: moves x and h along d, and computes the next d.
static kn_status launch_step(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                             uint32_t iteration, kn_error *err)
{
    kn_buffer *const *m = b->buffers;
    const struct cgnr_terms *t = &b->terms;
    const uint32_t parts = iteration > 0 ? b->back.count : 0;
    const size_t groups = b->options.images / b->options.step * (size_t)b->steps.count;
    const kn_arg move[] = {KN_BUFFER(m[BATCH_X]),
                           KN_BUFFER(m[BATCH_H]),
                           KN_BUFFER(m[BATCH_D]),
                           KN_BUFFER(m[BATCH_E]),
                           KN_VALUE(b->columns),
                           KN_VALUE(b->steps.each),
                           KN_VALUE((float)t->weight),
                           KN_BUFFER(m[BATCH_ENDS]),
                           KN_VALUE(run->all),
                           KN_VALUE(iteration),
                           KN_BUFFER(m[BATCH_PARTS]),
                           KN_VALUE(parts),
                           KN_BUFFER(m[BATCH_NEXT_PARTS]),
                           KN_BUFFER(m[BATCH_CURVATURES])};
    const kn_arg turn[] = {
        KN_BUFFER(m[BATCH_X]),        KN_BUFFER(m[BATCH_H]),          KN_BUFFER(m[BATCH_D]),
        KN_VALUE(b->columns),         KN_VALUE(b->steps.each),        KN_VALUE((float)t->weight),
        KN_VALUE((float)t->gradient), KN_BUFFER(m[BATCH_NEXT_PARTS]), KN_BUFFER(m[BATCH_CURVATURES]),
        KN_BUFFER(m[BATCH_NORMS]),    KN_BUFFER(m[BATCH_ENDS]),       KN_VALUE(run->all),
        KN_VALUE(iteration)};
    kn_status status = ki_batch_launch(queue, b, run, BATCH_MOVE, groups, move, KI_COUNT(move), err);

    return status ? status : ki_batch_launch(queue, b, run, BATCH_TURN, groups, turn, KI_COUNT(turn), err);
}

static kn_status launch_whole(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                              uint32_t first, uint32_t last, kn_error *err)
{
    kn_buffer *const *m = b->buffers, *const *a = b->products[0].buffers,
                     *const *back = b->products[1].buffers;
    const struct cgnr_terms *t = &b->terms;
    const kn_arg args[] = {KN_BUFFER(a[SPMV_CSR_STARTS]),
                           KN_BUFFER(a[SPMV_CSR_INDICES]),
                           KN_BUFFER(a[SPMV_CSR_VALUES]),
                           KN_BUFFER(back[SPMV_CSR_STARTS]),
                           KN_BUFFER(back[SPMV_CSR_INDICES]),
                           KN_BUFFER(back[SPMV_CSR_VALUES]),
                           KN_VALUE(b->rows),
                           KN_VALUE(b->columns),
                           KN_BUFFER(m[BATCH_X]),
                           KN_BUFFER(m[BATCH_H]),
                           KN_BUFFER(m[BATCH_D]),
                           KN_BUFFER(m[BATCH_E]),
                           KN_BUFFER(m[BATCH_W]),
                           KN_VALUE((float)t->weight),
                           KN_VALUE((float)t->lambda),
                           KN_VALUE((float)t->smooth),
                           KN_VALUE(t->order),
                           KN_VALUE((float)t->gradient),
                           KN_BUFFER(m[BATCH_NORMS]),
                           KN_BUFFER(m[BATCH_ENDS]),
                           KN_VALUE(run->all),
                           KN_VALUE(first),
                           KN_VALUE(last)};

    return ki_batch_launch(queue, b, run, BATCH_WHOLE, 1, args, KI_COUNT(args), err);
}

// Copies vectors of n numbers between the caller's buffer and the batch's.
kn_status ki_batch_carry(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                         unsigned kernel, kn_buffer *from, kn_buffer *to, uint32_t n, kn_error *err)
{
    const uint64_t first = run->first;
    const kn_arg args[] = {KN_BUFFER(from), KN_BUFFER(to), KN_VALUE(first), KN_VALUE(n),
                           KN_VALUE(run->count)};

    return ki_batch_launch(queue, b, run, kernel, ki_batch_groups_of(b, n), args, KI_COUNT(args), err);
}

// ---- iterations ----

// Reads how images ended before `iteration`, and whether any continues.
static kn_status look(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                      uint32_t iteration, uint32_t *ends, bool *goes_on, kn_error *err)
{
    size_t bytes = run->all * sizeof *ends,
           from = b->launches == SPARSE_BATCH_WHOLE ? 0 : iteration % 2 * bytes;
    kn_status status = kn_buffer_read(queue, b->buffers[BATCH_ENDS], from, ends, bytes, err);

    *goes_on = false;
    for (uint32_t i = 0; i < run->all && !status; i++)
        *goes_on = *goes_on || ends[i] == 0;
    return status;
}

// Runs all iterations, and returns how each image ended; the host checks now and then whether all have.
kn_status ki_batch_iterate(kn_queue *queue, const struct sparse_batch *b, const struct batch_run *run,
                           uint32_t *ends, kn_error *err)
{
    const bool whole = b->launches == SPARSE_BATCH_WHOLE;
    uint32_t most = (uint32_t)b->options.solver.iterations + 1, k = 0;
    bool goes_on = true;
    kn_status status = KN_OK;

    while (k < most && goes_on && !status) {
        if (whole) {
            uint32_t last = most - k < LONGEST_LAUNCH ? most : k + LONGEST_LAUNCH;
            status = launch_whole(queue, b, run, k, last, err);
            k = last;
        } else {
            status = launch_step(queue, b, run, k, err);
            k++;
            if (!status && k < most)
                status = b->launches == SPARSE_BATCH_TILED ? launch_tiles(queue, b, run, k, err)
                                                           : launch_products(queue, b, run, k, err);
        }
        if (!status && (whole || (b->terms.gradient > 0 && k % LOOK == 0)))
            status = look(queue, b, run, k, ends, &goes_on, err);
    }
    return status ? status : look(queue, b, run, k, ends, &goes_on, err);
}
