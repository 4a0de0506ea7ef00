// SPDX-License-Identifier: Apache-2.0
// Numeric columns of sensor files: separated text with or without a header and lines before it, compressed or
// not, and Empatica E4 exports.
#ifndef KN_IO_CSV_CSV_H
#define KN_IO_CSV_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

#include "io/column_spool.h"
#include "io/unpack.h"

// What an empty cell (or one that reads "nan" or "NA") becomes.
enum csv_missing {
    CSV_MISSING_ERROR,    // the file is refused, with the line
    CSV_MISSING_OMIT,     // the cell is left out: columns may then differ in length
    CSV_MISSING_PROPAGATE // it becomes NaN
};

// The code that reads rows, for tests: all give the same result.
enum csv_code {
    CSV_CODE_BEST,   // the best for this processor
    CSV_CODE_SCALAR, // without its vectors
    CSV_CODE_CELLS   // any cell, one by one
};

struct csv_options {
    enum csv_missing missing;
    // Columns wanted, by name or by index from 1; none: every numeric column, except the times of an E4's
    // beats, and the times of rows if `times` is set. A column of dates or times is not numeric; if a file's
    // first data row has text in some other column, that column is left out too, unless it was requested.
    const char *const *columns;
    size_t column_count;
    // For reading a large file; 0: all there are. Values and errors do not depend on it.
    unsigned threads;
    // The first column of times that is not requested becomes the table's times; or a column of dates with
    // the times of day in the next one, under both names.
    bool times;
    // The most bytes of all values in memory; if a table has more, every column is in a file. 0: no limit.
    size_t most;
    size_t skip_lines; // before the table; 0: lines that are recognised as not belonging to it
    size_t chunk;      // bytes that a thread takes, and that are read, at a time; 0: chosen here. For tests
    enum csv_code code;
};

struct csv_column {
    // The header's, without blanks around it; "x", "y", "z" for an E4 export, "eda", "temp", "hr" or "bvp"
    // for one of one column whose file has that name, "time", "ibi" for its beats; else "column1"...
    char *name;
    double *values;      // `count` of them; NULL if they are in `spool`
    struct spool *spool; // NULL: they are in memory
    size_t count;
    size_t missing; // cells that were missing
};

// The values of a column, wherever they are stored (column_spool.h).
void csv_column_view(const struct csv_column *column, struct spool_view *view, kn_error *err);

// The form of a column's times.
enum csv_clock {
    CSV_CLOCK_NONE,
    CSV_CLOCK_SECONDS,      // Unix seconds
    CSV_CLOCK_MILLISECONDS, // Unix milliseconds
    // Text, in UTC unless an offset is given.
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
    double start_time; // E4: Unix seconds, UTC; otherwise 0
    // Hz, of an E4 export, or as a preamble states it ("30 Hz", or by the period of ActiGraph's epochs);
    // else, and for beats, 0.
    double sample_rate;
    struct csv_layout layout;
    enum csv_clock clock;    // of its column of times; none if there is none, or if it was not wanted
    struct csv_column times; // of all rows, in Unix seconds
};

// Reads a whole file; "-" is standard input. Files compressed by gzip or zstd are decompressed, by a separate
// thread. The separator is ',', ';', tab, '|' or blanks, and decimals have a point or, if the separator is
// not a comma, a comma: the choice is the one with which the first 64 KiB have more numbers and times in rows
// of equal lengths. Lines before the table are skipped if they begin with '#', or with a single cell of text
// above rows of several; and so is a first line "sep=;", which states the separator. In times that begin with
// a date like 7/8/2020, the month or the day comes first, as such a line says ("date format M/d/yyyy"), or as
// one of the first 256 rows shows with a number above 12 in a date; if nothing shows it, they are refused.
// Columns come in the file's order, or in the order requested. A first row of numbers is data, one of text a
// header; an E4 export begins with its start time (2001 to 2100) and its rate, each the same in all columns,
// or, for beats (IBI.csv), with its start time and the word IBI. Empty lines at the file's end are ignored;
// between the rows of a single column they are missing cells, otherwise short rows. `options` NULL: every
// numeric column, missing cells refused. One pass over the file, in 2 MiB besides the values, or, for a file
// of at least 4 MiB and several threads, some 4 MiB a thread; with `most`, on as many threads as fit into it.
// On failure `table` is empty. The first error in the file is reported, with the file and the line:
// KN_ERROR_INPUT (missing, a directory, no permission, empty, a header without rows, text among numbers or
// times, a missing time, dates in unknown order, a short row, a NUL byte, UTF-16, a line of more than 1 MiB,
// compressed data that are damaged or end early), KN_ERROR_ARGUMENT (a requested column that does not exist),
// KN_ERROR_UNSUPPORTED (zstd, in a build without it), KN_ERROR_MEMORY, and for values that go to files
// KN_ERROR_OUTPUT (column_spool.h).
kn_status csv_read(const char *path, const struct csv_options *options, struct csv_table *table,
                   kn_error *err);
void csv_free(struct csv_table *table);

#endif
