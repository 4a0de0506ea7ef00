// SPDX-License-Identifier: Apache-2.0
// The launches of cl/algo/robust/robust_rank.cl and cl/algo/robust/robust_settle.cl.
#include "robust.h"

#include <string.h>

#include <koine/experimental/tuning.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/answer.h"
#include "algo/tree.h"

const kn_tunables ki_robust_tunables = {"robust",
                                        "algo/robust/robust_rank.cl algo/robust/robust_settle.cl",
                                        {"GROUP", "GROUPS", "AHEAD", "SINGLE", NULL}};

// The greatest power of two up to `wanted` that the device and the bins allow.
static unsigned fit_group(const struct robust_ranks *r, unsigned wanted)
{
    while (wanted > 1 && (wanted > r->queue->context->device.info.max_work_group || wanted > 1u << r->digit))
        wanted /= 2;
    return wanted;
}

static bool is_power_of_two(unsigned value)
{
    return value > 0 && !(value & (value - 1));
}

// In the order of the tunables.
static void usual_values(const kn_device_info *info, kn_type type, unsigned values[KN_TUNABLES])
{
    const struct engine_sizes *rank = ki_engine_sizes(info, SHAPE_ROBUST_RANK);

    memset(values, 0, KN_TUNABLES * sizeof *values);
    values[0] = rank->group;
    values[1] = rank->per_unit;
    values[2] = type == KN_F64 && rank->ahead > 1 ? rank->ahead / 2 : rank->ahead;
    values[3] = ki_engine_sizes(info, SHAPE_ROBUST_SETTLE)->group;
}

const kn_tunables *kn_robust_get_tunables(void)
{
    return &ki_robust_tunables;
}

kn_status kn_robust_get_usual(const kn_queue *queue, unsigned values[KN_TUNABLES], kn_error *err)
{
    if (!queue || !values)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_robust_get_usual: %s is NULL", queue ? "values" : "queue");
    usual_values(&queue->context->device.info, KN_F32, values);
    return KN_OK;
}

// GPUs are tuned.
static void choose_tunables(const struct robust_ranks *r, unsigned values[KN_TUNABLES])
{
    const kn_device_info *info = &r->queue->context->device.info;

    if (!engine_is_serial(info) && ki_engine_tuning(r->queue->context, &ki_robust_tunables, values)) {
        if (is_power_of_two(values[0]) && values[1] > 0 && values[2] > 0 && values[2] <= 64 &&
            is_power_of_two(values[3]))
            return;
        ki_engine_tuning_refuse(r->queue->context, &ki_robust_tunables,
                                "groups of %u, %u a compute unit, %u elements ahead, one of %u", values[0],
                                values[1], values[2], values[3]);
    }
    usual_values(info, r->type, values);
}

static void choose_shape(struct robust_ranks *r, uint64_t elements)
{
    const kn_device_info *info = &r->queue->context->device.info;
    unsigned values[KN_TUNABLES] = {0};
    uint64_t most = info->compute_units ? info->compute_units : 1;

    choose_tunables(r, values);
    r->digit = info->local_memory < (40u << 10) ? 8 : 11;
    r->group = fit_group(r, values[0]);
    r->single = fit_group(r, values[3]);
    r->ahead = values[2];
    most *= values[1];
    // Each work-item has several elements, and each group several columns besides.
    most = most > r->count ? most / r->count : 1;
    if (info->loop_limit && most < elements / (1024 * r->group) + 1)
        most = elements / (1024 * r->group) + 1;
    r->groups = (size_t)(elements / (16 * r->group) + 1);
    if (r->groups > most)
        r->groups = (size_t)most;
}

kn_status ki_robust_ranks_open(struct robust_ranks *r, uint64_t elements, kn_error *err)
{
    const struct {
        const char *file, *name;
        const unsigned *group;
        kn_kernel **kernel;
    } wanted[] = {{"algo/robust/robust_rank.cl", "robust_bins", &r->group, &r->bins},
                  {"algo/robust/robust_rank.cl", "robust_narrow", &r->group, &r->narrow},
                  {"algo/robust/robust_settle.cl", "robust_settle", &r->single, &r->settle},
                  {"algo/robust/robust_settle.cl", "robust_settle_kept", &r->single, &r->settle_kept}};
    kn_status status = KN_OK;

    choose_shape(r, elements);
    for (size_t i = 0; i < KI_COUNT(wanted) && !status; i++) {
        if (r->few != (i == 3))
            continue;
        struct engine_defines defines = {.count = 0};
        ki_column_define_type(&defines, r->queue, r->type);
        ki_engine_define(&defines, "DIGIT", r->digit);
        ki_engine_define(&defines, "GROUP", *wanted[i].group);
        if (i < 2)
            ki_engine_define(&defines, "AHEAD", r->ahead);
        // Strict: distances are exact to the bit.
        status = ki_engine_builtin_kernel(r->queue->context, wanted[i].file, defines.items, defines.count,
                                          KN_POLICY_STRICT, wanted[i].name, wanted[i].kernel, err);
    }
    return status;
}

