// SPDX-License-Identifier: Apache-2.0
// Runs of equal neighbours on the host, shared among threads; equality is that of ==.
#ifndef KN_HOST_RUNS_H
#define KN_HOST_RUNS_H

#include "host/host.h"

// For one thread's elements: how many begin a run, and the number of the first of these runs.
struct runs_share {
    size_t count, start;
    size_t last; // 1 plus the position where the last run up to their end begins; 0: none
};

struct runs {
    const void *x;
    size_t n, size;
    uint64_t magnitude, infinity; // of floats: the bits without the sign; for other types infinity is 0
    unsigned threads;
    struct runs_share *shares; // one a thread
};

// Whether element i begins a run. If `size` is a constant, no switch remains.
static inline bool runs_begin(const struct runs *r, size_t i, size_t size)
{
    uint64_t a, b;

    if (i == 0)
        return true;
    a = (uint64_t)host_stored(r->x, i - 1, size);
    b = (uint64_t)host_stored(r->x, i, size);
    if (a == b)
        return r->infinity && (a & r->magnitude) > r->infinity; // NaN
    return !(r->infinity && ((a | b) & r->magnitude) == 0);     // both zero
}

// Counts the runs of n elements of x, and fills in where each thread's go. *count becomes their number. The
// caller frees the shares.
kn_status ki_runs_count(struct runs *r, const void *x, kn_type type, size_t n, const struct host_plan *plan,
                        size_t *count, kn_error *err);

#endif
