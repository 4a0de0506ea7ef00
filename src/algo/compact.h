// SPDX-License-Identifier: Apache-2.0
// What hosts of kernels with cl/lib/compact.clh share: launch sizes, checks, and the resulting count.
#ifndef KN_ALGO_COMPACT_H
#define KN_ALGO_COMPACT_H

#include "columns.h"

// Slots of scratch memory.
enum compact_place { COMPACT_COUNTS, COMPACT_COUNTED, COMPACT_PLACES };

struct compact {
    const char *function;
    kn_queue *queue;
    uint64_t n;
    kn_buffer *counted; // the caller's, or NULL
    size_t *count;      // for the caller, or NULL
    unsigned group, loads;
    size_t groups;
    struct engine_scratch scratch;
};

// Checks an output of n elements of `size` bytes: on the queue's context, large enough, not `x` itself.
kn_status ki_compact_check_out(const struct compact *c, const char *what, const kn_buffer *x,
                               const kn_buffer *out, size_t size, kn_error *err);
// Checks that x is in one piece, and that counted has room.
kn_status ki_compact_check(const struct compact *c, const kn_buffer *x, kn_error *err);

// Chooses group, loads and groups for elements of `size` bytes.
void ki_compact_choose(struct compact *c, size_t size);
// GROUP and LOADS, and the sub-group rung.
kn_status ki_compact_define(const struct compact *c, struct engine_defines *defines, kn_error *err);
kn_range ki_compact_range(const struct compact *c);

// Opens scratch memory with `rows` counts for each group, and a place for the number if the caller has none.
kn_status ki_compact_open(struct compact *c, unsigned rows, kn_buffer **counts, kn_buffer **counted,
                          kn_error *err);
// Closes it; if status is 0 and the caller wants the number, waits for it.
kn_status ki_compact_close(struct compact *c, kn_buffer *counted, kn_status status, kn_error *err);
// Sets the number for no elements.
kn_status ki_compact_none(const struct compact *c, kn_error *err);

#endif
