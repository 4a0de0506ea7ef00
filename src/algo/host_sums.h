// SPDX-License-Identifier: Apache-2.0
// The leaves of the tree of cl/reduce.cl on the host.
#ifndef KN_ALGO_HOST_SUMS_H
#define KN_ALGO_HOST_SUMS_H

#include "host.h"

enum { HOST_LEAF = 4096, HOST_LANES = 64 };

// Adds up HOST_LEAF elements in lanes: element i belongs to lane i mod 64, where d = x - shift is added to the sum and
// fma(d, d, .) becomes the squares, if they are wanted; each lane begins with what is in `sums` and `squares`.
typedef void host_leaf(const void *x, bool single, double shift, bool wants_squares, double sums[HOST_LANES],
                       double squares[HOST_LANES]);

#ifdef HOST_HAS_VECTORS
host_leaf host_leaf_avx2, host_leaf_avx512;
#endif

#endif
