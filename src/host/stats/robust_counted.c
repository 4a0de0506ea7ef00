// SPDX-License-Identifier: Apache-2.0
// What is made of a column's sums and selected elements; everything about a column of 8 bits from the counts
// of its values.
#include "robust_finish.h"

#include <math.h>

#include "base/number.h"
#include "moments_finish.h"

enum { VALUES = 256 };

kn_robust ki_robust_of_nothing(size_t n, size_t nan_count, kn_robust_method method)
{
    return (kn_robust){n, nan_count, NAN, NAN, NAN, NAN, NAN, NAN, NAN, method, 0};
}

void ki_robust_finish(kn_robust *result, double shift, const kn_sums *sums, double median, double mad)
{
    kn_moments m = {.n = result->n, .shift = shift, .sum = sums->sum, .squares = sums->squares};

    ki_moments_from_sums(&m);
    result->mean = m.mean;
    result->variance = m.variance;
    result->shift = shift + 0.0;
    result->sum = sums->sum;
    result->squares = sums->squares;
    result->median = median;
    result->mad = mad;
}

static double median_of(const uint64_t *counts, uint64_t n, int least)
{
    uint64_t below = 0;
    int value = 0;
    double lower;

    while (below + counts[value] <= (n - 1) / 2)
        below += counts[value++];
    lower = value + least;
    while (below + counts[value] <= n / 2)
        below += counts[value++];
    return ki_middle(lower, value + least);
}

// From the median outward: the nearer of the next value on the left and the next on the right.
static double mad_of(const uint64_t *counts, uint64_t n, int least, double median)
{
    int left = (int)floor(median) - least, right = left + 1;
    uint64_t within = 0;
    double found[2] = {0, 0};

    while (within <= n / 2) {
        double to_left = left >= 0 ? median - (left + least) : INFINITY;
        double to_right = right < VALUES ? right + least - median : INFINITY;
        double deviation = to_left <= to_right ? to_left : to_right;
        uint64_t count = counts[to_left <= to_right ? left-- : right++];
        for (unsigned i = 0; i < 2; i++) {
            uint64_t rank = i == 0 ? (n - 1) / 2 : n / 2;
            if (rank >= within && rank < within + count)
                found[i] = deviation;
        }
        within += count;
    }
    return ki_middle(found[0], found[1]);
}

void ki_robust_counted(kn_type type, const uint64_t counts[VALUES], uint64_t n, int shift, kn_robust *result)
{
    int least = type == KN_I8 ? INT8_MIN : 0;
    struct moments_exact sums = {.least = 0}; // the extremes are not asked for
    kn_moments m;

    for (int i = 0; i < VALUES; i++) {
        int distance = i + least - shift;
        sums.keys += (unsigned __int128)counts[i] * (unsigned)i;
        sums.squares[0] += (unsigned __int128)counts[i] * (unsigned)(distance * distance);
    }
    ki_moments_from_exact(type, (size_t)n, (uint64_t)(shift - least), &sums, &m);
    *result = (kn_robust){.n = (size_t)n,
                          .mean = m.mean,
                          .variance = m.variance,
                          .shift = m.shift,
                          .sum = m.sum,
                          .squares = m.squares,
                          .method = KN_ROBUST_COUNTED};
    result->median = median_of(counts, n, least);
    result->mad = mad_of(counts, n, least, result->median);
}
