// SPDX-License-Identifier: Apache-2.0
// Floats by leaves: the code for a kind of processor, and the read of a leaf that both methods of robust.h
// share.
#include <math.h>

#include "host_robust.h"

const struct host_reals *ki_host_reals_for(kn_type type, kn_host_level level)
{
    static const struct host_reals *const reals[][2] = {HOST_LEVELS(host_reals)};

    return reals[level][type == KN_F64];
}

size_t ki_host_robust_leaf(struct host_robust *r, size_t i)
{
    size_t start = i * TREE_LEAF, count = r->column.n - start < TREE_LEAF ? r->column.n - start : TREE_LEAF;
    struct host_extremes extremes = {INFINITY, -INFINITY, 0};

    if (i >= r->summed)
        r->leaves[i] = ki_host_sum_leaf(&r->column, i);
    if (isnan(r->leaves[i].sum)) // or infinities of both signs
        r->reals->extremes((const char *)r->column.x + start * r->plan->size, count, &extremes);
    return extremes.nan_count;
}
