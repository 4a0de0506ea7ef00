// SPDX-License-Identifier: Apache-2.0
// Numeric columns out of sensor files: separated text with or without a header and lines before it, packed or
// not, and Empatica E4 exports.
#ifndef KN_IO_CSV_CSV_H
#define KN_IO_CSV_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

#include "io/column_spool.h"
#include "io/unpack.h"

// What becomes of an empty cell (or one that reads "nan" or "NA").
enum csv_missing {
    CSV_MISSING_ERROR,    // the file is refused, with the line
    CSV_MISSING_OMIT,     // the cell is left out: columns may then differ in length
    CSV_MISSING_PROPAGATE // it becomes not-a-number
};

// The code that reads rows, for tests: each gives the same.
enum csv_code {
    CSV_CODE_BEST,   // that this processor has
    CSV_CODE_SCALAR, // without its vectors
    CSV_CODE_CELLS   // any cell, one by one
};

struct csv_options {
    enum csv_missing missing;
    // Columns wanted, by name or by index from 1; none: every numeric column, but for the times of an E4's
    // beats, and of rows where `times` is set. A column that holds dates or
    // times is not numeric; a file whose first data row holds text in some other column leaves that column
    // out too, unless it was asked for.
    const char *const *columns;
    size_t column_count;
    // That read a large file; 0: all there are. Values and errors are the same with any number.
    unsigned threads;
    // The first column of times that is not asked for becomes the table's times; or a column of dates with
    // the times of day of the next one, by both names.
    bool times;
    // Bytes that all values may take in memory; of a table with more every column is in a file. 0: no bound.
    size_t most;
    size_t skip_lines; // before the table; 0: as many as are told to be none of it
    size_t chunk;      // bytes that a thread takes, and that are read, at a time; 0: chosen. For tests
    enum csv_code code;
};

struct csv_column {
    // The header's, without blanks around it; "x", "y", "z" for an E4 export, "eda", "temp", "hr" or "bvp"
    // for one of one column whose file has that name, "time", "ibi" for its beats; else "column1"...
    char *name;
    double *values;      // `count` of them; NULL where they are in `spool`
    struct spool *spool; // NULL: they are in memory
    size_t count;
    size_t missing; // cells that were missing
};

// The values of a column, wherever they are (column_spool.h).
void csv_column_view(const struct csv_column *column, struct spool_view *view, kn_error *err);

// How a column tells times.
enum csv_clock {
    CSV_CLOCK_NONE,
    CSV_CLOCK_SECONDS,      // Unix seconds
    CSV_CLOCK_MILLISECONDS, // Unix milliseconds
    // Text, in UTC where no offset is given.
    CSV_CLOCK_ISO,         // ISO 8601
    CSV_CLOCK_MONTH_FIRST, // 7/24/2020 07:07:49.5
    CSV_CLOCK_DAY_FIRST    // 24/7/2020 or 24.7.2020
};

static inline bool csv_clock_is_text(enum csv_clock clock)
{
    return clock >= CSV_CLOCK_ISO;
}

// What was found out about the file's form.
struct csv_layout {
    char separator, point; // of cells; before decimals
    enum packing packing;
    size_t preamble_lines; // before the header or the first row, if they were left out
    bool header, e4;
};

struct csv_table {
    struct csv_column *columns;
    size_t column_count;
    size_t rows;       // data rows, whether complete or not
    double start_time; // E4: Unix seconds, UTC; else 0
    // Hz, of an E4 export, or as a preamble states it ("30 Hz", or by the period of ActiGraph's epochs);
    // else, and for beats, 0.
    double sample_rate;
    struct csv_layout layout;
    enum csv_clock clock;    // of its column of times; none if there is none, or if it was not wanted
    struct csv_column times; // of all rows, in Unix seconds
};

// Reads a whole file; "-" is standard input. What gzip or zstd packed is unpacked, by a thread of its own.
// The separator is ',', ';', tab, '|' or blanks, and decimals have a point or, where the separator is
// another, a comma: as the first 64 KiB have more numbers and times in rows of equal lengths. Lines before
// the table are left out where they begin with '#', or with a single cell of text above rows of several; and
// a first line "sep=;", which says the separator. Times that begin with a date as 7/8/2020 have the month
// first or the day, as such a line says ("date format M/d/yyyy"), else as one of the first 256 rows tells
// that has a number above 12 in a date; where nothing does, they are refused. Columns come in the file's
// order, or in the order they were asked for. A first row of numbers is data, one of text a header; an E4
// export begins with its start time (2001 to 2100) and its rate, each the same in all columns, or, for beats
// (IBI.csv), with its start time and the word IBI. Empty lines at the file's end are nothing; between rows of
// one column they are missing cells, else short rows. `options` NULL: every numeric column, missing cells
// refused. One pass over the file, in 2 MiB besides the values, or, where it is a file of 4 MiB and more and
// there are several threads, some 4 MiB a thread; with `most` on so few threads that they take no more. On
// failure `table` is empty. Errors, with the file and the line: KN_ERROR_INPUT (missing, a directory, no
// permission, empty, a header without rows, text among numbers or times, a missing time, dates of which
// nothing tells the order, a short row, a NUL byte, UTF-16, a line of more than 1 MiB, packed bytes that are
// damaged or end early): what stands first in the file, KN_ERROR_ARGUMENT (a column asked for that is not
// there), KN_ERROR_UNSUPPORTED (zstd, in a build without it), KN_ERROR_MEMORY, and of values that go to files
// KN_ERROR_OUTPUT (column_spool.h).
kn_status csv_read(const char *path, const struct csv_options *options, struct csv_table *table,
                   kn_error *err);
void csv_free(struct csv_table *table);

#endif
