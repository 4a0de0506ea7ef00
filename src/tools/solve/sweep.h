// SPDX-License-Identifier: Apache-2.0
// Times against sizes, as in figure 3 of the source: systems like its own, of increasing size, solved at one
// place after another, with and without the time to get the matrix there.
#ifndef KN_TOOLS_SOLVE_SWEEP_H
#define KN_TOOLS_SOLVE_SWEEP_H

#include <koine/least_squares.h>

enum { SOLVE_SWEEP_SIZES = 5 };

struct solve_sweep_point {
    size_t rows, columns, nonzeros;
    size_t iterations;
    double seconds;      // of the iterations
    double with_prepare; // including the preparation of the matrix; on a device, also copying it, b, and x
                         // back
    double residual;
    double adjoint, adjoint_bound;
    char code[128];
};

struct solve_sweep_system {
    kn_sparse *matrix;
    double *b;
};

// Creates one of the sizes, numbered from 0: 3,072 columns, and from 1,000 rows to the 81,545 of the source.
// b is A times a picture, with noise of 2 %.
kn_status solve_sweep_system_create(size_t size, struct solve_sweep_system *made, kn_error *err);
void solve_sweep_system_free(struct solve_sweep_system *system); // frees its members

// Solves the same system at one place (`queue` NULL: the host), after a short run to warm up. Does all
// iterations of the options, even past the limit of the precision. Errors: those of kn_least_squares.
kn_status solve_sweep_run(kn_queue *queue, const struct solve_sweep_system *system,
                          const kn_least_squares_options *options, struct solve_sweep_point *point,
                          kn_error *err);

#endif
