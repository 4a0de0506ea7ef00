// SPDX-License-Identifier: Apache-2.0
// Reading any row of a CSV file into columns of doubles, and reporting what is wrong with it.
#define _DEFAULT_SOURCE // madvise
#include "csv_reader.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/text/quote.h"

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

        ki_quote(quoted, sizeof quoted, name, strlen(name));
    }
    snprintf(out, size, "column %zu%s%s", column + 1, named ? " " : "", named ? quoted : "");
    return out;
}

static kn_status fail_cell(struct csv_reader *reader, long line, size_t column, const struct csv_cell *cell)
{
    char where[128], found[64];
    const char *hint = "";

    if (memchr(cell->text, ';', cell->length) && reader->marks.separator != ';')
        hint = " (the file's first lines have ',' between cells, not ';')";
    else if (memchr(cell->text, ',', cell->length) && reader->marks.point != ',')
        hint = " (the file's first lines have a point before decimals, not a comma)";
    else if (cell->length > 1 && cell->text[0] == '0' && (cell->text[1] | 0x20) == 'x')
        hint = " (in decimal)";
    return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, line,
                      "%s: found %s, expected a number%s",
                      describe_column(where, sizeof where, reader, column),
                      ki_quote(found, sizeof found, cell->text, cell->length), hint);
}

kn_status csv_fail_quote(struct csv_reader *reader, long line, size_t column)
{
    char where[128];

    return ki_fail_at(
        reader->err, KN_ERROR_INPUT, reader->input.name, line,
        "%s: text after the closing quote; expected a separator or the line's end (a quote inside a "
        "quoted cell is written twice)",
        describe_column(where, sizeof where, reader, column));
}

static kn_status fail_cell_count(struct csv_reader *reader, const struct csv_record *record)
{
    size_t found = 1;
    struct csv_cell cell;
    const char *from = record->text, *next;

    while (csv_cell_at(from, record->end, reader->marks, &cell, &next) && next < record->end) {
        found++;
        from = next + 1;
    }
    return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, record->line,
                      "found %zu cell%s in this row, expected %zu as in the %s", found, found == 1 ? "" : "s",
                      reader->column_count, reader->named ? "header" : "first row");
}

static kn_status fail_missing(struct csv_reader *reader, long line, size_t column)
{
    char where[128];

    return ki_fail_at(
        reader->err, KN_ERROR_INPUT, reader->input.name, line,
        "%s: the cell is missing (empty, nan or NA), expected a number; omit missing cells with --missing "
        "omit, keep them as NaN with --missing propagate, or choose other columns",
        describe_column(where, sizeof where, reader, column));
}

// Requests pages of 2 MiB, if the system has them: most of the time that new memory takes goes into pages.
static void ask_for_huge_pages(double *values, size_t capacity)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)2 << 20;
    uintptr_t first = ((uintptr_t)values + page - 1) & ~(page - 1);
    uintptr_t last = (uintptr_t)(values + capacity) & ~(page - 1);

    if (first < last)
        (void)madvise((char *)values + (first - (uintptr_t)values), last - first, MADV_HUGEPAGE);
#else
    (void)values;
    (void)capacity;
#endif
}

static bool grow_to(struct csv_reader *reader, size_t capacity)
{
    if (capacity > (size_t)-1 / sizeof(double))
        return false;
    for (size_t i = 0; i < reader->column_count; i++) {
        struct csv_column *out = &reader->columns[i].out;
        double *values = reader->columns[i].wanted ? realloc(out->values, capacity * sizeof *values) : NULL;

        if (!reader->columns[i].wanted)
            continue;
        if (!values)
            return false;
        out->values = values;
        ask_for_huge_pages(values, capacity);
    }
    reader->capacity = capacity;
    return true;
}

// The number of rows that the file will have, and some more, if it goes on as it began; 0 if unknown.
static size_t expected_rows(const struct csv_reader *reader, size_t rows, uint64_t at)
{
    const size_t enough = 4096;
    double expected;

    if (!reader->input.seekable || reader->guessing || rows < enough)
        return 0;
    expected = (double)csv_input_size(&reader->input) / (double)at * (double)rows * 1.02;
    return expected < (double)((size_t)-1 / sizeof(double) / 2) ? (size_t)expected : 0;
}

