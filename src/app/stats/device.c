// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/clock.h"
#include "../../base/error.h"
#include "moments.h"
#include "runs.h"

struct column {
    kn_queue *queue;
    kn_type type;
    size_t n;
    const void *values; // of the type
    float *singles;     // the values, if they had to be converted
    kn_buffer *buffer;
};

// What passed since *since, which becomes now.
static double lap(double *since)
{
    double before = *since;

    *since = kn_clock_seconds();
    return *since - before;
}

static kn_status convert(struct column *column, const double *values, kn_error *err)
{
    column->values = values;
    if (column->type == KN_F64)
        return KN_OK;
    column->singles = malloc(column->n * sizeof *column->singles);
    if (!column->singles)
        return kn_fail_memory(err, column->n * sizeof *column->singles, "a column in single precision");
    for (size_t i = 0; i < column->n; i++)
        column->singles[i] = (float)values[i];
    column->values = column->singles;
    return KN_OK;
}

static kn_status upload(struct column *column, kn_error *err)
{
    size_t bytes = column->n * kn_type_size(column->type);
    kn_status status = kn_buffer_create(kn_queue_context(column->queue), bytes, &column->buffer, err);

    return status ? status : kn_buffer_write(column->queue, column->buffer, 0, column->values, bytes, err);
}

static kn_status moments(const struct column *column, double shift, struct stats_result *result, kn_error *err)
{
    kn_sums sums;
    kn_status status = kn_reduce_sums(column->queue, column->buffer, column->type, column->n, shift, &sums, err);

    if (!status)
        stats_moments((struct stats_sums){sums.sum, sums.squares}, shift, column->n, result);
    return status;
}

// Both medians on the device, of a column sorted in one piece.
static kn_status medians(const struct column *column, struct stats_result *result, kn_error *err)
{
    kn_status status = kn_sort(column->queue, column->buffer, column->type, column->n, NULL, err);

    if (!status)
        status = kn_median_sorted(column->queue, column->buffer, column->type, column->n, &result->median, err);
    if (!status && isfinite(result->median))
        status = kn_mad_sorted(column->queue, column->buffer, column->type, column->n, result->median, &result->mad, err);
    return status;
}

// The sorted column as doubles; the caller frees it.
static kn_status download(const struct column *column, double **sorted, kn_error *err)
{
    size_t bytes = column->n * sizeof **sorted, own = column->n * kn_type_size(column->type);
    double *values = malloc(bytes);
    // Single precision stands at the far end and is widened from the front, never ahead of what is still to be read.
    char *raw = values ? (char *)values + bytes - own : NULL;
    kn_status status = values ? kn_buffer_read(column->queue, column->buffer, 0, raw, own, err)
                              : kn_fail_memory(err, bytes, "a sorted column");

    for (size_t i = 0; i < column->n && column->type == KN_F32 && !status; i++) {
        float single;
        memcpy(&single, raw + i * sizeof single, sizeof single);
        values[i] = (double)single;
    }
    if (status)
        free(values);
    else
        *sorted = values;
    return status;
}

// Both medians of a column that the device holds in parts: each part is sorted there, the ranks are found here.
static kn_status medians_of_parts(const struct column *column, struct stats_result *result, double *seconds,
                                  kn_error *err)
{
    size_t size = kn_type_size(column->type), parts = kn_buffer_part_count(column->buffer);
    double *sorted = NULL, start;
    kn_status status = KN_OK;

    for (size_t i = 0; i < parts && !status; i++) {
        kn_buffer *part = kn_buffer_part(column->buffer, i);
        status = kn_sort(column->queue, part, column->type, kn_buffer_size(part) / size, NULL, err);
    }
    if (!status)
        status = kn_queue_finish(column->queue, err);
    start = kn_clock_seconds();
    if (!status)
        status = download(column, &sorted, err);
    *seconds = lap(&start);
    if (status)
        return status;
    struct stats_runs runs = {sorted, column->n, kn_buffer_size(kn_buffer_part(column->buffer, 0)) / size};
    result->median = stats_runs_median(&runs);
    if (isfinite(result->median))
        result->mad = stats_runs_mad(&runs, result->median);
    free(sorted);
    return KN_OK;
}

static kn_status compute(const struct column *column, double shift, struct stats_result *result, double *seconds,
                         kn_error *err)
{
    kn_status status = moments(column, shift, result, err);

    *seconds = 0;
    if (status)
        return status;
    return kn_buffer_part_count(column->buffer) > 1 ? medians_of_parts(column, result, seconds, err)
                                                    : medians(column, result, err);
}

kn_status stats_device(kn_queue *queue, const double *values, size_t n, const struct stats_options *options,
                       struct stats_result *result, struct stats_times *times, kn_error *err)
{
    const kn_context *context = kn_queue_context(queue);
    struct column column = {queue, options->single ? KN_F32 : KN_F64, n, NULL, NULL, NULL};
    double start = kn_clock_seconds(), uploaded, computed, downloaded = 0;
    double built = -kn_context_build_seconds(context);
    kn_status status;

    *result = (struct stats_result){n, NAN, NAN, NAN, NAN, NAN};
    if (n == 0 || stats_holds_nan(values, n))
        return KN_OK;
    status = convert(&column, values, err);
    if (!status)
        status = upload(&column, err);
    uploaded = lap(&start);
    if (!status)
        status = compute(&column, stats_shift(values, n, options->single), result, &downloaded, err);
    computed = lap(&start);
    built += kn_context_build_seconds(context);
    if (!status)
        result->mad = result->mad / options->mad_scale;
    if (!status && times) {
        times->build += built;
        times->upload += uploaded;
        times->compute += fmax(computed - built - downloaded, 0); // `built` holds what other threads built, too
        times->download += downloaded;
    }
    kn_buffer_free(column.buffer);
    free(column.singles);
    return status;
}
