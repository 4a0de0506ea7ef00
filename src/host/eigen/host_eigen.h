// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of a dense Hermitian matrix on the host, in double precision: Householder's
// reflections to a tridiagonal matrix and implicit QL on that (Golub and Van Loan, Matrix Computations, 8.3).
// Of our own, small as it is, since libkoine links no LAPACK.
#ifndef KN_HOST_EIGEN_HOST_EIGEN_H
#define KN_HOST_EIGEN_HOST_EIGEN_H

#include <complex.h>
#include <stddef.h>

#include <koine/error.h>

// values[n], the greatest first. `a` is n x n, row by row, of which the lower triangle and the diagonal's
// real parts are read; it is overwritten: its first `count` rows are the vectors, of length 1, of the values
// above `part` of the greatest, in their order. Errors of the vectors' products: some n 2^-52. Cost: about
// 4/3 n^3 complex multiplications, 3 n^3 real ones, and 2 n^2 complex ones a vector. Memory: 8 n^2 bytes.
// KN_ERROR_MEMORY; KN_ERROR_ARGUMENT for a matrix that is not finite.
kn_status ki_host_eigen(size_t n, double complex *a, double part, double *values, size_t *count,
                        kn_error *err);

#endif
