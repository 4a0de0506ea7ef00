// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of a dense Hermitian matrix on the host, in double precision: Householder
// reflections to a tridiagonal matrix, then implicit QL (Golub and Van Loan, Matrix Computations, 8.3). It is
// our own code, small as it is, because libkoine links no LAPACK.
#ifndef KN_HOST_EIGEN_HOST_EIGEN_H
#define KN_HOST_EIGEN_HOST_EIGEN_H

#include <complex.h>
#include <stddef.h>

#include <koine/error.h>

// values[n], the greatest first. `a` is n x n, row by row; its lower triangle and the real parts of its
// diagonal are read. It is overwritten: its first `count` rows are the eigenvectors, of length 1, of the
// values above `part` of the greatest, in their order. Errors of the products of eigenvectors: some n 2^-52.
// Cost: about 4/3 n^3 complex multiplications, 3 n^3 real ones, and 2 n^2 complex ones for each eigenvector.
// Memory: 8 n^2 bytes. KN_ERROR_MEMORY; KN_ERROR_ARGUMENT for a matrix that is not finite.
kn_status ki_host_eigen(size_t n, double complex *a, double part, double *values, size_t *count,
                        kn_error *err);

#endif
