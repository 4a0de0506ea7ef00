// SPDX-License-Identifier: Apache-2.0
// The tree of src/app/stats/moments.h, written as in its description: padded with zeros to a power of two of
// leaves.
#ifndef KN_TESTS_UNIT_APP_STATS_TREE_H
#define KN_TESTS_UNIT_APP_STATS_TREE_H

#include "support/support.h"

#include <math.h>

#include "app/stats/moments.h"

static inline struct stats_sums tree_of(const double *x, size_t n, double shift)
{
    enum { LEAF = 4096, LANES = 64 };
    size_t leaves = 1;
    struct stats_sums *level, total;

    while (leaves * LEAF < n)
        leaves *= 2;
    level = calloc(leaves * LANES, sizeof *level);
    ck_assert_ptr_nonnull(level);
    for (size_t i = 0; i < leaves * LEAF; i++) {
        struct stats_sums *lane = &level[i / LEAF * LANES + i % LANES];
        double d = i < n ? x[i] - shift : 0;

        lane->sum += d;
        lane->squares = fma(d, d, lane->squares);
    }
    for (size_t leaf = 0; leaf < leaves; leaf++)
        for (size_t half = LANES / 2; half; half /= 2)
            for (size_t l = 0; l < half; l++) {
                level[leaf * LANES + l].sum += level[leaf * LANES + l + half].sum;
                level[leaf * LANES + l].squares += level[leaf * LANES + l + half].squares;
            }
    for (size_t stride = 1; stride < leaves; stride *= 2)
        for (size_t leaf = 0; leaf < leaves; leaf += 2 * stride) {
            level[leaf * LANES].sum += level[(leaf + stride) * LANES].sum;
            level[leaf * LANES].squares += level[(leaf + stride) * LANES].squares;
        }
    total = level[0];
    free(level);
    return total;
}

#endif
