// SPDX-License-Identifier: Apache-2.0
#include "spans.h"

#include <koine/sort.h>

#include "base/array.h"
#include "base/error.h"

kn_status ki_window_check_buffer(const char *function, const kn_queue *queue, const char *name,
                                 const kn_buffer *buffer, kn_type type, size_t n, kn_error *err)
{
    kn_status status = ki_column_check(function, queue, buffer, type, n, err);

    if (!status && n > 0 && kn_buffer_get_part_count(buffer) > 1)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: %s is held in parts; one allocation of %s holds %llu bytes",
                       function, name, queue->context->device.info.spec,
                       (unsigned long long)queue->context->device.info.max_alloc);
    return status;
}

kn_range ki_window_spans_range(uint64_t items)
{
    enum { GROUP = 64 };

    return (kn_range){1, {(items + GROUP - 1) / GROUP * GROUP}, {GROUP}, {0}};
}

kn_status ki_window_spans_kernel(const struct window_spans *spans, const char *name, kn_kernel **kernel,
                                 kn_error *err)
{
    struct engine_defines defines = {.count = 0};

    ki_engine_define(&defines, "REAL_BITS", spans->type == KN_F64 ? 64 : 32);
    return ki_engine_builtin_kernel(spans->queue->context, "algo/windows/window_sort.cl", defines.items,
                                    defines.count, KN_POLICY_STRICT, name, kernel, err);
}

static void choose_most(struct window_spans *spans)
{
    enum { MOST = 1 << 25, BYTES = 256 }; // elements sorted together, and bytes of the device for each
    const uint64_t memory = spans->queue->context->device.info.global_memory / BYTES;
    const uint64_t most = (memory < MOST ? memory : MOST) / spans->length;

    spans->most = most < 1 ? 1 : most < spans->all ? most : spans->all;
}

kn_status ki_window_spans_open(struct window_spans *spans, size_t more, kn_error *err)
{
    size_t elements, bytes[SPAN_PLACES];
    kn_status status = ki_window_spans_kernel(spans, "window_gather", &spans->gather, err);

    choose_most(spans);
    elements = spans->most * spans->length;
    bytes[SPAN_KEYS] = elements * kn_type_size(spans->type);
    bytes[SPAN_ORDER] = elements * sizeof(uint32_t);
    bytes[SPAN_OFFSETS] = (spans->most + 1) * sizeof(uint64_t);
    spans->scratch =
        ki_engine_scratch_open(spans->queue, ENGINE_SCRATCH_OPERATOR, SPAN_PLACES + more, spans->function);
    for (size_t i = 0; i < SPAN_PLACES && !status; i++)
        status = ki_engine_scratch_get(&spans->scratch, i, bytes[i], &spans->places[i], err);
    return status;
}

kn_status ki_window_spans_sort(struct window_spans *spans, uint64_t first, uint64_t count, kn_error *err)
{
    const uint64_t total = count * spans->length, begin = first * spans->stride;
    const kn_range range = ki_window_spans_range(total);
    kn_buffer *keys = spans->places[SPAN_KEYS], *order = spans->places[SPAN_ORDER],
              *offsets = spans->places[SPAN_OFFSETS];
    const kn_arg args[] = {KN_BUFFER(spans->x),     KN_VALUE(spans->n),      KN_VALUE(begin),
                           KN_VALUE(spans->stride), KN_VALUE(spans->before), KN_VALUE(spans->length),
                           KN_VALUE(count),         KN_BUFFER(keys),         KN_BUFFER(order),
                           KN_BUFFER(offsets)};
    kn_status status = kn_launch(spans->queue, spans->gather, &range, args, KI_COUNT(args), NO_EVENT, err);

    return status ? status
                  : kn_sort_segments_by_key(spans->queue, keys, spans->type, total, order, sizeof(uint32_t),
                                            offsets, count, KN_ASCENDING, err);
}
