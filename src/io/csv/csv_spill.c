// SPDX-License-Identifier: Apache-2.0
// Columns that do not fit into the caller's memory limit: what is read goes to a file for each column, and a
// reader holds what came since it last wrote, as if it were reading a part.
#include "csv_reader.h"

#include <stdlib.h>

#include "base/error.h"

enum { LEAST_ROWS = 1024, MOST_ROWS = 65536 }; // that are held between writes

// Bytes that a row takes in memory.
static size_t row_bytes(const struct csv_reader *reader)
{
    size_t columns = 0;

    for (size_t i = 0; i < reader->column_count; i++)
        columns += reader->columns[i].wanted;
    return (columns ? columns : 1) * sizeof(double);
}

size_t csv_rows_allowed(const struct csv_reader *reader)
{
    // A part never spills: its rows belong to a reader that does.
    return reader->options.most && !reader->guessing ? reader->options.most / row_bytes(reader) : SIZE_MAX;
}

static size_t rows_between_writes(const struct csv_reader *reader)
{
    const size_t rows = reader->options.most / row_bytes(reader) / 2;

    return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

void csv_settle_times(const struct csv_reader *reader, enum csv_clock clock, double *values, size_t count)
{
    for (size_t i = 0; clock == CSV_CLOCK_MILLISECONDS && i < count; i++)
        values[i] /= 1000;
    // An E4's beats count from its start.
    for (size_t i = 0; clock && reader->layout.e4 && i < count; i++)
        values[i] += reader->start_time;
}

kn_status csv_spill_values(const struct csv_reader *reader, size_t column, size_t position, double *values,
                           size_t count, kn_error *err)
{
    csv_settle_times(reader, reader->columns[column].clock, values, count);
    return spool_write(reader->columns[column].out.spool, position, values, count, err);
}

kn_status csv_spill(struct csv_reader *reader)
{
    for (size_t i = 0; i < reader->column_count; i++) {
        struct csv_reader_column *column = &reader->columns[i];
        kn_status status;

        if (!column->wanted)
            continue;
        status =
            csv_spill_values(reader, i, column->position, column->out.values, column->out.count, reader->err);
        if (status)
            return status;
        column->numeric = csv_has_number(reader, i);
        column->position += column->out.count;
        column->missing_before += column->out.missing;
        column->out.count = column->out.missing = 0;
    }
    reader->rows_before += reader->rows;
    reader->rows = 0;
    return KN_OK;
}

kn_status csv_begin_to_spill(struct csv_reader *reader)
{
    const size_t capacity = rows_between_writes(reader);
    kn_status status = KN_OK;

    for (size_t i = 0; i < reader->column_count && !status; i++)
        if (reader->columns[i].wanted)
            status = spool_open(&reader->columns[i].out.spool, reader->err);
    if (!status)
        status = csv_spill(reader);
    for (size_t i = 0; i < reader->column_count && !status; i++) {
        struct csv_column *out = &reader->columns[i].out;

        free(out->values);
        out->values = reader->columns[i].wanted ? malloc(capacity * sizeof *out->values) : NULL;
        if (reader->columns[i].wanted && !out->values)
            status = ki_fail_memory(reader->err, capacity * sizeof *out->values, "reading a CSV file");
    }
    reader->capacity = capacity;
    reader->spills = true;
    return status;
}

kn_status csv_spill_part(struct csv_reader *reader, struct csv_reader *part)
{
    kn_status status = csv_spill(reader);

    for (size_t i = 0; i < reader->column_count && !status; i++) {
        struct csv_reader_column *column = &reader->columns[i], *from = &part->columns[i];

        from->position = column->position;
        column->position += from->out.count;
        column->missing_before += from->out.missing;
        column->numeric = csv_has_number(part, i);
    }
    if (!status)
        reader->rows_before += part->rows;
    return status;
}

kn_status csv_end_spilling(struct csv_reader *reader)
{
    kn_status status = csv_spill(reader);

    for (size_t i = 0; i < reader->column_count && !status; i++) {
        struct csv_reader_column *column = &reader->columns[i];

        free(column->out.values);
        column->out.values = NULL;
        column->out.count = column->position;
        column->out.missing = column->missing_before;
    }
    return status;
}
