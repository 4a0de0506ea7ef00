// SPDX-License-Identifier: Apache-2.0
// What the parts of the CSV reader share: csv_layout.c finds out where a file's table is and which marks it
// has, csv_head.c what its columns are and which are wanted, csv_rows.c reads any rows, csv_plain.c reads
// rows of plain numbers fast, and csv_chunks.c lets threads do so in many parts of a file at once.
#ifndef KN_IO_CSV_CSV_READER_H
#define KN_IO_CSV_CSV_READER_H

#include "csv.h"
#include "csv_cells.h"
#include "csv_input.h"
#include "csv_number.h"
#include "csv_time.h"

struct csv_reader_column {
    struct csv_column out;
    bool wanted;  // its cells are read
    bool asked;   // the caller named it: text in it is an error
    bool aside;   // it is read only if the caller named it: the times of an E4's beats
    bool unnamed; // the header has an empty cell here, perhaps because of a comma at the end of the line
    enum csv_clock clock; // it holds the rows' times, and is not one of the wanted columns
    struct csv_minute minute;
    bool split;   // its cells are dates, and the next column's are times of day
    bool numeric; // rows before those in `out` have a number here
    // If `out` holds a part of the column: its position in the whole column, and the missing cells before.
    size_t position, missing_before;
};

struct csv_reader {
    struct csv_input input;
    struct csv_options options;
    locale_t c;
    struct csv_marks marks;
    struct csv_layout layout;          // without the marks
    struct csv_reader_column *columns; // all columns of the file
    size_t column_count, wanted_count;
    size_t *order; // the requested columns, in the order requested
    size_t order_count;
    size_t rows, capacity; // of every wanted column's values
    size_t rows_before;    // that were written to files
    bool spills;           // rows are written to files
    size_t empty_lines;    // just before the next record
    bool named;            // the columns' names come from a header
    bool guessing; // its rows are taken from the middle of a file: what it says about them is preliminary
    double start_time, sample_rate;
    unsigned dates; // the clocks of CSV_CLOCKS_OF_DATES that the file's beginning allows
    kn_error *err;
};

// A record, and the number of empty lines before it.
struct csv_row {
    struct csv_record record;
    size_t empty_lines;
    bool found;
};

kn_status csv_next_row(struct csv_reader *reader, struct csv_row *row);

// The rows that were read to understand the head and are data: none, one or two. `first` owns a copy of its
// text.
struct csv_head {
    char *first_text;
    struct csv_row first, second;
};

// Moves to the table's first line, and sets the marks.
kn_status csv_find_layout(struct csv_reader *reader);

kn_status csv_read_head(struct csv_reader *reader, struct csv_head *head);

// Marks the wanted columns: those requested, or all.
kn_status csv_choose_columns(struct csv_reader *reader);

kn_status csv_add_row(struct csv_reader *reader, const struct csv_row *row);

// Reads the rows that begin before `until`, an offset in the file. A reader that is guessing fails whenever
// rows that it has not seen may matter.
kn_status csv_read_rows(struct csv_reader *reader, uint64_t until);

// Reads rows that begin before `until` in the window as it is, as long as the wanted cells are plain numbers
// and there is room for them.
void csv_read_plain_rows(struct csv_reader *reader, uint64_t until);

// Reads all rows from the next one on with several threads: the same as csv_read_rows, to the bit. At least
// one row has been read, and the input is seekable.
kn_status csv_read_chunks(struct csv_reader *reader, unsigned threads);

// Makes room for `rows` in every wanted column: those of the file up to `at`, an offset.
kn_status csv_reserve(struct csv_reader *reader, size_t rows, uint64_t at);

// Spilling (csv_spill.c). The number of rows that may be held in memory.
size_t csv_rows_allowed(const struct csv_reader *reader);
// From now on columns are in files, including what has been read; there is room for more rows.
kn_status csv_begin_to_spill(struct csv_reader *reader);
// Writes what is held to the files. csv_end_spilling: writes everything, and leaves columns as the table
// needs them.
kn_status csv_spill(struct csv_reader *reader);
kn_status csv_end_spilling(struct csv_reader *reader);
// Gives the columns of a part of the file their position after what was read; csv_spill_values then writes
// them there.
kn_status csv_spill_part(struct csv_reader *reader, struct csv_reader *part);
kn_status csv_spill_values(const struct csv_reader *reader, size_t column, size_t position, double *values,
                           size_t count, kn_error *err);

// Converts a clock's values, as they were read, to Unix seconds.
void csv_settle_times(const struct csv_reader *reader, enum csv_clock clock, double *values, size_t count);

static inline size_t csv_rows_read(const struct csv_reader *reader)
{
    return reader->rows_before + reader->rows;
}

// Whether a number was read in the column.
static inline bool csv_has_number(const struct csv_reader *reader, size_t column)
{
    const struct csv_reader_column *c = &reader->columns[column];

    return c->numeric ||
           c->out.count > (reader->options.missing == CSV_MISSING_PROPAGATE ? c->out.missing : 0);
}

// "text after the closing quote" at the cell's position; `column` counts from 0.
kn_status csv_fail_quote(struct csv_reader *reader, long line, size_t column);

#endif
