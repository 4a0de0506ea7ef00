// SPDX-License-Identifier: Apache-2.0
// The k first elements of a column in sorted order: a threshold by kn_select, cl/algo/top_k.cl, and a sort of
// k elements.
#include <koine/select.h>
#include <koine/scan.h>
#include <koine/sort.h>

#include <math.h>

#include "shared/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "elements.h"

struct top {
    kn_queue *queue;
    const kn_buffer *x;
    kn_buffer *values, *indices, *counts;
    kn_type type, index_type;
    uint64_t n, k, blocks, threshold;
    bool largest;
    unsigned group;
    kn_kernel *count, *gather;
    struct engine_scratch scratch;
};

// Slots of scratch memory; the selection, the scan and the sort use others.
enum { COUNTS, VALUES, INDICES, SLOTS };

static kn_status get_kernels(struct top *top, kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    kn_context *context = top->queue->context;
    kn_status status;

    ki_element_define(&defines, top->type);
    ki_engine_define(&defines, "KEY_DESCENDING", top->largest);
    ki_engine_define(&defines, "GROUP", top->group);
    defines.items[defines.count++] = (kn_define){"INDEX", kn_type_name(top->index_type)};
    status = ki_engine_builtin_kernel(context, "algo/top_k.cl", defines.items, defines.count,
                                      KN_POLICY_DEFAULT, "top_k_count", &top->count, err);
    return status ? status
                  : ki_engine_builtin_kernel(context, "algo/top_k.cl", defines.items, defines.count,
                                             KN_POLICY_DEFAULT, "top_k_gather", &top->gather, err);
}

static kn_status select_one(const struct top *top, uint64_t rank, uint64_t *bits, kn_error *err)
{
    const size_t ranks[] = {(size_t)rank};

    *bits = 0;
    return kn_select(top->queue, top->x, top->type, (size_t)top->n, ranks, 1, bits, NULL, err);
}

// The bits of the last element that is among the first k. NaN come last in both orders; so the largest
// numbers are looked for below them.
static kn_status find_threshold(struct top *top, kn_error *err)
{
    static const kn_combine nans = {
        .struct_size = sizeof(kn_combine), .combine = "a + b", .identity = "0", .map = "isnan(x) ? 1 : 0"};
    uint64_t last = 0, count = 0;
    kn_status status;

    if (!top->largest)
        return select_one(top, top->k - 1, &top->threshold, err);
    status = ki_element_kind(top->type) == 2 ? select_one(top, top->n - 1, &last, err) : KN_OK;
    if (!status && isnan(ki_element_value(last, top->type)) && ki_element_kind(top->type) == 2)
        status = kn_reduce_with(top->queue, top->x, top->type, (size_t)top->n, &nans, KN_U64, &count, err);
    if (status)
        return status;
    return select_one(top, top->k <= top->n - count ? top->n - count - top->k : top->n - 1, &top->threshold,
                      err);
}

static uint64_t count_blocks(const struct top *top)
{
    struct element_piece piece = {.buffer = NULL};
    uint64_t blocks = 0;

    while (ki_element_next_piece(top->x, top->type, top->n, &piece))
        blocks += (piece.count + TOP_K_BLOCK - 1) / TOP_K_BLOCK;
    return blocks;
}

static kn_status launch(const struct top *top, bool gather, kn_error *err)
{
    struct element_piece piece = {.buffer = NULL};
    uint64_t first = 0;
    kn_status status = KN_OK;

    while (!status && ki_element_next_piece(top->x, top->type, top->n, &piece)) {
        uint64_t blocks = (piece.count + TOP_K_BLOCK - 1) / TOP_K_BLOCK;
        const kn_range range = {1, {(size_t)blocks * top->group}, {top->group}, {0}};
        const kn_arg count_args[] = {KN_BUFFER(piece.buffer),  KN_VALUE(piece.skip),   KN_VALUE(piece.count),
                                     KN_VALUE(top->threshold), KN_BUFFER(top->counts), KN_VALUE(first),
                                     KN_VALUE(top->blocks)};
        const kn_arg gather_args[] = {
            KN_BUFFER(piece.buffer),  KN_VALUE(piece.skip),   KN_VALUE(piece.count),  KN_VALUE(piece.first),
            KN_VALUE(top->threshold), KN_BUFFER(top->counts), KN_VALUE(first),        KN_VALUE(top->blocks),
            KN_VALUE(top->k),         KN_BUFFER(top->values), KN_BUFFER(top->indices)};
        status = gather ? kn_launch(top->queue, top->gather, &range, gather_args, KI_COUNT(gather_args),
                                    NO_EVENT, err)
                        : kn_launch(top->queue, top->count, &range, count_args, KI_COUNT(count_args),
                                    NO_EVENT, err);
        first += blocks;
    }
    return status;
}

