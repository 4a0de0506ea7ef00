// SPDX-License-Identifier: Apache-2.0
// The sparse matrix of the jobs spmv and solve, with n rows and columns, where n is a multiple of
// JOB_MATRIX_BLOCK and at least 16 times that. Each row and column has 1 on the diagonal and 15 numbers of at
// most 1/64 within some 4,096 positions of it. Therefore |A x| is from 3/4 to 5/4 of |x|.
#ifndef KN_TOOLS_COMPARE_JOB_MATRIX_H
#define KN_TOOLS_COMPARE_JOB_MATRIX_H

#include "jobs.h"

enum { JOB_MATRIX_ROW = 16, JOB_MATRIX_BLOCK = 256 };

// Adds two columns to the problem, both on the host only: the indices of all rows, one row after the other,
// and their values in double precision.
kn_status job_matrix_make(struct compare_problem *problem, kn_error *err);

// Creates the operator in a place, in sliced ELL, which devices and the host support, with vectors of the
// case's type. `indices` is the first of the two columns.
kn_status job_matrix_operator(const struct compare_work *work, size_t indices, kn_operator **made,
                              kn_error *err);

// Element i of A x, and in *terms the sum of the absolute values of its terms (may be NULL).
double job_matrix_element(const struct compare_problem *problem, size_t indices, const double *x, size_t i,
                          double *terms);

#endif
