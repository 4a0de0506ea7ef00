// SPDX-License-Identifier: Apache-2.0
// The rows of a file in time: when each was recorded, how many there are per second, and where some are
// missing.
#ifndef KN_TOOLS_STATS_SERIES_H
#define KN_TOOLS_STATS_SERIES_H

#include "io/csv/csv.h"

struct stats_series {
    size_t rows;
    double start; // of the first row, in Unix seconds; 0: not known
    // Hz: as the file states it; otherwise 1 / the median of the steps between rows (65,536 evenly spread
    // ones if there are more); if that median is 0 (times coarser than the rows), 1 / their mean. 0: unknown,
    // because there are no times, or no regular ones, as for heartbeats.
    double rate;
    // Unix seconds of all rows, owned by the table; NULL: row i is at start + i / rate
    const struct csv_column *times;
    // A gap is a step of more than this many seconds: the requested number, otherwise twice the median step
    // (of the steps other than 0 if the median is 0).
    double gap;
    size_t *gaps; // the rows that follow a gap, ascending
    size_t gap_count;
    double gap_seconds; // total length of the gaps beyond a usual step
};

// Determines the series of a table, which must outlive it; `gap` 0: the default. Errors: KN_ERROR_INPUT
// (times that decrease; a stated rate that differs from the median step by more than a twentieth), with
// `file`; KN_ERROR_MEMORY. Cost: the times are read twice.
kn_status stats_series_open(const char *file, const struct csv_table *table, double gap,
                            struct stats_series *series, kn_error *err);
// Also accepts a series that is all zeros.
void stats_series_free(struct stats_series *series);

// Replaces the columns of the table by samples at `rate` Hz, from the first row on: each is interpolated
// linearly between the rows before and after it, without a filter. Gaps are not filled: after a gap, sampling
// starts again at the first row that follows. `series` then describes the samples, which are in files if
// `spools` says so. Errors: KN_ERROR_INPUT (neither times nor a rate), KN_ERROR_MEMORY, KN_ERROR_OUTPUT
// (spool.h).
kn_status stats_series_resample(const char *file, struct csv_table *table, double rate, bool spools,
                                struct stats_series *series, kn_error *err);

#endif
