// SPDX-License-Identifier: Apache-2.0
// What rounding has done to conjugate gradients, from the numbers that they leave: the lengths of their steps
// and of their gradients.
//
// In exact arithmetic these are a tridiagonal matrix T_k, whose eigenvalues, Ritz values, approach those of H
// (here A^T A and its terms) from the ends. Rounding takes the orthogonality of the directions as soon as
// one has converged; its eigenvalue then comes again, as a copy, and an iteration that makes a copy makes no
// progress (Paige, Accuracy and effectiveness of the Lanczos algorithm for the symmetric eigenproblem, 1980).
// The iterate is that of an exact method as many iterations earlier as there are copies, and nothing worse
// (Greenbaum, Behavior of slightly perturbed Lanczos and conjugate-gradient recurrences, 1989; Strakos, On
// the real convergence rate of the conjugate gradient method, 1991). So iterations that are ended by their
// number lag behind those of a higher precision, and by how much shows in T_k.
#ifndef KN_APP_SPARSE_SOLVER_ACCURACY_H
#define KN_APP_SPARSE_SOLVER_ACCURACY_H

#include <stddef.h>

#include <koine/error.h>

struct sparse_lag {
    size_t iterations; // that made copies
    double next;       // how much of the next copy there is, up to 1
    // What as many iterations, the last ones, have done: the distance that x moved (Hestenes and
    // Stiefel, 1952: from lengths alone, as gradients are orthogonal to one another), and how much smaller
    // |A x - b|^2, with the terms, has become.
    double distance, misfit;
    // The distance of the last iteration alone.
    double last_distance;
    double greatest, least; // Ritz values; 0 without iterations
};

// Of `count` iterations: gradients[0] to gradients[count] (lengths), steps[1] to steps[count]. It ends before
// a step that is not above 0. epsilon: a rounding's. KN_ERROR_MEMORY. Cost: the square of the iterations, of
// which at most 2,048, the first ones, are looked at; the others are taken for copies where those have begun.
kn_status ki_sparse_lag_of(const double *gradients, const double *steps, size_t count, double epsilon,
                           struct sparse_lag *lag, kn_error *err);

#endif
