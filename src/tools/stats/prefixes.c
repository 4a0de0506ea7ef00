// SPDX-License-Identifier: Apache-2.0
#include "prefixes.h"

size_t stats_prefix_count(struct stats_cuts cuts, size_t n)
{
    if (cuts.step)
        return n <= cuts.step ? 1 : n / cuts.step + (n % cuts.step != 0);
    return cuts.parts;
}

size_t stats_prefix_end(struct stats_cuts cuts, size_t n, size_t index)
{
    size_t i = index + 1, parts = cuts.parts;

    if (i >= stats_prefix_count(cuts, n))
        return n;
    // i * n may exceed size_t; these products do not.
    return cuts.step ? i * cuts.step : i * (n / parts) + i * (n % parts) / parts;
}
