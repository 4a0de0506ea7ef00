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

// Why the iterations of conjugate gradients stopped; STOP_MOVED is added where the solution is that of this iteration,
// not of the one before.
#define STOP_GRADIENT 1  // |g| is small enough
#define STOP_RESIDUAL 2  // |A x - b| is
#define STOP_CURVATURE 3 // d.e is not positive
#define STOP_WHITENESS 4 // A x - b is as white as it gets
#define STOP_MOVED 16

#endif
