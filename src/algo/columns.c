// SPDX-License-Identifier: Apache-2.0
#include "columns.h"

#include "base/error.h"

kn_status ki_column_check_any(const char *function, const kn_queue *queue, const kn_buffer *buffer,
                              kn_type type, size_t n, kn_error *err)
{
    if (!queue || !buffer)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: queue or buffer is NULL", function);
    if (queue->context != buffer->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the buffer belongs to another context than the queue",
                       function);
    if (kn_type_size(type) == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no type %d; see kn_type", function, (int)type);
    if (type == KN_F64 && !queue->context->device.info.fp64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) has no double precision; use float",
                       queue->context->device.info.spec, queue->context->device.info.name);
    if (n > buffer->bytes / kn_type_size(type))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu elements of %s, but the buffer holds %zu", function,
                       n, kn_type_name(type), buffer->bytes / kn_type_size(type));
    return KN_OK;
}

kn_status ki_column_check(const char *function, const kn_queue *queue, const kn_buffer *buffer, kn_type type,
                          size_t n, kn_error *err)
{
    if (kn_type_size(type) != 0 && type != KN_F32 && type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s works on float and double, not on %s", function,
                       kn_type_name(type));
    return ki_column_check_any(function, queue, buffer, type, n, err);
}

bool ki_column_is_soft(const kn_queue *queue)
{
    return !queue->context->device.info.fp64;
}

void ki_column_define_sums(struct engine_defines *defines, const kn_queue *queue)
{
    ki_engine_define(defines, "ACC_SOFT", ki_column_is_soft(queue));
    if (!ki_column_is_soft(queue) && queue->context->quirks.double_fma_wrong)
        ki_engine_define(defines, "SQUARE_SOFT", 1);
}

void ki_column_define_type(struct engine_defines *defines, const kn_queue *queue, kn_type type)
{
    ki_engine_define(defines, "REAL_BITS", type == KN_F64 ? 64 : 32);
    ki_column_define_sums(defines, queue);
}

kn_arg ki_column_real(union column_scalar *scalar, kn_type type, double value)
{
    if (type == KN_F64) {
        scalar->f64 = value;
        return KN_VALUE(scalar->f64);
    }
    scalar->f32 = (float)value;
    return KN_VALUE(scalar->f32);
}
