// SPDX-License-Identifier: Apache-2.0
// Merging sorted runs on the host, with several threads.
#ifndef KN_ALGO_SORT_MERGE_RUNS_H
#define KN_ALGO_SORT_MERGE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/types.h>

// How often runs of `run` elements have to be merged in pairs until one of n is left.
unsigned ki_merge_levels(size_t n, size_t run);

// Merges neighbouring runs of `run` elements (the last one may be shorter) until the n elements are one run.
// They begin in `even` if ki_merge_levels is even, else in `odd`, and end in `even`; both hold n. Numpy's
// order, or with `descending` the largest first; NaN last either way; stable. `threads`: 0 for all that
// ki_threads returns.
void ki_merge_runs(void *even, void *odd, kn_type type, size_t n, size_t run, bool descending,
                   unsigned threads);

#endif
