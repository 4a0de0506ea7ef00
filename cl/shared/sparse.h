// SPDX-License-Identifier: Apache-2.0
// What the kernels on sparse matrices (cl/app/sparse) and their hosts agree on.
#ifndef KN_SHARED_SPARSE_H
#define KN_SHARED_SPARSE_H

// Rows of a slice of SELL-C-sigma, and the index of an element without a nonzero.
#define SELL_SLICE 32
#define ELL_PAD 0xffffffffu

// Projections on the fly: bits after the point of a position, and the side of a tile that is turned.
#define PARALLEL_FRACTION 44
#define PARALLEL_TURN 32

#endif
