// SPDX-License-Identifier: Apache-2.0
// Reading a CSV file, from its head to the table.
#include "csv.h"
#include "csv_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"

// Several threads are used from this many bytes on.
#define WORTH_THREADS ((uint64_t)4 << 20)
// The least part of the memory limit for each thread.
#define THREAD_MEMORY ((size_t)16 << 20)

// The number of threads for the rest of the file.
static unsigned choose_threads(const struct csv_reader *reader)
{
    const size_t most = reader->options.most;
    unsigned threads;
    uint64_t left;

    if (!reader->input.seekable || reader->input.finished)
        return 1;
    left = csv_input_size(&reader->input) - csv_input_offset(&reader->input);
    if (reader->options.chunk)
        return ki_threads(reader->options.threads);
    threads = left >= WORTH_THREADS ? ki_threads(reader->options.threads) : 1;
    return most && threads > most / THREAD_MEMORY ? (unsigned)(most / THREAD_MEMORY) : threads;
}

static kn_status read_rows(struct csv_reader *reader, const struct csv_head *head)
{
    kn_status status = KN_OK;
    unsigned threads;

    if (head->first.found && (status = csv_add_row(reader, &head->first)))
        return status;
    if (head->second.found && (status = csv_add_row(reader, &head->second)))
        return status;
    threads = choose_threads(reader);
    // The first row decides what empty lines and unnamed columns are.
    if (threads > 1 && csv_rows_read(reader) == 0)
        status = csv_read_rows(reader, csv_input_offset(&reader->input) + 1);
    if (!status)
        status = threads > 1 && csv_rows_read(reader) ? csv_read_chunks(reader, threads)
                                                      : csv_read_rows(reader, UINT64_MAX);
    if (status)
        return status;
    if (csv_rows_read(reader) == 0)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, 0,
                          "the file has a header but no rows; expected rows of numbers below it");
    return reader->spills ? csv_end_spilling(reader) : KN_OK;
}

// Moves a column into the table, with its memory reduced to its size.
static void hand_over(struct csv_reader *reader, size_t index, struct csv_column *to)
{
    struct csv_column *out = &reader->columns[index].out;

    if (!out->spool) {
        double *values = realloc(out->values, (out->count ? out->count : 1) * sizeof *values);

        out->values = values ? values : out->values;
    }
    *to = *out;
    *out = (struct csv_column){0};
}

static kn_status make_table(struct csv_reader *reader, struct csv_table *table)
{
    table->columns = calloc(reader->wanted_count, sizeof *table->columns);
    if (!table->columns)
        return ki_fail_memory(reader->err, 0, "reading a CSV file");
    table->rows = csv_rows_read(reader);
    table->layout = reader->layout;
    table->layout.separator = reader->marks.separator;
    table->layout.point = reader->marks.point;
    table->layout.packing = reader->input.packing;
    table->start_time = reader->start_time;
    table->sample_rate = reader->sample_rate;
    for (size_t i = 0; i < reader->order_count; i++)
        hand_over(reader, reader->order[i], &table->columns[table->column_count++]);
    for (size_t i = 0; i < reader->column_count && reader->order_count == 0; i++)
        if (reader->columns[i].wanted && !reader->columns[i].clock)
            hand_over(reader, i, &table->columns[table->column_count++]);
    for (size_t i = 0; i < reader->column_count; i++)
        if (reader->columns[i].clock) {
            table->clock = reader->columns[i].clock;
            hand_over(reader, i, &table->times);
        }
    if (table->times.values)
        csv_settle_times(reader, table->clock, table->times.values, table->times.count);
    return KN_OK;
}

static void close_reader(struct csv_reader *reader)
{
    csv_input_close(&reader->input);
    for (size_t i = 0; i < reader->column_count; i++) {
        free(reader->columns[i].out.name);
        free(reader->columns[i].out.values);
        spool_close(reader->columns[i].out.spool);
    }
    free(reader->columns);
    free(reader->order);
    if (reader->c)
        freelocale(reader->c);
}

// A reader, and the outcome of reading with it.
struct reading {
    struct csv_reader *reader;
    struct csv_table *table;
    kn_status status;
};

static kn_status read_table(struct csv_reader *reader, struct csv_table *table)
{
    struct csv_head head = {0};
    kn_status status;

    if (!(status = csv_find_layout(reader)) && !(status = csv_read_head(reader, &head)) &&
        !(status = csv_choose_columns(reader)) && !(status = read_rows(reader, &head)))
        status = make_table(reader, table);
    free(head.first_text);
    return status;
}

// Round 0 reads a compressed file, round 1 decompresses ahead of it.
static void read_packed(void *context, size_t round)
{
    struct reading *reading = context;

    if (round) {
        unpack_ahead(reading->reader->input.unpack);
    } else {
        reading->status = read_table(reading->reader, reading->table);
        unpack_stop(reading->reader->input.unpack);
    }
}

kn_status csv_read(const char *path, const struct csv_options *options, struct csv_table *table,
                   kn_error *err)
{
    struct csv_reader reader = {.input = {.fd = -1}, .marks = csv_usual_marks, .err = err};
    struct reading reading = {&reader, table, KN_OK};

    *table = (struct csv_table){0};
    if (options)
        reader.options = *options;
    reader.c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!reader.c)
        return ki_fail_memory(err, 0, "preparing to read a CSV file");
    reading.status = csv_input_open(&reader.input, path, reader.options.chunk, err);
    if (!reading.status && reader.input.unpack)
        ki_parallel(ki_threads(reader.options.threads), 2, KI_STATIC, read_packed, &reading);
    else if (!reading.status)
        reading.status = read_table(&reader, table);
    close_reader(&reader);
    return reading.status;
}

void csv_column_view(const struct csv_column *column, struct spool_view *view, kn_error *err)
{
    spool_view_open(view, column->values, column->spool, column->count, err);
}

void csv_free(struct csv_table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        free(table->columns[i].name);
        free(table->columns[i].values);
        spool_close(table->columns[i].spool);
    }
    free(table->columns);
    free(table->times.name);
    free(table->times.values);
    spool_close(table->times.spool);
    *table = (struct csv_table){0};
}
