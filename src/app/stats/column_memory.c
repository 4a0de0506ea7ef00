// SPDX-License-Identifier: Apache-2.0
// How a column is held: what it is converted to, and the room for it.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/number.h"
#include "bytes.h"
#include "column_internal.h"

static double element(const void *values, kn_type type, size_t i)
{
    switch (type) {
    case KN_F64:
        return ((const double *)values)[i];
    case KN_F32:
        return (double)((const float *)values)[i];
    case KN_I8:
        return ((const int8_t *)values)[i];
    default:
        return ((const uint8_t *)values)[i];
    }
}

bool ki_stats_column_as_it_is(const struct stats_column *column)
{
    return column->from == ki_stats_column_real(column) ||
           (column->from != KN_F64 && ki_stats_column_counts(column));
}

// ---- room ----

// Bytes of an element in `converted`.
static size_t converted_size(const struct stats_column *column)
{
    if (column->from == KN_F64)
        return column->options.single ? sizeof(float) : ki_stats_column_counts(column) ? 1 : 0;
    return column->from == KN_F32 || ki_stats_column_counts(column) ? 0 : sizeof(float);
}

static size_t sorted_size(const struct stats_column *column)
{
    return column->options.method == STATS_SORT ? kn_type_size(ki_stats_column_real(column)) : 0;
}

static size_t scratch_size(const struct stats_column *column)
{
    return column->options.method == STATS_FUSED ? 0 : sizeof(double);
}

static kn_status take(void **room, size_t count, size_t size, const char *what, kn_error *err)
{
    if (*room || count == 0 || size == 0)
        return KN_OK;
    *room = count > SIZE_MAX / size ? NULL : malloc(count * size);
    return *room ? KN_OK : ki_fail_memory(err, count > SIZE_MAX / size ? 0 : count * size, what);
}

kn_status ki_stats_column_take_room(struct stats_column *column, kn_error *err)
{
    static const char what[] = "sorting or selecting in a column";
    kn_status status = take(&column->sorted, column->capacity, sorted_size(column), what, err);

    return status ? status : take(&column->scratch, column->capacity, scratch_size(column), what, err);
}

struct stats_room ki_stats_column_wants(const struct stats_column *column, bool in_buffers)
{
    const bool as_it_is = ki_stats_column_as_it_is(column);
    const size_t n = column->capacity;
    const size_t size = kn_type_size(as_it_is ? column->from : ki_stats_column_real(column));
    struct stats_room room = {in_buffers ? 0 : n * converted_size(column), 0};

    if (column->variant != STATS_GPU)
        room.host += n * (sorted_size(column) + scratch_size(column));
    else if (!in_buffers || !as_it_is)
        room.device += n * size;
    if (column->variant == STATS_GPU && column->options.method == STATS_SORT)
        room.device += n * size;
    return room;
}

struct stats_room ki_stats_column_holds(const struct stats_column *column)
{
    const size_t n = column->capacity;

    return (struct stats_room){(column->converted ? n * converted_size(column) : 0) +
                                   (column->sorted ? n * sorted_size(column) : 0) +
                                   (column->scratch ? n * scratch_size(column) : 0),
                               (column->own ? kn_buffer_get_size(column->own) : 0) +
                                   (column->work ? kn_buffer_get_size(column->work) : 0)};
}

bool ki_stats_column_in_bytes(const struct stats_column *column)
{
    return column->type == KN_I8 || column->type == KN_U8;
}

// ---- elements ----

// How many elements precede the first not-a-number.
static size_t count_numbers(const void *values, kn_type type, size_t n)
{
    size_t count = 0;

    if (type != KN_F32 && type != KN_F64)
        return n;
    while (count < n && !isnan(element(values, type, count)))
        count++;
    return count;
}

static kn_status convert(struct stats_column *column, kn_error *err)
{
    bool counts = ki_stats_column_counts(column);
    float *singles;
    kn_status status =
        take(&column->converted, column->capacity, converted_size(column), "a column converted", err);

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
        singles[i] = (float)element(column->values, column->from, i);
    column->data = singles;
    return KN_OK;
}

static kn_status check_count(const struct stats_column *column, size_t n, kn_error *err)
{
    return n <= column->capacity ? KN_OK
                                 : ki_fail(err, KN_ERROR_ARGUMENT, "%zu elements, but there is room for %zu",
                                           n, column->capacity);
}

kn_status ki_stats_column_load(struct stats_column *column, const void *values, size_t n, kn_error *err)
{
    kn_status status = check_count(column, n, err);

    if (status)
        return status;
    column->values = values;
    column->given = NULL;
    column->n = n;
    column->numbers = count_numbers(values, column->from, n);
    status = convert(column, err);
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

// ---- the shift ----

// Elements of a buffer, of `from`, one behind the other.
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
        double value = column->given ? element(raw, column->from, k)
                                     : element(column->values, column->from, positions[k]);
        elements[k] = column->options.single ? ki_as_float(value) : value;
    }
    *shift = ki_stats_shift_of(elements, count);
    return KN_OK;
}
