// SPDX-License-Identifier: Apache-2.0
// Dense symmetric positive definite systems on the host, in double precision: A = L L^T (Cholesky), with
// vectors and threads.
#ifndef KN_HOST_CHOLESKY_HOST_CHOLESKY_H
#define KN_HOST_CHOLESKY_HOST_CHOLESKY_H

#include "host/host.h"

struct host_cholesky;

// Memory for a matrix of n x n, all 0: (n + 23)^2 doubles at most. `options` may be NULL (the best level, all
// threads). KN_ERROR_UNSUPPORTED: a level that this processor lacks; KN_ERROR_MEMORY.
kn_status ki_host_cholesky_create(size_t n, const kn_host_options *options, struct host_cholesky **cholesky,
                                  kn_error *err);
void ki_host_cholesky_free(struct host_cholesky *cholesky); // NULL is fine

// Bytes of that memory, and of what is factored at a time.
size_t ki_host_cholesky_bytes(size_t n);

// Row i of the matrix, whose columns 0 to i the caller fills in. Once factored, row i of L.
double *ki_host_cholesky_row(struct host_cholesky *cholesky, size_t i);

// False if the matrix is not positive definite within rounding: a pivot, of `column`, is not greater than n *
// 2^-52 of the diagonal's element. n^3 / 3 multiplications and additions; the same bits with any number of
// threads.
bool ki_host_cholesky_factor(struct host_cholesky *cholesky, size_t *column);

// x = A^-1 x for `count` vectors of n numbers, one after the other; A must have been factored. Backward
// stable (Higham, Accuracy and Stability of Numerical Algorithms, theorem 10.4). 2 n^2 multiplications and
// additions a vector; A is read twice for 16 of them. KN_ERROR_MEMORY.
kn_status ki_host_cholesky_solve(const struct host_cholesky *cholesky, double *x, size_t count,
                                 kn_error *err);

#endif