static kn_status find_top(struct top *top, kn_error *err)
{
    const kn_sort_options options =
        KN_INIT(kn_sort_options, .order = top->largest ? KN_DESCENDING : KN_ASCENDING);
    size_t entries = (size_t)(2 * top->blocks + 1);
    kn_status status = find_threshold(top, err);

    if (!status)
        status = get_kernels(top, err);
    if (!status)
        status = ki_engine_scratch_get(&top->scratch, COUNTS, entries * sizeof(uint64_t), &top->counts, err);
    if (!status)
        status = launch(top, false, err);
    if (!status)
        status = kn_scan(top->queue, top->counts, KN_U64, entries, KN_REDUCE_SUM, KN_SCAN_EXCLUSIVE,
                         top->counts, err);
    if (!status)
        status = launch(top, true, err);
    return status ? status
                  : kn_sort_by_key(top->queue, top->values, top->type, (size_t)top->k, top->indices,
                                   kn_type_size(top->index_type), &options, err);
}

static kn_status check(const struct top *top, kn_order order, kn_error *err)
{
    kn_status status = ki_column_check_any("kn_top_k", top->queue, top->x, top->type, (size_t)top->n, err);

    if (!status && top->values)
        status =
            ki_column_check_any("kn_top_k (values)", top->queue, top->values, top->type, (size_t)top->k, err);
    if (!status && top->indices)
        status = ki_column_check_any("kn_top_k (indices)", top->queue, top->indices, top->index_type,
                                     (size_t)top->k, err);
    if (status)
        return status;
    if ((unsigned)order > KN_DESCENDING)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_top_k: there is no order %d; see kn_order", (int)order);
    if (top->k > top->n)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_top_k: %llu of %llu elements", (unsigned long long)top->k,
                       (unsigned long long)top->n);
    if (top->index_type != KN_U64 && (top->index_type != KN_U32 || top->n > (uint64_t)1 << 32))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "kn_top_k: indices of type %s for %llu elements; KN_U32 serves up to 2^32, KN_U64 any number",
            kn_type_name(top->index_type), (unsigned long long)top->n);
    return KN_OK;
}

kn_status kn_top_k(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t k, kn_order order,
                   kn_buffer *values, kn_buffer *indices, kn_type index_type, kn_error *err)
{
    struct top top = {.queue = queue,
                      .x = x,
                      .values = values,
                      .indices = indices,
                      .type = type,
                      .index_type = index_type,
                      .n = n,
                      .k = k,
                      .largest = order == KN_DESCENDING};
    kn_status status = check(&top, order, err);

    if (status || k == 0)
        return status;
    top.blocks = count_blocks(&top);
    top.group = ki_engine_sizes(&queue->context->device.info, SHAPE_TOP_K)->group;
    top.scratch = ki_engine_scratch_open(queue, ENGINE_SCRATCH_OPERATOR, SLOTS, "kn_top_k");
    // Unwanted outputs are needed all the same.
    if (!values)
        status = ki_engine_scratch_get(&top.scratch, VALUES, k * kn_type_size(type), &top.values, err);
    if (!indices && !status)
        status =
            ki_engine_scratch_get(&top.scratch, INDICES, k * kn_type_size(index_type), &top.indices, err);
    if (!status)
        status = find_top(&top, err);
    ki_engine_scratch_close(&top.scratch);
    return status;
}
