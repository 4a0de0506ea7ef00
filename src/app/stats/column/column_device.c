// SPDX-License-Identifier: Apache-2.0
// A column on a device: the source's bitonic sort, padded to a power of two as in the source, and
// koine/robust.h.
#include <koine/experimental.h>

#include <math.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "column_internal.h"

kn_status ki_stats_take_buffer(kn_context *context, size_t bytes, kn_buffer **buffer, kn_error *err)
{
    if (*buffer && kn_buffer_get_size(*buffer) >= bytes)
        return KN_OK;
    kn_buffer_free(*buffer);
    *buffer = NULL;
    return kn_buffer_create(context, bytes, buffer, err);
}

static kn_status take_work(struct stats_column *column, size_t bytes, kn_error *err)
{
    return column->options.method != KN_STATS_SORT
               ? KN_OK
               : ki_stats_take_buffer(kn_queue_get_context(column->queue), bytes, &column->work, err);
}

kn_status ki_stats_device_load(struct stats_column *column, kn_error *err)
{
    size_t bytes = column->n * kn_type_size(column->type);
    double start = ki_clock_seconds();
    kn_status status = ki_stats_take_buffer(kn_queue_get_context(column->queue), bytes, &column->own, err);

    if (!status)
        status = kn_buffer_write(column->queue, column->own, 0, column->data, bytes, err);
    column->buffer = column->own;
    column->times.upload += ki_clock_seconds() - start;
    return status ? status : take_work(column, bytes, err);
}

kn_status ki_stats_device_attach(struct stats_column *column, kn_error *err)
{
    const bool as_it_is = ki_stats_column_as_it_is(column);
    size_t bytes = column->n * kn_type_size(ki_stats_column_real(column));
    kn_status status;

    column->type = as_it_is ? column->from : KN_F32;
    column->buffer = column->given;
    if (as_it_is)
        return take_work(column, bytes, err);
    status = ki_stats_take_buffer(kn_queue_get_context(column->queue), bytes, &column->own, err);
    if (!status)
        status =
            ki_stats_device_floats(column->queue, column->given, column->from, column->n, column->own, err);
    column->buffer = column->own;
    return status ? status : take_work(column, bytes, err);
}

static kn_status sort(struct stats_column *column, kn_buffer *keys, size_t n, kn_error *err)
{
    const kn_sort_options how = KN_INIT(kn_sort_options, .algorithm = KN_SORT_BITONIC,
                                        .tuning = &(kn_sort_tuning){.padding = KN_SORT_POWER_OF_TWO});

    return kn_sort(column->queue, keys, column->type, n, &how, err);
}

static kn_status sums_and_medians(struct stats_column *column, size_t n, double shift, kn_stats *result,
                                  kn_error *err)
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
static kn_status sort_parts(struct stats_column *column, size_t n, double shift, kn_stats *result,
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

kn_status ki_stats_device_sort(struct stats_column *column, size_t n, double shift, kn_stats *result,
                               kn_error *err)
{
    size_t size = kn_type_size(column->type);
    kn_number greatest = {.f64 = 0};
    kn_status status = KN_OK;

    // For elements that the host has not seen.
    if (column->given)
        status = kn_reduce(column->queue, column->buffer, column->type, n, KN_REDUCE_MAX, &greatest, err);
    if (status || isnan(greatest.f64))
        return status;
    status = kn_buffer_copy(column->queue, column->buffer, 0, column->work, 0, n * size, NULL, err);
    if (!status && kn_buffer_get_part_count(column->work) > 1)
        return sort_parts(column, n, shift, result, err);
    if (!status)
        status = sort(column, column->work, n, err);
    return status ? status : sums_and_medians(column, n, shift, result, err);
}
