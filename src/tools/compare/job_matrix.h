// SPDX-License-Identifier: Apache-2.0
// The sparse matrix of the jobs spmv and solve: of n rows and columns, n a multiple of JOB_MATRIX_BLOCK and
// at least 16 of them; in each row and column 1 on the diagonal and 15 numbers of at most 1/64 within some
// 4,096 of it. So |A x| is from 3/4 to 5/4 of |x|.
#ifndef KN_TOOLS_COMPARE_JOB_MATRIX_H
#define KN_TOOLS_COMPARE_JOB_MATRIX_H

#include "jobs.h"

enum { JOB_MATRIX_ROW = 16, JOB_MATRIX_BLOCK = 256 };

// Columns of the problem: the indices and the values, in double, of all rows, one behind the other; both are
// the host's alone. They become the problem's next two columns.
kn_status job_matrix_make(struct compare_problem *problem, kn_error *err);

// An operator of it in a place, in sliced ELL, which devices and the host have, with vectors of the case's
// type. `indices` is the first of the two columns.
kn_status job_matrix_operator(const struct compare_work *work, size_t indices, kn_operator **made,
                              kn_error *err);

// Element i of A x, and at *terms the sum of its terms' moduli (may be NULL).
double job_matrix_element(const struct compare_problem *problem, size_t indices, const double *x, size_t i,
                          double *terms);

#endif
