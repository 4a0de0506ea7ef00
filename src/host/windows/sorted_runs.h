// SPDX-License-Identifier: Apache-2.0
// A window's elements in a few sorted runs: elements by rank, median and MAD, without merging the runs.
#ifndef KN_HOST_WINDOWS_SORTED_RUNS_H
#define KN_HOST_WINDOWS_SORTED_RUNS_H

#include <stddef.h>

enum { MOST_RUNS = 8 }; // of a window

// Each ascending, without NaN; `n` > 0 elements in all of them.
struct sorted_runs {
    size_t n, count;
    struct sorted_run {
        const double *elements;
        size_t count;
    } items[MOST_RUNS];
};

// The elements of this rank (from 0) and of the next one; for the last rank, the same element twice.
void ki_sorted_runs_pick(const struct sorted_runs *runs, size_t rank, double *element, double *next);

// The MAD, of the exact deviations; NaN if the median is infinite. 0 for -0.
void ki_sorted_runs_median_mad(const struct sorted_runs *runs, double *median, double *mad);

#endif
