// SPDX-License-Identifier: Apache-2.0
// A column on a device: the source's bitonic sort, padded to a power of two as it has it, and koine/robust.h.
#include <math.h>

#include <koine/experimental.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "column_internal.h"

kn_status ki_stats_device_open(struct stats_column *column, kn_error *err)
{
    kn_context *context = kn_queue_get_context(column->queue);
    size_t bytes = column->n * kn_type_size(column->type);
    double start = ki_clock_seconds();
    kn_status status = kn_buffer_create(context, bytes, &column->buffer, err);

    if (!status)
        status = kn_buffer_write(column->queue, column->buffer, 0, column->data, bytes, err);
    column->times.upload += ki_clock_seconds() - start;
    if (!status && column->options.method == STATS_SORT)
        status = kn_buffer_create(context, bytes, &column->work, err);
    return status;
}

static kn_status sort(struct stats_column *column, kn_buffer *keys, size_t n, kn_error *err)
{
    const kn_sort_options how = KN_INIT(kn_sort_options, .algorithm = KN_SORT_BITONIC,
                                        .tuning = &(kn_sort_tuning){.padding = KN_SORT_POWER_OF_TWO});

    return kn_sort(column->queue, keys, column->type, n, &how, err);
}

static kn_status sums_and_medians(struct stats_column *column, size_t n, double shift,
                                  struct stats_result *result, kn_error *err)
{
    kn_queue *queue = column->queue;
    kn_sums sums;
    kn_status status = kn_reduce_sums(queue, column->work, column->type, n, shift, &sums, err);

    if (!status)
        ki_stats_moments((struct stats_sums){sums.sum, sums.squares}, shift, n, result);
    if (!status)
        status = kn_median_sorted(queue, column->work, column->type, n, &result->median, err);
    if (!status && isfinite(result->median))
        status = kn_mad_sorted(queue, column->work, column->type, n, result->median, &result->mad, err);
    return status;
}

// A column that the device holds in parts: each is sorted there, and the host merges them.
static kn_status sort_parts(struct stats_column *column, size_t n, double shift, struct stats_result *result,
                            kn_error *err)
{
    size_t size = kn_type_size(column->type),
           length = kn_buffer_get_size(kn_buffer_get_part(column->work, 0)) / size;
    struct stats_sums sums;
    kn_status status = ki_stats_column_take_room(column, err);
    double start;

    for (size_t i = 0; i * length < n && !status; i++)
        status = sort(column, kn_buffer_get_part(column->work, i),
                      n - i * length < length ? n - i * length : length, err);
    if (!status)
        status = kn_queue_finish(column->queue, err);
    start = ki_clock_seconds();
    if (!status)
        status = kn_buffer_read(column->queue, column->work, 0, column->sorted, n * size, err);
    column->times.download += ki_clock_seconds() - start;
    if (!status)
        status = ki_stats_merge_runs(column->type, n, length, shift, &column->plan, column->sorted,
                                     column->scratch, &sums, &column->ran.merges, err);
    if (status)
        return status;
    ki_stats_moments(sums, shift, n, result);
    ki_stats_sorted_medians(column, n, result);
    return KN_OK;
}

kn_status ki_stats_device_sort(struct stats_column *column, size_t n, double shift,
                               struct stats_result *result, kn_error *err)
{
    size_t size = kn_type_size(column->type);
    kn_status status = kn_buffer_copy(column->queue, column->buffer, 0, column->work, 0, n * size, NULL, err);

    if (!status && kn_buffer_get_part_count(column->work) > 1)
        return sort_parts(column, n, shift, result, err);
    if (!status)
        status = sort(column, column->work, n, err);
    return status ? status : sums_and_medians(column, n, shift, result, err);
}
