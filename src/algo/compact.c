// SPDX-License-Identifier: Apache-2.0
#include "compact.h"

#include "base/error.h"
#include "rung.h"

kn_status ki_compact_check_out(const struct compact *c, const char *what, const kn_buffer *x,
                               const kn_buffer *out, size_t size, kn_error *err)
{
    if (!out)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", c->function, what);
    if (out->context != c->queue->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s belongs to another context than the queue",
                       c->function, what);
    if (out == x)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is the input; it has to be another buffer",
                       c->function, what);
    if (c->n > out->bytes / size)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: %s holds %zu elements of %zu bytes; there may be as many as there are in the "
                       "input, %llu",
                       c->function, what, out->bytes / size, size, (unsigned long long)c->n);
    if (c->n > 0 && kn_buffer_get_part_count(out) > 1)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: %s is held in parts; one allocation of %s holds %llu bytes",
                       c->function, what, c->queue->context->device.info.spec,
                       (unsigned long long)c->queue->context->device.info.max_alloc);
    return KN_OK;
}

kn_status ki_compact_check(const struct compact *c, const kn_buffer *x, kn_error *err)
{
    const kn_device_info *info = &c->queue->context->device.info;

    if (c->n > 0 && kn_buffer_get_part_count(x) > 1)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: a buffer is held in parts; one allocation of %s holds %llu bytes", c->function,
                       info->spec, (unsigned long long)info->max_alloc);
    if (c->counted && c->counted->context != c->queue->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: counted belongs to another context than the queue",
                       c->function);
    if (c->counted && c->counted->bytes < sizeof(uint64_t))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: counted holds %zu bytes; the number takes %zu",
                       c->function, c->counted->bytes, sizeof(uint64_t));
    return KN_OK;
}

void ki_compact_choose(struct compact *c, size_t size)
{
    const kn_device_info *info = &c->queue->context->device.info;
    const struct engine_sizes *sizes =
        ki_engine_sizes(info, size <= 2 ? SHAPE_COMPACT_NARROW : SHAPE_COMPACT);
    bool held = size <= 16 && (size & (size - 1)) == 0;
    size_t per_load = held ? 16 / size : 1, tiles;

    c->group = sizes->group;
    c->loads = sizes->items;
    // A work-item marks its elements in a word of 32 bits.
    while (c->loads > 1 && c->loads * per_load > 32)
        c->loads /= 2;
    while (c->group > 1 && c->group > info->max_work_group)
        c->group /= 2;
    tiles = (size_t)(c->n / (c->group * c->loads * per_load));
    c->groups = sizes->per_unit * (info->compute_units ? info->compute_units : 1);
    // A device with limited loops gets many small groups.
    if (info->loop_limit && c->groups < tiles / 64 + 1)
        c->groups = tiles / 64 + 1;
    if (c->groups > tiles)
        c->groups = tiles ? tiles : 1;
}

kn_status ki_compact_define(const struct compact *c, struct engine_defines *defines, kn_error *err)
{
    ki_engine_define(defines, "GROUP", c->group);
    ki_engine_define(defines, "LOADS", c->loads);
    return ki_rung_define_subgroups(defines, c->queue->context, err);
}

kn_range ki_compact_range(const struct compact *c)
{
    return (kn_range){1, {c->groups * c->group}, {c->group}, {0}};
}

kn_status ki_compact_open(struct compact *c, unsigned rows, kn_buffer **counts, kn_buffer **counted,
                          kn_error *err)
{
    kn_status status;

    c->scratch = ki_engine_scratch_open(c->queue, ENGINE_SCRATCH_ALGORITHM, COMPACT_PLACES, c->function);
    status =
        ki_engine_scratch_get(&c->scratch, COMPACT_COUNTS, rows * c->groups * sizeof(uint64_t), counts, err);
    *counted = c->counted;
    if (!status && !c->counted)
        status = ki_engine_scratch_get(&c->scratch, COMPACT_COUNTED, sizeof(uint64_t), counted, err);
    return status;
}

kn_status ki_compact_close(struct compact *c, kn_buffer *counted, kn_status status, kn_error *err)
{
    uint64_t number = 0;

    if (!status && c->count) {
        status = kn_buffer_read(c->queue, counted, 0, &number, sizeof number, err);
        if (!status)
            *c->count = (size_t)number;
    }
    ki_engine_scratch_close(&c->scratch);
    return status;
}

kn_status ki_compact_none(const struct compact *c, kn_error *err)
{
    const uint64_t none = 0;

    if (c->count)
        *c->count = 0;
    return c->counted
               ? kn_buffer_fill(c->queue, c->counted, &none, sizeof none, 0, sizeof none, NO_EVENT, err)
               : KN_OK;
}
