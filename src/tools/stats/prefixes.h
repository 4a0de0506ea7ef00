// SPDX-License-Identifier: Apache-2.0
// The growing prefixes of a column for which its statistics are computed.
#ifndef KN_TOOLS_STATS_PREFIXES_H
#define KN_TOOLS_STATS_PREFIXES_H

#include <stddef.h>

// At most one of `parts` and `step` is not 0; if both are 0 there are no prefixes.
struct stats_cuts {
    size_t parts; // prefix i (from 1) of N has floor(i * n / N) elements; below 2^32
    size_t step;  // prefixes of step, 2 * step, ... elements, below n, and one of all n
};

size_t stats_prefix_count(struct stats_cuts cuts, size_t n);

// The number of elements of prefix `index`, counted from 0; never less than that of the prefix before. The
// last one has n.
size_t stats_prefix_end(struct stats_cuts cuts, size_t n, size_t index);

#endif
