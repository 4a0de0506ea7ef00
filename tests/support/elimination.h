// SPDX-License-Identifier: Apache-2.0
// Small dense systems in double precision, for references.
#ifndef KN_TESTS_SUPPORT_ELIMINATION_H
#define KN_TESTS_SUPPORT_ELIMINATION_H

#include <complex.h>
#include <stddef.h>

// Gaussian elimination with pivots: x, n numbers, is the right-hand side on entry and the solution on return.
// a is n x n, row by row, and is destroyed.
void test_eliminate(size_t n, double complex *a, double complex *x);

#endif
