// SPDX-License-Identifier: Apache-2.0
// Constants shared by the kernels on sparse matrices (cl/app/sparse) and their hosts.
#ifndef KN_SHARED_SPARSE_H
#define KN_SHARED_SPARSE_H

// Rows of a slice of SELL-C-sigma, and the index of a padding element.
#define SELL_SLICE 32
#define ELL_PAD 0xffffffffu

// Projections on the fly: fractional bits of a position, and the side of a tile that is rotated.
#define PARALLEL_FRACTION 44
#define PARALLEL_TURN 32

#endif
