// SPDX-License-Identifier: Apache-2.0
// Results that stay on the device: the host does not wait, and the device itself finds out whether a bracket
// missed.
#include "robust.h"

#include "base/array.h"

// The kernel writes it.
_Static_assert(sizeof(kn_robust) == 80 && offsetof(kn_robust, mad) == 64 &&
                   offsetof(kn_robust, method) == 72 && offsetof(kn_robust, missed) == 76,
               "kn_robust is not what cl/algo/robust/robust_deliver.cl has");
_Static_assert(KN_ROBUST_SELECT == KN_ROBUST_FUSED + 1, "robust_deliver counts on it");

static kn_status get_kernel(const struct robust_columns *columns, const struct robust_ranks *ranks,
                            const char *name, kn_kernel **kernel, kn_error *err)
{
    struct engine_defines defines = {.count = 0};

    ki_column_define_type(&defines, columns->queue, columns->type);
    if (ranks) {
        ki_engine_define(&defines, "GROUP", ranks->single);
        ki_engine_define(&defines, "DIGIT", ranks->digit);
    }
    return ki_engine_builtin_kernel(columns->queue->context, "algo/robust/robust_deliver.cl", defines.items,
                                    defines.count, KN_POLICY_STRICT, name, kernel, err);
}

// The rest of the work for a column that `missed`.
static kn_status find_again(const struct robust_columns *columns, const struct robust_ranks *ranks,
                            uint64_t padding, kn_error *err)
{
    const kn_range range = {1, {ranks->single}, {ranks->single}, {0}};
    const kn_arg args[] = {KN_BUFFER(columns->x), KN_VALUE(columns->n), KN_VALUE(padding),
                           KN_BUFFER(ranks->columns), KN_BUFFER(ranks->results)};
    kn_kernel *again = NULL;
    kn_status status = get_kernel(columns, ranks, "robust_again", &again, err);

    return status ? status : kn_launch(columns->queue, again, &range, args, KI_COUNT(args), NO_EVENT, err);
}

// `results` is not read where there are no elements.
static kn_status deliver(const struct robust_columns *columns, const kn_buffer *results, uint64_t padding,
                         kn_error *err)
{
    const kn_range range = {1, {1}, {1}, {0}};
    uint32_t method = KN_ROBUST_FUSED;
    kn_buffer *to = kn_buffer_get_part(columns->to, 0);
    const kn_arg args[] = {KN_VALUE(columns->n), KN_VALUE(padding), KN_BUFFER(results), KN_VALUE(method),
                           KN_BUFFER(to)};
    kn_kernel *kernel = NULL;
    kn_status status = get_kernel(columns, NULL, "robust_deliver", &kernel, err);

    return status ? status : kn_launch(columns->queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}

kn_status ki_robust_deliver(const struct robust_columns *columns, const struct robust_ranks *ranks,
                            uint64_t padding, kn_error *err)
{
    kn_status status = find_again(columns, ranks, padding, err);

    return status ? status : deliver(columns, ranks->results, padding, err);
}

kn_status ki_robust_deliver_nothing(const struct robust_columns *columns, kn_error *err)
{
    return deliver(columns, columns->to, 0, err);
}
