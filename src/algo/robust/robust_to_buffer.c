// SPDX-License-Identifier: Apache-2.0
// kn_robust_to_buffer: nobody waits; that a bracket missed the device sees itself.
#include "robust.h"

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"

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

// What is left of a column that `missed`.
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

static kn_status check(const struct robust_columns *columns, kn_error *err)
{
    const char *function = columns->function;
    kn_robust_method method = columns->options.method;

    if (columns->type != KN_F32 && columns->type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: %s; floats alone stay on the device", function,
                       kn_type_name(columns->type));
    if (method != KN_ROBUST_AUTO && method != KN_ROBUST_FUSED)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: the method %d asks the host in between; KN_ROBUST_FUSED does not", function,
                       (int)method);
    if (ki_column_is_soft(columns->queue))
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: %s has no double precision to leave results in",
                       function, columns->queue->context->device.info.spec);
    if (kn_buffer_get_part_count(columns->x) > 1)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: x is held in parts (kn_buffer_get_part)", function);
    return ki_robust_check_floats(columns, true, err);
}

kn_status kn_robust_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_buffer *result,
                              const kn_robust_options *options, kn_error *err)
{
    struct robust_columns columns;
    kn_robust none;
    kn_status status =
        ki_robust_begin(&columns, "kn_robust_to_buffer", queue, x, type, n, options, result, 1, err);

    if (!status && result == x)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s: x and result are one buffer", columns.function);
    if (!status)
        status = ki_column_check_any(columns.function, queue, result, KN_U64, sizeof none / 8, err);
    if (!status)
        status = check(&columns, err);
    if (status)
        return status;
    columns.to = result;
    return n > 0 ? ki_robust_fused(&columns, &none, err) : deliver(&columns, result, 0, err);
}
