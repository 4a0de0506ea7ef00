// SPDX-License-Identifier: Apache-2.0
// The tree of cl/algo/reduce.cl on the host: its leaves, and how they are folded.
#ifndef KN_HOST_STATS_HOST_SUMS_H
#define KN_HOST_STATS_HOST_SUMS_H

#include "shared/tree.h"
#include "host/simd/levels.h"

// Adds up `count` elements of a leaf (a multiple of TREE_LANES) in lanes: element i belongs to lane i mod 64,
// where d = x - shift is added to the sum and, if squares are wanted, fma(d, d, squares) replaces the
// squares; each lane begins with what is in `sums` and `squares`.
typedef void host_leaf(const void *x, size_t count, bool single, double shift, bool wants_squares,
                       double sums[TREE_LANES], double squares[TREE_LANES]);

HOST_DECLARE_SET_VECTORS(host_leaf, host_leaf);

// Floats or doubles whose sums are wanted.
struct host_column {
    const void *x;
    size_t n;
    bool single, wants_squares;
    double shift;
    host_leaf *leaf; // ki_host_leaf_for a level
};

// NULL: plain C.
host_leaf *ki_host_leaf_for(kn_host_level level);

size_t ki_host_leaf_count(size_t n);
// Sums of leaf i, NaN if there is a NaN in it.
kn_sums ki_host_sum_leaf(const struct host_column *c, size_t i);
// The same without NaN, each of which counts as a number equal to the shift.
kn_sums ki_host_sum_numbers(const struct host_column *c, size_t i);
// The folded sums of a column that is not empty. KN_ERROR_MEMORY.
kn_status ki_host_sum_column(const struct host_column *c, const struct host_plan *plan, kn_sums *sums,
                             kn_error *err);
// Folds in place; zeros if there are none.
kn_sums ki_host_fold_leaves(kn_sums *leaves, size_t count);

#endif
