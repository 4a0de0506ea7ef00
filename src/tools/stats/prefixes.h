// SPDX-License-Identifier: Apache-2.0
// The growing beginnings of a column over which its statistics are watched.
#ifndef KN_TOOLS_STATS_PREFIXES_H
#define KN_TOOLS_STATS_PREFIXES_H

#include <stddef.h>

// Of `parts` and `step` one at most is not 0; both 0: no prefixes.
struct stats_cuts {
    size_t parts; // prefix i (from 1) of N has floor(i * n / N) elements; below 2^32
    size_t step;  // prefixes of step, 2 * step, ... elements, below n, and one of all n
};

size_t stats_prefix_count(struct stats_cuts cuts, size_t n);

// How many elements prefix `index` has, counted from 0; never less than the one before it. The last has n.
size_t stats_prefix_end(struct stats_cuts cuts, size_t n, size_t index);

#endif
