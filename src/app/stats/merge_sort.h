// SPDX-License-Identifier: Apache-2.0
// Bottom-up merge sort of a column whose last merge gathers the sums of the moments.
#ifndef KN_APP_STATS_MERGE_SORT_H
#define KN_APP_STATS_MERGE_SORT_H

#include "host/host.h"
#include "moments.h"

// What ran.
struct merge_trace {
    kn_host_level level; // of the code that merged
    unsigned threads;    // the most that merged at the same time
    size_t levels;       // of merges, after the networks
    size_t whole, cut;   // merges by one thread from end to end; parts of merges that several threads shared
};

// n elements (KN_F32 or KN_F64, without NaN), ascending and with -0 before +0, to `sorted`; x is not changed.
// `scratch` has room for n elements. *sums are those of the sorted column's x - shift in the tree of
// moments.h, each leaf summed right after it was merged.
//
// Method: networks sort short runs; runs are merged in pairs, first within what a cache holds, and then level
// by level. Threads take whole merges while there are many, and later equal parts of one, which they find by
// bisection along the merge path (Odeh, Green, Mwassi, Shmueli, Birk 2012). Cost: one read and write of the
// column, and another for each level above a cache. KN_ERROR_MEMORY. `trace` may be NULL.
kn_status ki_stats_merge_sort(const void *x, kn_type type, size_t n, double shift,
                              const struct host_plan *plan, void *sorted, void *scratch,
                              struct stats_sums *sums, struct merge_trace *trace, kn_error *err);

// The same for a column that is in `sorted` in ascending runs of `length` elements each, the last possibly
// shorter.
kn_status ki_stats_merge_runs(kn_type type, size_t n, size_t length, double shift,
                              const struct host_plan *plan, void *sorted, void *scratch,
                              struct stats_sums *sums, struct merge_trace *trace, kn_error *err);

#endif
