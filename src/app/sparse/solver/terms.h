// SPDX-License-Identifier: Apache-2.0
// The correction terms that have a name, for the reference and for the host's solver; the device's has the
// same.
#ifndef KN_APP_SPARSE_SOLVER_TERMS_H
#define KN_APP_SPARSE_SOLVER_TERMS_H

#include "reference.h"

// What is added to |A x - b|^2 / 2.
struct sparse_terms {
    double lambda;      // of |x|^2 / 2 (Tikhonov)
    double smooth;      // of |D x|^2 / 2
    unsigned order;     // of D, the differences of neighbouring columns: 1 or 2
    double nonnegative; // mu, of the penalty mu |min(x, 0)|^2 / 2
    double penalty;     // of |x - P x|^2 / 2, where P x is within `low` and `high`
    double low, high;
};

// Their gradient and how it changes along a direction. `terms` must live as long as it is used.
struct sparse_correction ki_sparse_terms_correction(const struct sparse_terms *terms);

#endif