kn_status csv_reserve(struct csv_reader *reader, size_t rows, uint64_t at)
{
    size_t capacity = reader->capacity ? reader->capacity : FIRST_CAPACITY, expected;

    const size_t allowed = csv_rows_allowed(reader);

    if (rows <= reader->capacity)
        return KN_OK;
    if (reader->spills)
        return csv_spill(reader);
    while (capacity < rows)
        capacity = capacity < (size_t)-1 / 2 ? 2 * capacity : (size_t)-1;
    expected = expected_rows(reader, rows, at);
    if (rows > allowed || expected > allowed)
        return csv_begin_to_spill(reader);
    capacity = capacity < allowed ? capacity : allowed;
    if ((expected > capacity && grow_to(reader, expected)) || grow_to(reader, capacity))
        return KN_OK;
    return ki_fail_memory(reader->err, capacity * sizeof(double), "a column of a CSV file");
}

static kn_status leave_out(struct csv_reader *reader, size_t column, long line)
{
    if (reader->guessing)
        return KN_ERROR_INPUT;
    reader->columns[column].wanted = false;
    if (--reader->wanted_count > 0)
        return KN_OK;
    if (reader->column_count == 1)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, line,
                          "found text in the file's only column, expected numbers");
    return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, line,
                      "no column holds numbers: found text in each of the file's %zu columns",
                      reader->column_count);
}

static kn_status add_missing(struct csv_reader *reader, size_t column, long line)
{
    struct csv_reader_column *target = &reader->columns[column];

    // A comma at the end of every line, including the header's, does not make a column.
    if (target->unnamed && !target->asked && csv_rows_read(reader) == 0 && !reader->guessing)
        return leave_out(reader, column, line);
    if (reader->options.missing == CSV_MISSING_ERROR)
        return fail_missing(reader, line, column);
    target->out.missing++;
    if (reader->options.missing == CSV_MISSING_PROPAGATE)
        target->out.values[target->out.count++] = NAN;
    return KN_OK;
}

// The time of a cell, or of a date there and a time of day in the next cell, which begins after `next`.
static bool is_time(struct csv_reader *reader, const struct csv_record *record,
                    struct csv_reader_column *column, const struct csv_cell *cell, const char *next,
                    double *value)
{
    const char *end = cell->text + cell->length;
    struct csv_cell day;

    if (!csv_clock_is_text(column->clock))
        return csv_cell_kind(cell, reader->marks, reader->c, value) == CSV_NUMBER;
    if (!column->split)
        return csv_time_of(cell->text, end, column->clock, &column->minute, value);
    return next < record->end && csv_cell_at(next + 1, record->end, reader->marks, &day, &next) &&
           csv_time_of_cells(cell->text, end, day.text, day.text + day.length, column->clock, value);
}

static kn_status add_time(struct csv_reader *reader, const struct csv_record *record, size_t column,
                          const struct csv_cell *cell, const char *next)
{
    static const char *const examples[] = {[CSV_CLOCK_SECONDS] = "Unix seconds",
                                           [CSV_CLOCK_MILLISECONDS] = "Unix milliseconds",
                                           [CSV_CLOCK_ISO] = "2020-07-24T07:07:49.5",
                                           [CSV_CLOCK_MONTH_FIRST] = "7/24/2020 07:07:49.5",
                                           [CSV_CLOCK_DAY_FIRST] = "24/7/2020 07:07:49.5"};
    struct csv_reader_column *target = &reader->columns[column];
    char where[128], found[64];
    double value;

    if (!is_time(reader, record, target, cell, next, &value))
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, record->line,
                          "%s: found %s, expected a time as in the rows above (%s%s)",
                          describe_column(where, sizeof where, reader, column),
                          ki_quote(found, sizeof found, cell->text, cell->length), examples[target->clock],
                          target->split ? ", with the time of day in the next column" : "");
    target->out.values[target->out.count++] = value;
    return KN_OK;
}

