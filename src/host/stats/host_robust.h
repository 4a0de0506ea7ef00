// SPDX-License-Identifier: Apache-2.0
// The parts of kn_host_robust.
#ifndef KN_HOST_STATS_HOST_ROBUST_H
#define KN_HOST_STATS_HOST_ROBUST_H

#include <koine/robust.h>

#include "host_reals.h"
#include "host_sums.h"

// Floats or doubles: a column whose growing prefixes are handled one after the other.
struct host_robust {
    const struct host_plan *plan;
    const struct host_reals *reals;
    kn_type type;
    double width;              // of the brackets, in standard deviations of a rank in the sample
    struct host_column column; // its n is the prefix's
    kn_sums *leaves, *folded;  // room for those of the longest prefix
    size_t summed;             // leaves whose sums are known
};

// Reads leaf i: its sums, unless they are known, go to leaves[i]. Returns the number of NaN in it.
size_t ki_host_robust_leaf(struct host_robust *r, size_t i);

// One read with brackets: the sums, nan_count, median and mad. *missed: a bracket did not hold its rank, or
// held too much; median and mad are then not set.
kn_status ki_host_robust_fused(struct host_robust *r, size_t *nan_count, double *median, double *mad,
                               bool *missed, kn_error *err);

// kn_host_robust_prefixes after its arguments were checked, with a plan; count > 0.
kn_status ki_host_robust(const void *x, kn_type type, const size_t *ends, size_t count,
                         const kn_robust_options *options, const struct host_plan *plan, kn_robust *results,
                         kn_error *err);

#endif
