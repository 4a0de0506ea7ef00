// SPDX-License-Identifier: Apache-2.0
// The form in which a column is held, and the memory for it.
#include <stdlib.h>

#include "base/error.h"
#include "column_internal.h"

bool ki_stats_column_counts(const struct stats_column *column)
{
    return column->options.method == KN_STATS_FUSED;
}

kn_type ki_stats_column_real(const struct stats_column *column)
{
    return column->from == KN_F64 && !column->options.single ? KN_F64 : KN_F32;
}

bool ki_stats_column_as_it_is(const struct stats_column *column)
{
    return column->from == ki_stats_column_real(column) ||
           (column->from != KN_F64 && ki_stats_column_counts(column));
}

bool ki_stats_column_in_bytes(const struct stats_column *column)
{
    return column->type == KN_I8 || column->type == KN_U8;
}

// Bytes of an element in `converted`.
static size_t converted_size(const struct stats_column *column)
{
    if (column->from == KN_F64)
        return column->options.single ? sizeof(float) : ki_stats_column_counts(column) ? 1 : 0;
    return column->from == KN_F32 || ki_stats_column_counts(column) ? 0 : sizeof(float);
}

static size_t sorted_size(const struct stats_column *column)
{
    return column->options.method == KN_STATS_SORT ? kn_type_size(ki_stats_column_real(column)) : 0;
}

static size_t scratch_size(const struct stats_column *column)
{
    return column->options.method == KN_STATS_FUSED ? 0 : sizeof(double);
}

static kn_status take(void **room, size_t count, size_t size, const char *what, kn_error *err)
{
    if (*room || count == 0 || size == 0)
        return KN_OK;
    *room = count > SIZE_MAX / size ? NULL : malloc(count * size);
    return *room ? KN_OK : ki_fail_memory(err, count > SIZE_MAX / size ? 0 : count * size, what);
}

kn_status ki_stats_column_take_converted(struct stats_column *column, kn_error *err)
{
    return take(&column->converted, column->capacity, converted_size(column), "a column converted", err);
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
    if (column->variant == STATS_GPU && column->options.method == KN_STATS_SORT)
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
