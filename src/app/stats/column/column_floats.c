// SPDX-License-Identifier: Apache-2.0
// Elements of a buffer as floats, with cl/app/stats/stats_floats.cl.
#include "base/array.h"
#include "base/error.h"
#include "algo/elements.h"
#include "column_internal.h"

static kn_status launch(kn_queue *queue, kn_kernel *kernel, const struct element_piece *from,
                        const struct element_piece *to, uint64_t count, kn_error *err)
{
    const kn_arg args[] = {KN_BUFFER(from->buffer), KN_VALUE(from->skip), KN_BUFFER(to->buffer),
                           KN_VALUE(to->skip), KN_VALUE(count)};
    const kn_range range = {1, {(size_t)(count + 63) / 64 * 64}, {0}, {0}};

    return kn_launch(queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}

kn_status ki_stats_device_floats(kn_queue *queue, const kn_buffer *from, kn_type type, size_t n,
                                 kn_buffer *to, kn_error *err)
{
    enum { LAUNCH = 1 << 30 };
    struct engine_defines defines = {.count = 0};
    kn_kernel *kernel = NULL;
    kn_status status = ki_column_check_any("kn_stats", queue, from, type, n, err);
    size_t done = 0;

    if (status || n == 0)
        return status;
    ki_engine_define_text(&defines, "FROM", kn_type_name(type));
    status = ki_engine_builtin_kernel(queue->context, "app/stats/stats_floats.cl", defines.items,
                                      defines.count, KN_POLICY_STRICT, "stats_floats", &kernel, err);
    while (done < n && !status) {
        const struct element_piece source = ki_element_piece_at(from, type, done);
        const struct element_piece sink = ki_element_piece_at(to, KN_F32, done);
        uint64_t count = n - done < LAUNCH ? n - done : LAUNCH;

        count = source.count < count ? source.count : count;
        count = sink.count < count ? sink.count : count;
        status = launch(queue, kernel, &source, &sink, count, err);
        done += count;
    }
    return status;
}
