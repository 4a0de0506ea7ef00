// SPDX-License-Identifier: Apache-2.0
// A file's rows in time: when each was, how many come a second, where some are absent.
#ifndef KN_TOOLS_STATS_SERIES_H
#define KN_TOOLS_STATS_SERIES_H

#include "io/csv/csv.h"

struct stats_series {
    size_t rows;
    double start; // of the first row, in Unix seconds; 0: not known
    // Hz: as the file states it; else 1 / the median of the steps from row to row, of 65,536 of them evenly
    // spread where there are more; where that is 0 (times coarser than the rows), 1 / their mean. 0: not
    // known, as there are no times, or none that are regular: beats.
    double rate;
    // Unix seconds of all rows, the table's; NULL: row i is at start + i / rate
    const struct csv_column *times;
    // A gap is a step of more than so many seconds: as asked, else twice the median step (of those that are
    // not 0, where the median is).
    double gap;
    size_t *gaps; // the rows that begin behind one, ascending
    size_t gap_count;
    double gap_seconds; // how long they are beyond a usual step, all together
};

// The series of a table, which must stay; `gap` 0: as above. Errors: KN_ERROR_INPUT (times that go backwards;
// a stated rate from which the median step is more than a twentieth away), with `file`; KN_ERROR_MEMORY.
// Cost: two reads of the times.
kn_status stats_series_open(const char *file, const struct csv_table *table, double gap,
                            struct stats_series *series, kn_error *err);
// Also for one that is all zeros.
void stats_series_free(struct stats_series *series);

// Makes of the table's columns samples at `rate` Hz, from the first row on: at each time the value on the
// line between the rows before and after it, without a filter. Nothing is made up in a gap: behind it samples
// begin anew at its first row. `series` becomes that of the samples, which are in files where `spools` says
// so. Errors: KN_ERROR_INPUT (neither times nor a rate), KN_ERROR_MEMORY, KN_ERROR_OUTPUT (spool.h).
kn_status stats_series_resample(const char *file, struct csv_table *table, double rate, bool spools,
                                struct stats_series *series, kn_error *err);

#endif
