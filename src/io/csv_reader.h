// SPDX-License-Identifier: Apache-2.0
// What the two halves of the CSV reader share: csv_head.c finds out what a file's columns are and which are
// wanted, csv.c reads the rows.
#ifndef KN_IO_CSV_READER_H
#define KN_IO_CSV_READER_H

#include "csv.h"
#include "csv_cells.h"
#include "csv_input.h"

struct csv_reader_column {
    struct csv_column out;
    bool wanted;  // its cells are read
    bool asked;   // the caller named it: text in it is an error
    bool unnamed; // the header has an empty cell here: the trace of a comma at the line's end, perhaps
};

struct csv_reader {
    struct csv_input input;
    struct csv_options options;
    locale_t c;
    struct csv_reader_column *columns; // all the file has
    size_t column_count, wanted_count;
    size_t *order; // the columns asked for, in the order asked
    size_t order_count;
    size_t rows, capacity; // of every wanted column's values
    bool named;            // the columns' names come from a header
    double start_time, sample_rate;
    kn_error *err;
};

// A record, and how many empty lines stand before it.
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

kn_status csv_read_head(struct csv_reader *reader, struct csv_head *head);

// Marks the wanted columns: those asked for, or all.
kn_status csv_choose_columns(struct csv_reader *reader);

// "text, found ..., expected a number" at the cell's place; `column` counts from 0.
kn_status csv_fail_cell(struct csv_reader *reader, long line, size_t column, const struct csv_cell *cell);
kn_status csv_fail_quote(struct csv_reader *reader, long line, size_t column);

#endif
