// SPDX-License-Identifier: Apache-2.0
// Sums held against the definition, at offsets drawn by chance.
#ifndef KN_APP_AUTOCORR_VERIFY_H
#define KN_APP_AUTOCORR_VERIFY_H

#include "autocorr.h"

struct autocorr_verified {
    size_t count; // offsets that were recomputed
    size_t wrong; // of them
    // The first wrong one: where, what was found and what the definition gives.
    ptrdiff_t x0;
    size_t y0;
    uint64_t found, expected;
    uint64_t most; // the greatest difference, right or wrong
};

// Recomputes `count` offsets term by term, in 64 bits and serially, and takes those for wrong that are off by
// more than `bound` (0 for exact sums); draws them by `state`, which is moved on.
// Offsets may be drawn twice. Cost: one or two reads of the image for each.
void ki_autocorr_verify(const struct autocorr_task *task, const uint64_t *products, double bound,
                        size_t count, uint64_t *state, struct autocorr_verified *verified);

#endif
