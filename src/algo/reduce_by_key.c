// SPDX-License-Identifier: Apache-2.0
// The levels of cl/algo/reduce_by_key.cl.
#include <koine/reduce.h>

#include "shared/tree.h"
#include "base/array.h"
#include "base/error.h"
#include "compact.h"
#include "elements.h"
#include "operations.h"

// 2^55 elements.
enum { LEVELS = 5 };
// Slots of scratch memory.
enum { TAILS, HEADS, FIRSTS, OPENED, PLACES };

struct by_key {
    struct compact c;
    const kn_buffer *keys, *values;
    kn_buffer *unique_keys, *results;
    kn_type key_type, value_type;
    kn_buffer *tails, *heads, *firsts, *opened;
    kn_kernel *count, *blocks, *totals, *close;
    unsigned levels;
    uint64_t units[LEVELS], first[LEVELS]; // units of a level, and where they begin in the scratch memory
};

// Level 0 is the blocks of the column and its end; the last level fits a block.
static uint64_t plan(struct by_key *b)
{
    const kn_device_info *info = &b->c.queue->context->device.info;
    uint64_t room = 0, units = b->c.n / RUNS_BLOCK + 1;
    size_t tiles = (size_t)(b->c.n / RUNS_BLOCK);

    for (b->levels = 0;; units = (units - 1) / RUNS_BLOCK + 1) {
        b->units[b->levels] = units;
        b->first[b->levels++] = room;
        room += units;
        if (units <= RUNS_BLOCK)
            break;
    }
    b->c.group = RUNS_LEAVES;
    b->c.groups =
        ki_engine_sizes(info, SHAPE_BY_KEY)->per_unit * (info->compute_units ? info->compute_units : 1);
    // A device with limited loops gets many small groups.
    if (info->loop_limit && b->c.groups < tiles / 64 + 1)
        b->c.groups = tiles / 64 + 1;
    if (b->c.groups > tiles)
        b->c.groups = tiles ? tiles : 1;
    return room;
}

static kn_status get_kernels(struct by_key *b, const char *combine, kn_type as, kn_error *err)
{
    const struct {
        const char *name;
        kn_kernel **kernel;
    } wanted[] = {{"by_key_count", &b->count},
                  {"by_key_blocks", &b->blocks},
                  {"by_key_totals", &b->totals},
                  {"by_key_close", &b->close}};
    struct engine_defines defines = {.count = 0};
    kn_status status = KN_OK;

    ki_element_define(&defines, b->key_type);
    ki_engine_define_text(&defines, "VALUE", kn_type_name(as));
    ki_engine_define(&defines, "VALUE_SIZE", (unsigned)kn_type_size(as));
    ki_engine_define_text(&defines, "COMBINE", combine);
    // Strict: no compiler may regroup operations whose bits are promised.
    for (size_t i = 0; i < KI_COUNT(wanted) && !status; i++)
        status =
            ki_engine_builtin_kernel(b->c.queue->context, "algo/reduce_by_key.cl", defines.items,
                                     defines.count, KN_POLICY_STRICT, wanted[i].name, wanted[i].kernel, err);
    return status;
}

static kn_status get_memory(struct by_key *b, const struct engine_scratch *scratch, uint64_t room,
                            kn_error *err)
{
    size_t bytes = (size_t)room * kn_type_size(b->value_type);
    kn_status status = ki_engine_scratch_get(scratch, TAILS, bytes, &b->tails, err);

    if (!status)
        status = ki_engine_scratch_get(scratch, OPENED, bytes, &b->opened, err);
    if (!status)
        status = ki_engine_scratch_get(scratch, HEADS, (size_t)b->units[0] * kn_type_size(b->value_type),
                                       &b->heads, err);
    return status ? status
                  : ki_engine_scratch_get(scratch, FIRSTS, (size_t)room * sizeof(uint64_t), &b->firsts, err);
}

