// SPDX-License-Identifier: Apache-2.0
// The inner loop of Cholesky factorisation and substitution, for every level.
#ifndef KN_HOST_CHOLESKY_HOST_CHOLESKY_INTERNAL_H
#define KN_HOST_CHOLESKY_HOST_CHOLESKY_INTERNAL_H

#include "host/simd/levels.h"
#include "host_cholesky.h"

// Columns of a strip; numbers of rows are multiples of it.
enum { CHOLESKY_STRIP = 16, CHOLESKY_ROWS = 8 };

// to -= left right, for `rows` rows of `depth` numbers (left) and of a strip (to), each `pitch` from the
// next; `right` has `depth` strips one after the other.
typedef void cholesky_update(const double *left, const double *right, size_t depth, double *to, size_t rows,
                             size_t pitch, size_t to_pitch);

extern cholesky_update ki_cholesky_update_scalar;
HOST_DECLARE_SET_VECTORS(cholesky_update, cholesky_update);

#endif
