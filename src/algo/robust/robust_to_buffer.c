// SPDX-License-Identifier: Apache-2.0
// kn_robust_to_buffer: checks.
#include "robust.h"

#include "base/error.h"

static kn_status check(const struct robust_columns *columns, kn_error *err)
{
    const char *function = columns->function;
    kn_robust_method method = columns->options.method;

    if (columns->type != KN_F32 && columns->type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: %s; the host makes statistics of 256 counts, and floats alone stay on the device",
                       function, kn_type_name(columns->type));
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
    return n > 0 ? ki_robust_fused(&columns, &none, err) : ki_robust_deliver_nothing(&columns, err);
}