uint64_t ki_robust_counter_cells(const struct robust_ranks *r)
{
    return r->count * (ROBUST_COUNTERS + (r->tables * 2 << r->digit));
}

static bool results_are_answer(const struct robust_ranks *r)
{
    return !r->stays && r->count <= ENGINE_ANSWER_BYTES / sizeof(struct robust_result);
}

kn_status ki_robust_ranks_results(struct robust_ranks *r, const struct engine_scratch *scratch, size_t slot,
                                  kn_error *err)
{
    return results_are_answer(r)
               ? ki_engine_answer_get(r->queue, &r->results, err)
               : ki_engine_scratch_get(scratch, slot, r->count * sizeof(struct robust_result), &r->results,
                                       err);
}

kn_status ki_robust_ranks_read(const struct robust_ranks *r, struct robust_result *results, kn_error *err)
{
    size_t bytes = r->count * sizeof *results;

    return results_are_answer(r) ? ki_engine_answer_read(r->queue, results, bytes, err)
                                 : kn_buffer_read(r->queue, r->results, 0, results, bytes, err);
}

static kn_status launch(const struct robust_ranks *r, kn_kernel *kernel, unsigned group, size_t groups,
                        const kn_arg *args, size_t count, kn_error *err)
{
    const kn_range range = {2, {groups * group, r->count}, {group, 1}, {0}};

    return kn_launch(r->queue, kernel, &range, args, count, NO_EVENT, err);
}

kn_status ki_robust_bins(const struct robust_ranks *r, const struct robust_piece *piece, uint32_t question,
                         uint32_t level, kn_error *err)
{
    uint32_t first = piece->first;
    const kn_arg args[] = {KN_BUFFER(piece->x), KN_VALUE(piece->skip), KN_VALUE(piece->n),
                           KN_VALUE(r->room),   KN_BUFFER(r->columns), KN_BUFFER(r->counters),
                           KN_VALUE(r->tables), KN_VALUE(question),    KN_VALUE(level),
                           KN_VALUE(first)};

    return launch(r, r->bins, r->group, r->groups, args, KI_COUNT(args), err);
}

kn_status ki_robust_narrow(const struct robust_ranks *r, const struct robust_piece *piece, uint32_t question,
                           uint32_t level, kn_error *err)
{
    uint32_t first = piece->first;
    const kn_arg args[] = {KN_BUFFER(piece->x),       KN_VALUE(piece->skip),  KN_VALUE(piece->n),
                           KN_VALUE(r->room),         KN_BUFFER(r->columns),  KN_BUFFER(r->counters),
                           KN_VALUE(r->tables),       KN_VALUE(question),     KN_VALUE(level),
                           KN_VALUE(first),           KN_BUFFER(piece->head), KN_BUFFER(r->gathered),
                           KN_VALUE(r->gathered_room)};

    return launch(r, r->narrow, r->group, r->groups, args, KI_COUNT(args), err);
}

uint64_t ki_robust_fold_most(const struct robust_ranks *r)
{
    return (uint64_t)TREE_FOLD_BY * r->single;
}

kn_status ki_robust_settle(const struct robust_ranks *r, uint32_t question, uint32_t level, uint64_t n,
                           const struct robust_sums *sums, kn_error *err)
{
    const struct robust_sums none = {r->columns, r->columns, 0}, *of = sums ? sums : &none;
    const kn_arg args[] = {
        KN_BUFFER(r->columns),  KN_BUFFER(r->counters),     KN_VALUE(question),  KN_VALUE(level),
        KN_BUFFER(r->gathered), KN_VALUE(r->gathered_room), KN_VALUE(r->room),   KN_VALUE(n),
        KN_BUFFER(of->partial), KN_VALUE(of->count),        KN_BUFFER(of->sums), KN_BUFFER(r->results)};
    size_t groups = sums && question == ROBUST_MEDIAN ? 3 : 1; // two of which fold

    return launch(r, r->settle, r->single, groups, args, KI_COUNT(args), err);
}

kn_status ki_robust_settle_kept(const struct robust_ranks *r, const kn_buffer *candidates, uint64_t n,
                                const struct robust_sums *sums, kn_error *err)
{
    const kn_arg args[] = {KN_BUFFER(r->columns), KN_BUFFER(r->counters),   KN_BUFFER(candidates),
                           KN_VALUE(r->room),     KN_BUFFER(r->gathered),   KN_VALUE(r->gathered_room),
                           KN_VALUE(n),           KN_BUFFER(sums->partial), KN_VALUE(sums->count),
                           KN_BUFFER(r->results)};

    return launch(r, r->settle_kept, r->single, 1, args, KI_COUNT(args), err);
}