// A cell that is not simply a plain number: quoted, padded with blanks, a word, missing, text, or in an
// unwanted column.
static kn_status add_cell(struct csv_reader *reader, const struct csv_record *record, size_t column,
                          const char *from, const char **next)
{
    struct csv_reader_column *target = &reader->columns[column];
    struct csv_cell cell;
    double value;

    if (!csv_cell_at(from, record->end, reader->marks, &cell, next))
        return csv_fail_quote(reader, record->line, column);
    if (!target->wanted)
        return KN_OK;
    if (target->clock)
        return add_time(reader, record, column, &cell, *next);
    switch (csv_cell_kind(&cell, reader->marks, reader->c, &value)) {
    case CSV_NUMBER:
        target->out.values[target->out.count++] = value;
        return KN_OK;
    case CSV_MISSING:
        return add_missing(reader, column, record->line);
    case CSV_TEXT:
        break;
    }
    if (csv_has_number(reader, column) || target->asked)
        return fail_cell(reader, record->line, column, &cell);
    return leave_out(reader, column, record->line);
}

static kn_status add_record(struct csv_reader *reader, const struct csv_record *record)
{
    const struct csv_marks marks = reader->marks;
    const char *from = record->text, *next;
    kn_status status = KN_OK;
    size_t i = 0;
    double value;

    if ((status = csv_reserve(reader, reader->rows + 1, csv_input_offset(&reader->input))))
        return status;
    for (;; i++, from = next + 1) {
        struct csv_reader_column *column = &reader->columns[i];

        if (i == reader->column_count)
            return fail_cell_count(reader, record);
        if (!column->wanted && !record->quoted && marks.separator != ' ') {
            next = memchr(from, marks.separator, (size_t)(record->end - from));
            next = next ? next : record->end;
        } else {
            next = column->wanted && !csv_clock_is_text(column->clock)
                       ? csv_marked_number_at(from, marks, reader->c, &value)
                       : NULL;
            if (next && (next == record->end || (*next == marks.separator && *next != ' ')))
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

// An empty line between rows is a missing cell if there is one column, and otherwise a short row.
static kn_status add_empty_lines(struct csv_reader *reader, const struct csv_row *row)
{
    long line = row->record.line - (long)row->empty_lines;
    kn_status status;

    for (size_t i = 0; i < row->empty_lines; i++, line++) {
        if (reader->column_count > 1)
            return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, line,
                              "found an empty line between rows, expected %zu cells", reader->column_count);
        if ((status = csv_reserve(reader, reader->rows + 1, csv_input_offset(&reader->input))))
            return status;
        if ((status = add_missing(reader, 0, line)))
            return status;
        reader->rows++;
    }
    return KN_OK;
}

kn_status csv_add_row(struct csv_reader *reader, const struct csv_row *row)
{
    kn_status status = KN_OK;

    // Empty lines before the first row are not rows.
    if (row->empty_lines && (csv_rows_read(reader) || reader->guessing))
        status = add_empty_lines(reader, row);
    return status ? status : add_record(reader, &row->record);
}

kn_status csv_read_rows(struct csv_reader *reader, uint64_t until)
{
    struct csv_row row = {.found = true};
    kn_status status;

    for (;;) {
        if ((status = csv_reserve(reader, reader->rows + 1, csv_input_offset(&reader->input))))
            return status;
        if (reader->empty_lines == 0)
            csv_read_plain_rows(reader, until);
        if (csv_input_offset(&reader->input) >= until)
            return KN_OK;
        if ((status = csv_input_next(&reader->input, &row.record, &row.found, reader->err)))
            return status;
        if (!row.found)
            return KN_OK;
        if (is_empty(&row.record)) {
            reader->empty_lines++;
            continue;
        }
        row.empty_lines = reader->empty_lines;
        reader->empty_lines = 0;
        if ((status = csv_add_row(reader, &row)))
            return status;
    }
}
