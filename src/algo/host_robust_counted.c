// SPDX-License-Identifier: Apache-2.0
// Everything about a column of 8 bits from the counts of its 256 values.
#include <math.h>

#include "../base/number.h"
#include "host_robust.h"
#include "moments.h"

enum { VALUES = 256 };

static double median_of(const size_t *counts, size_t n, int least)
{
    size_t below = 0, value = 0;
    double lower;

    while (below + counts[value] <= (n - 1) / 2)
        below += counts[value++];
    lower = (double)value + least;
    while (below + counts[value] <= n / 2)
        below += counts[value++];
    return kn_middle(lower, (double)value + least);
}

// From the median outward: the nearer of the next value on the left and the next on the right.
static double mad_of(const size_t *counts, size_t n, int least, double median)
{
    int left = (int)floor(median) - least, right = left + 1;
    size_t within = 0;
    double found[2] = {0, 0};

    while (within <= n / 2) {
        double to_left = left >= 0 ? median - (left + least) : INFINITY;
        double to_right = right < VALUES ? right + least - median : INFINITY;
        double deviation = to_left <= to_right ? to_left : to_right;
        size_t count = counts[to_left <= to_right ? left-- : right++];
        for (size_t i = 0; i < 2; i++) {
            size_t rank = i == 0 ? (n - 1) / 2 : n / 2;
            if (rank >= within && rank < within + count)
                found[i] = deviation;
        }
        within += count;
    }
    return kn_middle(found[0], found[1]);
}

void host_robust_counted(kn_type type, const size_t counts[VALUES], size_t n, int shift, kn_robust *result)
{
    int least = type == KN_I8 ? INT8_MIN : 0;
    struct moments_exact sums = {.least = 0}; // the extremes are not asked for
    kn_moments m;

    for (int i = 0; i < VALUES; i++) {
        int distance = i + least - shift;
        sums.keys += (unsigned __int128)counts[i] * (unsigned)i;
        sums.squares[0] += (unsigned __int128)counts[i] * (unsigned)(distance * distance);
    }
    moments_from_exact(type, n, (uint64_t)(shift - least), &sums, &m);
    *result = (kn_robust){.n = n,
                          .mean = m.mean,
                          .variance = m.variance,
                          .shift = m.shift,
                          .sum = m.sum,
                          .squares = m.squares,
                          .method = KN_ROBUST_COUNTED};
    result->median = median_of(counts, n, least);
    result->mad = mad_of(counts, n, least, result->median);
}
