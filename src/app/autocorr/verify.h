// SPDX-License-Identifier: Apache-2.0
// Sums held against the definition, at offsets drawn by chance.
#ifndef KN_APP_AUTOCORR_VERIFY_H
#define KN_APP_AUTOCORR_VERIFY_H

#include <koine/experimental/autocorr.h>

#include "autocorr.h"

// Recomputes `count` offsets term by term, in 64 bits and serially, and takes those for wrong that are off by
// more than `bound` (0 for exact sums); draws them by `state`, which is moved on.
// Offsets may be drawn twice. Cost: one or two reads of the image for each.
void ki_autocorr_verify(const struct autocorr_task *task, const uint64_t *products, double bound,
                        size_t count, uint64_t *state, kn_autocorr_verified *verified);

#endif
