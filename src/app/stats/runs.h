// SPDX-License-Identifier: Apache-2.0
// Order statistics of a column that is sorted in runs, each ascending and without not-a-number, without merging them.
#ifndef KN_APP_STATS_RUNS_H
#define KN_APP_STATS_RUNS_H

#include <stddef.h>

struct stats_runs {
    const double *values; // run r is values[r * length] and what follows, up to the next run or the end
    size_t count;         // elements in all, > 0
    size_t length;        // of every run but the last, > 0
};

// The median of all runs.
double stats_runs_median(const struct stats_runs *runs);

// The median of |x - median| over all runs. `median` is finite.
double stats_runs_mad(const struct stats_runs *runs, double median);

#endif
