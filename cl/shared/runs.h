// SPDX-License-Identifier: Apache-2.0
// What reductions by key and their hosts agree on: it decides the bits of sums of floats.
#ifndef KN_SHARED_RUNS_H
#define KN_SHARED_RUNS_H

// Elements of a leaf, and leaves of a block.
#define RUNS_LEAF 16
#define RUNS_LEAVES 128
#define RUNS_BLOCK (RUNS_LEAF * RUNS_LEAVES)

#endif
