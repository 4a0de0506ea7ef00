// SPDX-License-Identifier: Apache-2.0
// The shape of launches over the fixed tree of cl/algo/reduce.cl. It changes the speed, never the bits.
#ifndef KN_ALGO_TREE_H
#define KN_ALGO_TREE_H

#include "shared/tree.h"
#include "columns.h"

struct tree_shape {
    unsigned group;
    unsigned width;  // neighbouring lanes a work-item holds
    unsigned leaves; // leaves of a group
};

// For the column `x`, which has been checked, with the groups and widths of `sizes` (engine_shape). Fails if
// the device's groups or the buffer's parts are too small for a leaf.
kn_status ki_tree_choose(const char *function, const kn_queue *queue, const kn_buffer *x, kn_type type,
                         const struct engine_shape *sizes, struct tree_shape *shape, kn_error *err);

// The number of partial results of n elements; of groups that are launched for them, which take turns; of
// groups for folding `count` nodes.
size_t ki_tree_partials(const struct tree_shape *shape, size_t n);
size_t ki_tree_leaf_groups(const kn_queue *queue, const struct tree_shape *shape, size_t n);
size_t ki_tree_fold_groups(const struct tree_shape *shape, size_t count);

// A reduction in the tree: `leaves` takes (part of x, its length, shift if there is one, partial results, how
// many there are before this part's, how many in a row), `fold` takes (partial results, how many in a row,
// fewer of them).
struct tree_job {
    kn_queue *queue;
    const kn_buffer *x;
    kn_type type;
    size_t n; // at least 1
    struct tree_shape shape;
    unsigned rows;
    unsigned ahead; // rows of a leaf that are loaded before the first is added; 0: the kernel's default
    size_t bytes;   // of a partial result
    kn_kernel *leaves, *fold;
    kn_buffer *answer; // where the last launch writes its results; NULL: the queue's answer (engine/answer.h)
    const kn_arg *shift; // NULL: none
};

// Folds `count` partial results of each row in *from to one, alternating with *to; *from is then where they
// are. It uses the job's queue, shape, rows and fold.
kn_status ki_tree_fold(const struct tree_job *job, kn_buffer **from, kn_buffer **to, size_t count,
                       kn_error *err);
// result[0..rows): of `bytes` each. Waits. If `result` is NULL, they stay in the job's answer, and it does
// not wait.
kn_status ki_tree_run(struct tree_job *job, void *result, kn_error *err);

#endif
