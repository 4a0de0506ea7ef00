// SPDX-License-Identifier: Apache-2.0
// Estimates the effect of rounding on conjugate gradients from the lengths of their steps and of their
// gradients.
//
// In exact arithmetic these lengths give a tridiagonal matrix T_k, whose eigenvalues, the Ritz values,
// approach those of H (here A^T A and its terms) from both ends. Rounding destroys the orthogonality of the
// directions as soon as one Ritz value has converged; that eigenvalue then appears again, as a copy, and an
// iteration that makes a copy makes no progress (Paige, Accuracy and effectiveness of the Lanczos algorithm
// for the symmetric eigenproblem, 1980). The iterate is then no worse than that of an exact method with as
// many fewer iterations as there are copies (Greenbaum, Behavior of slightly perturbed Lanczos and
// conjugate-gradient recurrences, 1989; Strakos, On the real convergence rate of the conjugate gradient
// method, 1991). So iterations that end after a given number lag behind those in a higher precision, and T_k
// shows by how many.
#ifndef KN_APP_SPARSE_SOLVER_ACCURACY_H
#define KN_APP_SPARSE_SOLVER_ACCURACY_H

#include <stddef.h>

#include <koine/error.h>

struct sparse_lag {
    size_t iterations; // the number that made copies
    double next;       // the share of the next copy, up to 1
    // The effect of as many iterations, the last ones: the distance that x moved (Hestenes and Stiefel, 1952:
    // from the lengths only, because gradients are orthogonal to one another), and the decrease of |A x -
    // b|^2, with the terms.
    double distance, misfit;
    // The distance that x moved in the last iteration.
    double last_distance;
    double greatest, least; // Ritz values; 0 without iterations
};

// Computes the lag after `count` iterations: gradients[0] to gradients[count] and steps[1] to steps[count]
// are lengths. Stops before a step that is not above 0. epsilon: the unit roundoff. KN_ERROR_MEMORY. Cost:
// the square of the number of iterations, of which at most the first 2,048 are examined; once copies begin in
// these, all later iterations count as copies.
kn_status ki_sparse_lag_of(const double *gradients, const double *steps, size_t count, double epsilon,
                           struct sparse_lag *lag, kn_error *err);

#endif
