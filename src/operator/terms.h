// SPDX-License-Identifier: Apache-2.0
// The functions that are added to |A x - b|^2 / 2: corrections, and the terms with a name, for the host's
// solvers; the device's solvers have the same.
#ifndef KN_OPERATOR_TERMS_H
#define KN_OPERATOR_TERMS_H

#include <stdbool.h>
#include <stddef.h>

// The correction term F of the solver's gradient: the gradient of the added function at `x`, and its change
// along `d`. Both functions add to `out`.
struct solve_correction {
    void (*gradient)(const void *data, const double *x, size_t count, double *out);
    void (*along)(const void *data, const double *x, const double *d, size_t count, double *out);
    const void *data;
};

// The terms that are added.
struct solve_terms {
    double lambda;      // weight of |x|^2 / 2 (Tikhonov)
    double smooth;      // weight of |D x|^2 / 2
    unsigned order;     // of D, the differences of neighbouring columns: 1 or 2
    double nonnegative; // mu, of the penalty mu |min(x, 0)|^2 / 2
    double penalty;     // weight of |x - P x|^2 / 2, where P x is x moved between `low` and `high`
    double low, high;
};

// The gradient of the terms and its change along a direction. `terms` must live as long as the correction.
struct solve_correction ki_solve_terms_correction(const struct solve_terms *terms);

#endif
