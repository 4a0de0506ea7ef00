// SPDX-License-Identifier: Apache-2.0
// Checks sums against the definition, at randomly drawn offsets.
#ifndef KN_APP_AUTOCORR_VERIFY_H
#define KN_APP_AUTOCORR_VERIFY_H

#include <koine/experimental/autocorr.h>

#include "autocorr.h"

// Recomputes `count` offsets term by term, in 64 bits and serially, and counts as wrong those that differ by
// more than `bound` (0 for exact sums); the offsets are drawn with `state`, which is advanced.
// Offsets may be drawn twice. Cost: one or two reads of the image for each.
void ki_autocorr_verify(const struct autocorr_task *task, const uint64_t *products, double bound,
                        size_t count, uint64_t *state, kn_autocorr_verified *verified);

#endif
