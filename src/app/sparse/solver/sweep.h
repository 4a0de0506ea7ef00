// SPDX-License-Identifier: Apache-2.0
// Times against sizes, as figure 3 of the source has them: systems like its own, larger and larger, solved at
// one place after another, with and without getting the matrix there.
#ifndef KN_APP_SPARSE_SOLVER_SWEEP_H
#define KN_APP_SPARSE_SOLVER_SWEEP_H

#include "solve.h"

enum { SPARSE_SWEEP_SIZES = 5 };

struct sparse_sweep_point {
    size_t rows, columns, nonzeros;
    size_t iterations;
    double seconds;      // of the iterations
    double with_prepare; // and of getting the matrix ready, on a device: there, and b, and x back
    double residual;
    double adjoint, adjoint_bound;
    char code[128];
};

// One of the sizes, from 0: 3,072 columns, from 1,000 rows to the source's 81,545. b is A times a picture,
// and noise of 2 %.
kn_status ki_sparse_sweep_system(size_t size, struct sparse_matrix *matrix, struct sparse_columns *b,
                                 kn_error *err);

// The same system at one place (`queue` NULL: the host): all iterations of the task, past the precision's
// floor, too, after a short run that warms up. Errors: those of ki_sparse_solve.
kn_status ki_sparse_sweep_run(kn_queue *queue, const struct sparse_matrix *matrix,
                              const struct sparse_columns *b, const struct sparse_task *task,
                              struct sparse_sweep_point *point, kn_error *err);

#endif
