// SPDX-License-Identifier: Apache-2.0
// The launches of cl/robust_rank.cl and cl/robust_settle.cl.
#include "robust.h"

#include "../base/array.h"

#define NO_EVENT NULL

static void choose_shape(struct robust_ranks *r, uint64_t elements)
{
    const kn_device_info *info = &r->queue->context->device.info;
    bool cpu = info->type == KN_DEVICE_CPU && !info->loop_limit;
    uint64_t most = (cpu ? 4 : 8) * (uint64_t)(info->compute_units ? info->compute_units : 1);

    r->digit = info->local_memory < (40u << 10) ? 8 : 11;
    r->group = cpu ? 1 : 256;
    while (r->group > 1 && (r->group > info->max_work_group || r->group > 1u << r->digit))
        r->group /= 2;
    r->single = cpu ? 1 : 1024;
    while (r->single > 1 && (r->single > info->max_work_group || r->single > 1u << r->digit))
        r->single /= 2;
    // Each work-item has some elements, and each group columns besides.
    most = most / r->count + 1;
    if (info->loop_limit && most < elements / (1024 * r->group) + 1)
        most = elements / (1024 * r->group) + 1;
    r->groups = (size_t)(elements / (16 * r->group) + 1);
    if (r->groups > most)
        r->groups = (size_t)most;
}

kn_status robust_ranks_open(struct robust_ranks *r, uint64_t elements, kn_error *err)
{
    const struct {
        const char *file, *name;
        const unsigned *group;
        kn_kernel **kernel;
    } wanted[] = {{"robust_rank.cl", "robust_bins", &r->group, &r->bins},
                  {"robust_rank.cl", "robust_narrow", &r->group, &r->narrow},
                  {"robust_settle.cl", "robust_settle", &r->single, &r->settle}};
    kn_status status = KN_OK;

    choose_shape(r, elements);
    for (size_t i = 0; i < KN_COUNT(wanted) && !status; i++) {
        struct column_defines defines = {.count = 0};
        column_define_type(&defines, r->queue, r->type);
        column_define(&defines, "DIGIT", r->digit);
        column_define(&defines, "GROUP", *wanted[i].group);
        // Strict: distances are what they are said to be, to the bit.
        status = engine_builtin_kernel(r->queue->context, wanted[i].file, defines.items, defines.count,
                                       KN_POLICY_STRICT, wanted[i].name, wanted[i].kernel, err);
    }
    return status;
}

uint64_t robust_counter_cells(const struct robust_ranks *r)
{
    return r->count * (ROBUST_COUNTERS + (r->tables * 2 << r->digit));
}

static kn_status launch(const struct robust_ranks *r, kn_kernel *kernel, unsigned group, size_t groups,
                        const kn_arg *args, size_t count, kn_error *err)
{
    const kn_range range = {2, {groups * group, r->count}, {group, 1}, {0}};

    return kn_launch(r->queue, kernel, &range, args, count, NO_EVENT, err);
}

kn_status robust_bins(const struct robust_ranks *r, const struct robust_piece *piece, uint32_t question,
                      uint32_t level, kn_error *err)
{
    uint32_t first = piece->first;
    const kn_arg args[] = {KN_BUFFER(piece->x), KN_VALUE(piece->skip), KN_VALUE(piece->n),
                           KN_VALUE(r->room),   KN_BUFFER(r->columns), KN_BUFFER(r->counters),
                           KN_VALUE(r->tables), KN_VALUE(question),    KN_VALUE(level),
                           KN_VALUE(first)};

    return launch(r, r->bins, r->group, r->groups, args, KN_COUNT(args), err);
}

kn_status robust_narrow(const struct robust_ranks *r, const struct robust_piece *piece, uint32_t question,
                        uint32_t level, kn_error *err)
{
    uint32_t first = piece->first;
    const kn_arg args[] = {KN_BUFFER(piece->x),       KN_VALUE(piece->skip),  KN_VALUE(piece->n),
                           KN_VALUE(r->room),         KN_BUFFER(r->columns),  KN_BUFFER(r->counters),
                           KN_VALUE(r->tables),       KN_VALUE(question),     KN_VALUE(level),
                           KN_VALUE(first),           KN_BUFFER(piece->head), KN_BUFFER(r->gathered),
                           KN_VALUE(r->gathered_room)};

    return launch(r, r->narrow, r->group, r->groups, args, KN_COUNT(args), err);
}

kn_status robust_settle(const struct robust_ranks *r, uint32_t question, uint32_t level, uint64_t n,
                        kn_buffer *sums, kn_error *err)
{
    const kn_arg args[] = {
        KN_BUFFER(r->columns),  KN_BUFFER(r->counters),     KN_VALUE(question), KN_VALUE(level),
        KN_BUFFER(r->gathered), KN_VALUE(r->gathered_room), KN_VALUE(r->room),  KN_VALUE(n),
        KN_BUFFER(sums)};

    return launch(r, r->settle, r->single, 1, args, KN_COUNT(args), err);
}
