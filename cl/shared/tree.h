// SPDX-License-Identifier: Apache-2.0
// The fixed trees in which sums are folded, on devices (cl/lib/tree.clh, cl/lib/runs.clh) and on the host.
// The trees, and so the bits, are the same whatever groups, threads or devices are used.
#ifndef KN_SHARED_TREE_H
#define KN_SHARED_TREE_H

// Elements of a leaf. Element i of a leaf belongs to lane i modulo TREE_LANES.
#define TREE_LEAF 4096
#define TREE_LANES 64

// Nodes that a work-item of a device folds. It changes the speed, never the bits.
#define TREE_FOLD_BY 16

// For reductions by key: elements of a leaf, and leaves of a block.
#define RUNS_LEAF 16
#define RUNS_LEAVES 128
#define RUNS_BLOCK (RUNS_LEAF * RUNS_LEAVES)

#endif
