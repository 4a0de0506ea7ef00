// SPDX-License-Identifier: Apache-2.0
// Reading the rows of a CSV file into columns of doubles, in one pass.
#include "csv.h"
#include "csv_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/quote.h"

#define FIRST_CAPACITY ((size_t)1024)

static bool is_empty(const struct csv_record *record)
{
    const char *p = record->text;

    while (p < record->end && (*p == ' ' || *p == '\t'))
        p++;
    return p == record->end;
}

kn_status csv_next_row(struct csv_reader *reader, struct csv_row *row)
{
    kn_status status;

    row->empty_lines = 0;
    for (;;) {
        status = csv_input_next(&reader->input, &row->record, &row->found, reader->err);
        if (status || !row->found || !is_empty(&row->record))
            return status;
        row->empty_lines++;
    }
}

// "column 3", and its name if a header gave it one.
static const char *describe_column(char *out, size_t size, const struct csv_reader *reader, size_t column)
{
    char quoted[64];
    bool named = reader->named && column < reader->column_count && !reader->columns[column].unnamed;

    if (named) {
        const char *name = reader->columns[column].out.name;

        kn_quote(quoted, sizeof quoted, name, strlen(name));
    }
    snprintf(out, size, "column %zu%s%s", column + 1, named ? " " : "", named ? quoted : "");
    return out;
}

kn_status csv_fail_cell(struct csv_reader *reader, long line, size_t column, const struct csv_cell *cell)
{
    char where[128], found[64];
    const char *hint = "";

    if (memchr(cell->text, ';', cell->length))
        hint = " (Koine reads commas between cells, not ';')";
    else if (cell->length > 1 && cell->text[0] == '0' && (cell->text[1] | 0x20) == 'x')
        hint = " (in decimal)";
    return kn_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, line,
                      "%s: found %s, expected a number%s",
                      describe_column(where, sizeof where, reader, column),
                      kn_quote(found, sizeof found, cell->text, cell->length), hint);
}

kn_status csv_fail_quote(struct csv_reader *reader, long line, size_t column)
{
    char where[128];

    return kn_fail_at(
        reader->err, KN_ERROR_INPUT, reader->input.name, line,
        "%s: text after the closing quote; expected a comma or the line's end (a quote inside a "
        "quoted cell is written twice)",
        describe_column(where, sizeof where, reader, column));
}

static kn_status fail_cell_count(struct csv_reader *reader, const struct csv_record *record)
{
    size_t found = 1;
    struct csv_cell cell;
    const char *from = record->text, *next;

    while (csv_cell_at(from, record->end, &cell, &next) && next < record->end) {
        found++;
        from = next + 1;
    }
    return kn_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, record->line,
                      "found %zu cell%s in this row, expected %zu as in the %s", found, found == 1 ? "" : "s",
                      reader->column_count, reader->named ? "header" : "first row");
}

static kn_status fail_missing(struct csv_reader *reader, long line, size_t column)
{
    char where[128];

    return kn_fail_at(
        reader->err, KN_ERROR_INPUT, reader->input.name, line,
        "%s: the cell is missing (empty, nan or NA), expected a number; leave missing cells out with "
        "--missing omit, keep them as not-a-number with --missing propagate, or choose other columns",
        describe_column(where, sizeof where, reader, column));
}

// Room for one more row in every wanted column.
static kn_status grow(struct csv_reader *reader)
{
    size_t capacity = reader->capacity ? reader->capacity * 2 : FIRST_CAPACITY;

    if (capacity > (size_t)-1 / sizeof(double))
        return kn_fail_memory(reader->err, 0, "reading a CSV file");
    for (size_t i = 0; i < reader->column_count; i++) {
        struct csv_column *out = &reader->columns[i].out;
        double *values = reader->columns[i].wanted ? realloc(out->values, capacity * sizeof *values) : NULL;

        if (!reader->columns[i].wanted)
            continue;
        if (!values)
            return kn_fail_memory(reader->err, capacity * sizeof *values, "a column of a CSV file");
        out->values = values;
    }
    reader->capacity = capacity;
    return KN_OK;
}

static kn_status leave_out(struct csv_reader *reader, size_t column, long line)
{
    reader->columns[column].wanted = false;
    if (--reader->wanted_count > 0)
        return KN_OK;
    if (reader->column_count == 1)
        return kn_fail_at(
            reader->err, KN_ERROR_INPUT, reader->input.name, line,
            "found text in the file's only column, expected numbers; Koine reads commas between cells");
    return kn_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, line,
                      "no column holds numbers: found text in each of the file's %zu columns",
                      reader->column_count);
}

static kn_status add_missing(struct csv_reader *reader, size_t column, long line)
{
    struct csv_reader_column *target = &reader->columns[column];

    // A comma at the end of every line, the header's too, makes no column.
    if (target->unnamed && !target->asked && reader->rows == 0)
        return leave_out(reader, column, line);
    if (reader->options.missing == CSV_MISSING_ERROR)
        return fail_missing(reader, line, column);
    target->out.missing++;
    if (reader->options.missing == CSV_MISSING_PROPAGATE)
        target->out.values[target->out.count++] = NAN;
    return KN_OK;
}

