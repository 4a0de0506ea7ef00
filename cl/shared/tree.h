// SPDX-License-Identifier: Apache-2.0
// The fixed tree in which sums are folded, on devices (cl/lib/tree.clh) and on the host: whatever groups, threads or
// devices there are, the tree is this one, and so are the bits.
#ifndef KN_SHARED_TREE_H
#define KN_SHARED_TREE_H

// Elements of a leaf. In it, element i belongs to lane i modulo TREE_LANES.
#define TREE_LEAF 4096
#define TREE_LANES 64

// Nodes that a work-item of a device folds. It changes the speed, never the bits.
#define TREE_FOLD_BY 16

#endif
