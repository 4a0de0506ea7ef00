// SPDX-License-Identifier: Apache-2.0
// Absolute deviations with AVX2.
#include "deviations.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

__attribute__((target("avx2"))) void stats_deviate_avx2(const void *x, bool single, size_t n, double median,
                                                        double *to)
{
    enum { WIDE = 4 };
    const float *floats = x;
    const double *doubles = x;
    const __m256d centre = _mm256_set1_pd(median);
    size_t i = 0;

    for (; i + WIDE <= n; i += WIDE) {
        __m256d v = single ? _mm256_cvtps_pd(_mm_loadu_ps(floats + i)) : _mm256_loadu_pd(doubles + i);
        __m256d d = _mm256_sub_pd(v, centre);
        _mm256_storeu_pd(to + i, _mm256_andnot_pd(_mm256_set1_pd(-0.0), d));
    }
    stats_deviate_plain((const char *)x + i * (single ? sizeof *floats : sizeof *doubles), single, n - i,
                        median, to + i);
}
#endif
