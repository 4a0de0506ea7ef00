// SPDX-License-Identifier: Apache-2.0
// Times against sizes, as figure 3 of the source has them: systems like its own, larger and larger, solved at
// one place after another, with and without getting the matrix there.
#ifndef KN_TOOLS_SOLVE_SWEEP_H
#define KN_TOOLS_SOLVE_SWEEP_H

#include <koine/least_squares.h>

enum { SOLVE_SWEEP_SIZES = 5 };

struct solve_sweep_point {
    size_t rows, columns, nonzeros;
    size_t iterations;
    double seconds;      // of the iterations
    double with_prepare; // and of getting the matrix ready, on a device: there, and b, and x back
    double residual;
    double adjoint, adjoint_bound;
    char code[128];
};

struct solve_sweep_system {
    kn_sparse *matrix;
    double *b;
};

// One of the sizes, from 0: 3,072 columns, from 1,000 rows to the source's 81,545. b is A times a picture,
// and noise of 2 %.
kn_status solve_sweep_system_create(size_t size, struct solve_sweep_system *made, kn_error *err);
void solve_sweep_system_free(struct solve_sweep_system *system); // what it holds

// The same system at one place (`queue` NULL: the host): all iterations of the options, past the precision's
// floor, too, after a short run that warms up. Errors: those of kn_least_squares.
kn_status solve_sweep_run(kn_queue *queue, const struct solve_sweep_system *system,
                          const kn_least_squares_options *options, struct solve_sweep_point *point,
                          kn_error *err);

#endif
