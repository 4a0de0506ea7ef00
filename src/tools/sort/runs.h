// SPDX-License-Identifier: Apache-2.0
// How koine sort handles more elements than may be in memory: it sorts them in pieces, writes the sorted runs
// to unnamed files, and merges all of them at once.
#ifndef KN_TOOLS_SORT_RUNS_H
#define KN_TOOLS_SORT_RUNS_H

#include <stdbool.h>

#include <koine/types.h>

// ---- how many pieces ----

struct sort_sizes {
    size_t n;
    size_t piece;  // bytes for each element while its piece is sorted, including copies
    size_t record; // bytes of an element and its value
};

struct sort_division {
    size_t pieces;   // 1: nothing has to be merged
    size_t elements; // elements of each piece except the last
    size_t buffer;   // records of a run that are in memory during the merge
};

// Finds the fewest pieces that fit within `limit` bytes. False if pieces that are small enough would be too
// many to merge.
bool sort_divide(const struct sort_sizes *sizes, size_t limit, struct sort_division *division);

// The least limit for which sort_divide succeeds.
size_t sort_least_limit(const struct sort_sizes *sizes);

// ---- runs ----

struct sort_order {
    kn_type type; // of the keys
    bool descending;
    bool stable; // -0 equals +0, and all NaN are equal, as in kn_sort_by_key but not in kn_sort
};

struct sort_runs;

// Creates an empty set of runs, in files beside `beside` (ki_spool_open); with values of `value_size` bytes,
// 0 for none. The caller frees it with sort_runs_free. KN_ERROR_OUTPUT, KN_ERROR_MEMORY.
kn_status sort_runs_create(const struct sort_order *order, size_t value_size, const char *beside,
                           struct sort_runs **runs, kn_error *err);

// Adds a run of `count` sorted keys with their values. Of equal keys, those of earlier runs come first. The
// same errors.
kn_status sort_runs_add(struct sort_runs *runs, const void *keys, const void *values, size_t count,
                        kn_error *err);

// Calls `take` with the first `wanted` elements in order, at most `buffer` at a time; as many of each run are
// in memory. Errors: take's, KN_ERROR_OUTPUT, KN_ERROR_MEMORY.
typedef kn_status sort_take(void *context, const void *keys, const void *values, size_t count, kn_error *err);
kn_status sort_runs_merge(struct sort_runs *runs, size_t buffer, size_t wanted, sort_take *take,
                          void *context, kn_error *err);

void sort_runs_free(struct sort_runs *runs);

#endif
