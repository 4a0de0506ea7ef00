// SPDX-License-Identifier: Apache-2.0
// What is added to |A x - b|^2 / 2: corrections, and those terms that have a name, for the host's solvers;
// the device's have the same.
#ifndef KN_OPERATOR_TERMS_H
#define KN_OPERATOR_TERMS_H

#include <stdbool.h>
#include <stddef.h>

// The correction term F of the solver's gradient: the gradient of what is added to |A x - b|^2 / 2, at `x`,
// and how it changes along `d`. Each adds to `out`.
struct solve_correction {
    void (*gradient)(const void *data, const double *x, size_t count, double *out);
    void (*along)(const void *data, const double *x, const double *d, size_t count, double *out);
    const void *data;
};

// What is added.
struct solve_terms {
    double lambda;      // of |x|^2 / 2 (Tikhonov)
    double smooth;      // of |D x|^2 / 2
    unsigned order;     // of D, the differences of neighbouring columns: 1 or 2
    double nonnegative; // mu, of the penalty mu |min(x, 0)|^2 / 2
    double penalty;     // of |x - P x|^2 / 2, where P x is within `low` and `high`
    double low, high;
};

// Their gradient and how it changes along a direction. `terms` must live as long as it is used.
struct solve_correction ki_solve_terms_correction(const struct solve_terms *terms);

#endif
