// SPDX-License-Identifier: Apache-2.0
// Spans of a column in sorted order on a device: cl/algo/windows/window_sort.cl.
#ifndef KN_ALGO_WINDOWS_SPANS_H
#define KN_ALGO_WINDOWS_SPANS_H

#include <koine/window.h>

#include "algo/columns.h"

// Slots of scratch memory; further ones are the caller's.
enum { SPAN_KEYS, SPAN_ORDER, SPAN_OFFSETS, SPAN_PLACES };

// Span s has the `length` elements from s * stride - before on; positions outside the column hold NaN.
struct window_spans {
    const char *function;
    kn_queue *queue;
    const kn_buffer *x;
    kn_type type;
    uint64_t n, stride, before, length;
    uint64_t all, most; // number of spans, and of those that are sorted together
    struct engine_scratch scratch;
    kn_buffer *places[SPAN_PLACES];
    kn_kernel *gather;
};

// Refuses what ki_column_check refuses, and a buffer that is held in parts.
kn_status ki_window_check_buffer(const char *function, const kn_queue *queue, const char *name,
                                 const kn_buffer *buffer, kn_type type, size_t n, kn_error *err);

// Opens scratch memory with `more` slots after those of the spans, and chooses `most`; everything before
// `most` is set. Close the scratch memory, whether it succeeded or not.
kn_status ki_window_spans_open(struct window_spans *spans, size_t more, kn_error *err);

// Sorts `count` spans from the first one on: keys[s * length + r] and order[s * length + r] are the element
// of rank r and its position in the span.
kn_status ki_window_spans_sort(struct window_spans *spans, uint64_t first, uint64_t count, kn_error *err);

kn_status ki_window_spans_kernel(const struct window_spans *spans, const char *name, kn_kernel **kernel,
                                 kn_error *err);

// One work-item for each of `items`.
kn_range ki_window_spans_range(uint64_t items);

#endif
