// SPDX-License-Identifier: Apache-2.0
// The elements of a column: converted as the method needs them, and uploaded to the device.
#include <math.h>

#include "base/error.h"
#include "app/stats/bytes.h"
#include "column_internal.h"

// How many elements precede the first NaN.
static size_t count_numbers(const void *values, kn_type type, size_t n)
{
    size_t count = 0;

    if (type != KN_F32 && type != KN_F64)
        return n;
    while (count < n && !isnan(stats_element(values, type, count)))
        count++;
    return count;
}

static kn_status convert(struct stats_column *column, kn_error *err)
{
    bool counts = ki_stats_column_counts(column);
    float *singles;
    kn_status status = ki_stats_column_take_converted(column, err);

    if (status)
        return status;
    column->type = ki_stats_column_real(column);
    column->data = column->values;
    if (column->n == 0 || column->from == KN_F32)
        return KN_OK;
    if (counts && column->from != KN_F64) {
        column->type = column->from;
        return KN_OK;
    }
    if (counts && ki_stats_to_bytes(column->values, column->n, column->converted, &column->type)) {
        column->data = column->converted;
        return KN_OK;
    }
    if (column->type == KN_F64)
        return KN_OK;
    singles = column->converted;
    for (size_t i = 0; i < column->n; i++)
        singles[i] = (float)stats_element(column->values, column->from, i);
    column->data = singles;
    return KN_OK;
}

static kn_status check_count(const struct stats_column *column, size_t n, kn_error *err)
{
    return n <= column->capacity ? KN_OK
                                 : ki_fail(err, KN_ERROR_ARGUMENT, "%zu elements, but there is room for %zu",
                                           n, column->capacity);
}

kn_status ki_stats_column_take(struct stats_column *column, const void *values, size_t n, kn_error *err)
{
    kn_status status = check_count(column, n, err);

    if (status)
        return status;
    column->values = values;
    column->given = NULL;
    column->n = n;
    column->numbers = count_numbers(values, column->from, n);
    return convert(column, err);
}

kn_status ki_stats_column_load(struct stats_column *column, const void *values, size_t n, kn_error *err)
{
    kn_status status = ki_stats_column_take(column, values, n, err);

    if (status)
        return status;
    return column->variant == STATS_GPU ? ki_stats_device_load(column, err)
                                        : ki_stats_column_take_room(column, err);
}

kn_status ki_stats_column_attach(struct stats_column *column, const kn_buffer *buffer, size_t n,
                                 kn_error *err)
{
    kn_status status = check_count(column, n, err);

    if (status)
        return status;
    column->values = column->data = NULL;
    column->given = buffer;
    column->n = column->numbers = n;
    return ki_stats_device_attach(column, err);
}
