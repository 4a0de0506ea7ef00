// SPDX-License-Identifier: Apache-2.0
// The shift to which a column's sums are relative, wherever the column is.
#include "base/number.h"
#include "column_internal.h"

// Elements of a buffer, of type `from`, one after the other.
static kn_status fetch(const struct stats_column *column, const size_t *positions, size_t count, void *raw,
                       kn_error *err)
{
    size_t size = kn_type_size(column->from);
    kn_status status = KN_OK, finished;

    for (size_t k = 0; k < count && !status; k++)
        status = kn_buffer_read_async(column->queue, column->given, positions[k] * size,
                                      (char *)raw + k * size, size, NULL, err);
    finished = kn_queue_finish(column->queue, status ? NULL : err); // `raw` must outlive the copies
    return status ? status : finished;
}

kn_status ki_stats_column_shift(const struct stats_column *column, size_t n, double *shift, kn_error *err)
{
    double elements[STATS_SHIFT_SAMPLES], raw[STATS_SHIFT_SAMPLES];
    size_t positions[STATS_SHIFT_SAMPLES], count = ki_stats_shift_positions(n, positions);
    kn_status status = column->given ? fetch(column, positions, count, raw, err) : KN_OK;

    if (status)
        return status;
    for (size_t k = 0; k < count; k++) {
        double value = column->given ? stats_element(raw, column->from, k)
                                     : stats_element(column->values, column->from, positions[k]);
        elements[k] = column->options.single ? ki_as_float(value) : value;
    }
    *shift = ki_stats_shift_of(elements, count);
    return KN_OK;
}
