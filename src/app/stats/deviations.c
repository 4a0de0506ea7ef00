// SPDX-License-Identifier: Apache-2.0
#include "deviations.h"

#include <math.h>

#include "base/number.h"

void stats_deviate_plain(const void *x, bool single, size_t n, double median, double *to)
{
    const float *floats = x;
    const double *doubles = x;

    for (size_t i = 0; i < n; i++)
        to[i] = fabs((single ? (double)floats[i] : doubles[i]) - median);
}

void stats_deviations(const struct host_plan *plan, const void *x, bool single, size_t n, double median,
                      double *to)
{
    static stats_deviate *const levels[] = {
        [KN_HOST_SCALAR] = stats_deviate_plain,
#ifdef KN_HAS_VECTORS
        [KN_HOST_AVX2] = stats_deviate_avx2,
        [KN_HOST_AVX512] = stats_deviate_avx512,
#endif
    };
    unsigned threads = host_threads(plan, n * sizeof *to);
    size_t size = single ? sizeof(float) : sizeof(double);

    HOST_PARALLEL(threads, static)
    for (unsigned t = 0; t < threads; t++) {
        size_t first = host_share(n, t, threads), end = host_share(n, t + 1, threads);
        levels[plan->level]((const char *)x + first * size, single, end - first, median, to + first);
    }
}

double stats_bitonic_median(const double *deviations, size_t n)
{
    size_t left = n / 2, right = n / 2; // what comes before `left`, and `right` itself, is next
    double previous = 0, current = 0;

    for (size_t i = 0; i <= n / 2; i++) {
        previous = current;
        if (left == 0 || (right < n && deviations[left - 1] >= deviations[right]))
            current = deviations[right++];
        else
            current = deviations[--left];
    }
    return n % 2 ? current : kn_middle(previous, current);
}