static kn_status launch_blocks(const struct by_key *b, kn_buffer *counts, kn_buffer *counted, kn_error *err)
{
    const kn_range range = ki_compact_range(&b->c);
    const kn_arg count_args[] = {KN_BUFFER(b->keys), KN_VALUE(b->c.n), KN_BUFFER(counts)};
    const kn_arg args[] = {KN_BUFFER(b->keys),  KN_BUFFER(b->values),      KN_VALUE(b->c.n),
                           KN_BUFFER(counts),   KN_BUFFER(b->unique_keys), KN_BUFFER(b->results),
                           KN_BUFFER(b->tails), KN_BUFFER(b->heads),       KN_BUFFER(b->firsts),
                           KN_BUFFER(counted)};
    kn_status status =
        kn_launch(b->c.queue, b->count, &range, count_args, KI_COUNT(count_args), NO_EVENT, err);

    return status ? status : kn_launch(b->c.queue, b->blocks, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_range range_of(const struct by_key *b, unsigned level)
{
    return (kn_range){
        1, {(size_t)((b->units[level] - 1) / RUNS_BLOCK + 1) * RUNS_LEAVES}, {RUNS_LEAVES}, {0}};
}

static kn_status launch_totals(const struct by_key *b, unsigned level, kn_error *err)
{
    const kn_range range = range_of(b, level);
    const kn_arg args[] = {KN_BUFFER(b->tails), KN_BUFFER(b->firsts), KN_VALUE(b->first[level]),
                           KN_VALUE(b->units[level]), KN_VALUE(b->first[level + 1])};

    return kn_launch(b->c.queue, b->totals, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status launch_close(const struct by_key *b, unsigned level, kn_error *err)
{
    const kn_range range = range_of(b, level);
    uint64_t above = level + 1 < b->levels ? b->first[level + 1] : 0;
    uint32_t closes = level == 0;
    const kn_arg args[] = {KN_BUFFER(b->tails),  KN_BUFFER(b->heads),       KN_BUFFER(b->firsts),
                           KN_BUFFER(b->opened), KN_VALUE(b->first[level]), KN_VALUE(b->units[level]),
                           KN_VALUE(above),      KN_VALUE(closes),          KN_BUFFER(b->results)};

    return kn_launch(b->c.queue, b->close, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status reduce(struct by_key *b, const char *combine, kn_type as, kn_error *err)
{
    kn_buffer *counts = NULL, *counted = NULL;
    struct engine_scratch scratch;
    uint64_t room = plan(b);
    kn_status status = get_kernels(b, combine, as, err);

    if (status)
        return status;
    status = ki_compact_open(&b->c, 1, &counts, &counted, err);
    scratch = ki_engine_scratch_open(b->c.queue, ENGINE_SCRATCH_ALGORITHM, PLACES, b->c.function);
    if (!status)
        status = get_memory(b, &scratch, room, err);
    if (!status)
        status = launch_blocks(b, counts, counted, err);
    for (unsigned level = 0; level + 1 < b->levels && !status; level++)
        status = launch_totals(b, level, err);
    for (unsigned level = b->levels; level-- > 0 && !status;)
        status = launch_close(b, level, err);
    ki_engine_scratch_close(&scratch);
    return ki_compact_close(&b->c, counted, status, err);
}

static kn_status check(const struct by_key *b, kn_error *err)
{
    const struct compact *c = &b->c;
    const kn_device_info *info;
    kn_status status =
        ki_column_check_any("kn_reduce_by_key (keys)", c->queue, b->keys, b->key_type, (size_t)c->n, err);

    if (!status)
        status = ki_column_check_any("kn_reduce_by_key (values)", c->queue, b->values, b->value_type,
                                     (size_t)c->n, err);
    if (!status)
        status = ki_compact_check(c, b->keys, err);
    if (!status)
        status = ki_compact_check(c, b->values, err);
    if (!status)
        status =
            ki_compact_check_out(c, "unique_keys", b->keys, b->unique_keys, kn_type_size(b->key_type), err);
    if (!status)
        status = ki_compact_check_out(c, "results", b->values, b->results, kn_type_size(b->value_type), err);
    if (status)
        return status;
    info = &c->queue->context->device.info;
    if (b->unique_keys == b->results || b->unique_keys == b->values || b->results == b->keys)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: unique_keys and results have to be two buffers other than the inputs",
                       c->function);
    if (info->max_work_group < RUNS_LEAVES)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: %s takes groups of %llu work-items; %d are needed",
                       c->function, info->spec, (unsigned long long)info->max_work_group, RUNS_LEAVES);
    return KN_OK;
}

kn_status kn_reduce_by_key(kn_queue *queue, const kn_buffer *keys, kn_type key_type, size_t n,
                           const kn_buffer *values, kn_type value_type, kn_reduce_op op,
                           kn_buffer *unique_keys, kn_buffer *results, kn_buffer *counted, size_t *count,
                           kn_error *err)
{
    struct by_key b = {
        .c = {.function = "kn_reduce_by_key", .queue = queue, .n = n, .counted = counted, .count = count},
        .keys = keys,
        .values = values,
        .unique_keys = unique_keys,
        .results = results,
        .key_type = key_type,
        .value_type = value_type};
    kn_combine how;
    kn_type as;
    kn_status status = check(&b, err);

    if (!status)
        status = ki_operation_find("kn_reduce_by_key", op, value_type, value_type, &how, &as, err);
    if (status)
        return status;
    return n == 0 ? ki_compact_none(&b.c, err) : reduce(&b, how.combine, as, err);
}
