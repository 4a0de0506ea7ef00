// SPDX-License-Identifier: Apache-2.0
// A stretch of a column in sorted order, and windows that move over it.
#ifndef KN_HOST_WINDOWS_SPAN_H
#define KN_HOST_WINDOWS_SPAN_H

#include "host/sort/host_sort.h"
#include "windows.h"

// Elements by position, from 0 in the stretch, and by rank, from 0 in sorted order.
struct window_span {
    size_t n;
    uint32_t *order; // the position of each rank
    uint32_t *rank;  // the rank of each position
    double *values;  // by rank
    size_t numbers;  // ranks from here on are NaN
    int64_t *keys;   // by position, while they are sorted
};

// Bytes of memory for a span of n elements, aligned to 8 bytes, and the span in it.
size_t ki_window_span_bytes(size_t n);
struct window_span ki_window_span_in(void *memory, size_t n);

// Sorts the span->n (at most 2^31) elements of `x` (KN_F32, KN_F64). `quicksort` is that for 64 bits.
void ki_window_span_sort(struct window_span *span, const void *x, kn_type type,
                         const struct host_quicksort *quicksort);

// A window of positions [first, end), and what is known of it. No part of it moves farther at a time than
// between the windows of neighbouring elements.
struct window_walk {
    const struct window_span *span;
    uint32_t first, end;
    int64_t middle; // rank of the lower one of the middle elements
    int64_t below;  // number of the window's elements with lower ranks
    uint32_t nan_count;
    bool wants_mad;
    // The elements nearest to the median are those of the window from rank `low` to `high`, `held` of them;
    // `before` and `after` are the ranks of the window's neighbouring elements on either side, or -1 and n.
    int64_t low, high, held, before, after;
};

// Begins with an empty window before the position `first`.
void ki_window_walk_begin(struct window_walk *walk, const struct window_span *span, size_t first,
                          bool wants_mad);
// Moves on to [first, end), neither of which may be less than before; first < end. *mad is set if it is
// wanted.
void ki_window_walk_to(struct window_walk *walk, size_t first, size_t end, double *median, double *mad);

#endif