// A cell that is not a plain number at once: quoted, blank-padded, a word, missing, text, or in an unwanted
// column.
static kn_status add_cell(struct csv_reader *reader, const struct csv_record *record, size_t column,
                          const char *from, const char **next)
{
    struct csv_reader_column *target = &reader->columns[column];
    bool seen_number =
        target->out.count > (reader->options.missing == CSV_MISSING_PROPAGATE ? target->out.missing : 0);
    struct csv_cell cell;
    double value;

    if (!csv_cell_at(from, record->end, &cell, next))
        return csv_fail_quote(reader, record->line, column);
    if (!target->wanted)
        return KN_OK;
    switch (csv_cell_kind(&cell, reader->c, &value)) {
    case CSV_NUMBER:
        target->out.values[target->out.count++] = value;
        return KN_OK;
    case CSV_MISSING:
        return add_missing(reader, column, record->line);
    case CSV_TEXT:
        break;
    }
    if (seen_number || target->asked)
        return csv_fail_cell(reader, record->line, column, &cell);
    return leave_out(reader, column, record->line);
}

static kn_status add_record(struct csv_reader *reader, const struct csv_record *record)
{
    const char *from = record->text, *next;
    kn_status status = KN_OK;
    size_t i = 0;
    double value;

    if (reader->rows == reader->capacity && (status = grow(reader)))
        return status;
    for (;; i++, from = next + 1) {
        struct csv_reader_column *column = &reader->columns[i];

        if (i == reader->column_count)
            return fail_cell_count(reader, record);
        if (!column->wanted && !record->quoted) {
            next = memchr(from, ',', (size_t)(record->end - from));
            next = next ? next : record->end;
        } else {
            next = column->wanted ? csv_number_at(from, reader->c, &value) : NULL;
            if (next && (next == record->end || *next == ','))
                column->out.values[column->out.count++] = value;
            else if ((status = add_cell(reader, record, i, from, &next)))
                return status;
        }
        if (next == record->end)
            break;
    }
    if (i + 1 < reader->column_count)
        return fail_cell_count(reader, record);
    reader->rows++;
    return KN_OK;
}

// An empty line between rows is a missing cell where there is one column, and a short row elsewhere.
static kn_status add_empty_lines(struct csv_reader *reader, const struct csv_row *row)
{
    long line = row->record.line - (long)row->empty_lines;
    kn_status status;

    for (size_t i = 0; i < row->empty_lines; i++, line++) {
        if (reader->column_count > 1)
            return kn_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, line,
                              "found an empty line between rows, expected %zu cells", reader->column_count);
        if (reader->rows == reader->capacity && (status = grow(reader)))
            return status;
        if ((status = add_missing(reader, 0, line)))
            return status;
        reader->rows++;
    }
    return KN_OK;
}

static kn_status add_row(struct csv_reader *reader, const struct csv_row *row)
{
    kn_status status = KN_OK;

    // Those before the first row are no rows.
    if (row->empty_lines && reader->rows)
        status = add_empty_lines(reader, row);
    return status ? status : add_record(reader, &row->record);
}

static kn_status read_rows(struct csv_reader *reader, const struct csv_head *head)
{
    struct csv_row row = {.found = true};
    kn_status status;

    if (head->first.found && (status = add_row(reader, &head->first)))
        return status;
    if (head->second.found && (status = add_row(reader, &head->second)))
        return status;
    for (;;) {
        if ((status = csv_next_row(reader, &row)))
            return status;
        if (!row.found)
            break;
        if ((status = add_row(reader, &row)))
            return status;
    }
    if (reader->rows == 0)
        return kn_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, 0,
                          "the file has a header but no rows; expected rows of numbers below it");
    return KN_OK;
}

// Moves a column into the table, its memory cut to what it holds.
static void hand_over(struct csv_reader *reader, size_t index, struct csv_table *table)
{
    struct csv_column *out = &reader->columns[index].out;
    double *values = realloc(out->values, (out->count ? out->count : 1) * sizeof *values);

    out->values = values ? values : out->values;
    table->columns[table->column_count++] = *out;
    *out = (struct csv_column){0};
}

static kn_status make_table(struct csv_reader *reader, struct csv_table *table)
{
    table->columns = calloc(reader->wanted_count, sizeof *table->columns);
    if (!table->columns)
        return kn_fail_memory(reader->err, 0, "reading a CSV file");
    table->rows = reader->rows;
    table->start_time = reader->start_time;
    table->sample_rate = reader->sample_rate;
    for (size_t i = 0; i < reader->order_count; i++)
        hand_over(reader, reader->order[i], table);
    for (size_t i = 0; i < reader->column_count && reader->order_count == 0; i++)
        if (reader->columns[i].wanted)
            hand_over(reader, i, table);
    return KN_OK;
}

static void close_reader(struct csv_reader *reader)
{
    csv_input_close(&reader->input);
    for (size_t i = 0; i < reader->column_count; i++) {
        free(reader->columns[i].out.name);
        free(reader->columns[i].out.values);
    }
    free(reader->columns);
    free(reader->order);
    if (reader->c)
        freelocale(reader->c);
}

kn_status csv_read(const char *path, const struct csv_options *options, struct csv_table *table,
                   kn_error *err)
{
    struct csv_reader reader = {.input = {.fd = -1}, .err = err};
    struct csv_head head = {0};
    kn_status status;

    *table = (struct csv_table){0};
    if (options)
        reader.options = *options;
    reader.c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!reader.c)
        return kn_fail_memory(err, 0, "preparing to read a CSV file");
    if ((status = csv_input_open(&reader.input, path, err)) || (status = csv_read_head(&reader, &head)) ||
        (status = csv_choose_columns(&reader)) || (status = read_rows(&reader, &head)))
        goto done;
    status = make_table(&reader, table);
done:
    free(head.first_text);
    close_reader(&reader);
    return status;
}

void csv_free(struct csv_table *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        free(table->columns[i].name);
        free(table->columns[i].values);
    }
    free(table->columns);
    *table = (struct csv_table){0};
}
