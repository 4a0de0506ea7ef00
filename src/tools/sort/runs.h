// SPDX-License-Identifier: Apache-2.0
// What koine sort does with more elements than may be in memory: they are sorted in pieces, the sorted runs
// are written to files without a name, and merged from there, all at once.
#ifndef KN_TOOLS_SORT_RUNS_H
#define KN_TOOLS_SORT_RUNS_H

#include <stdbool.h>

#include <koine/types.h>

// ---- how many pieces ----

struct sort_sizes {
    size_t n;
    size_t piece;  // bytes that an element takes while its piece is sorted: with copies of it
    size_t record; // bytes of an element and its value
};

struct sort_division {
    size_t pieces;   // one: nothing has to be merged
    size_t elements; // of a piece, but for the last
    size_t buffer;   // records of a run that are in memory while runs are merged
};

// The fewest pieces within `limit` bytes. False if none are small enough and yet few enough to be merged.
bool sort_divide(const struct sort_sizes *sizes, size_t limit, struct sort_division *division);

// The least limit for which there are some.
size_t sort_least_limit(const struct sort_sizes *sizes);

// ---- runs ----

struct sort_order {
    kn_type type; // of the keys
    bool descending;
    bool stable; // -0 and +0 are equal, and so are all NaN: as kn_sort_by_key, and not kn_sort, has it
};

struct sort_runs;

// No runs, in files beside `beside` (ki_spool_open); with values of `value_size` bytes, 0 for none. The
// caller frees them by sort_runs_free. KN_ERROR_OUTPUT, KN_ERROR_MEMORY.
kn_status sort_runs_create(const struct sort_order *order, size_t value_size, const char *beside,
                           struct sort_runs **runs, kn_error *err);

// Adds `count` sorted keys with their values, which come behind those before where keys are equal. The same
// errors.
kn_status sort_runs_add(struct sort_runs *runs, const void *keys, const void *values, size_t count,
                        kn_error *err);

// Calls `take` with the first `wanted` elements in order, at most `buffer` at a time, and as many of each run
// in memory. Errors: take's, KN_ERROR_OUTPUT, KN_ERROR_MEMORY.
typedef kn_status sort_take(void *context, const void *keys, const void *values, size_t count, kn_error *err);
kn_status sort_runs_merge(struct sort_runs *runs, size_t buffer, size_t wanted, sort_take *take,
                          void *context, kn_error *err);

void sort_runs_free(struct sort_runs *runs);

#endif
