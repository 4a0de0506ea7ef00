// SPDX-License-Identifier: Apache-2.0
// Absolute deviations with AVX-512.
#include "deviations.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

__attribute__((target("avx512f"))) void stats_deviate_avx512(const void *x, bool single, size_t n,
                                                             double median, double *to)
{
    enum { WIDE = 8 };
    const float *floats = x;
    const double *doubles = x;
    const __m512d centre = _mm512_set1_pd(median);
    size_t i = 0;

    for (; i + WIDE <= n; i += WIDE) {
        __m512d v = single ? _mm512_cvtps_pd(_mm256_loadu_ps(floats + i)) : _mm512_loadu_pd(doubles + i);
        __m512d d = _mm512_sub_pd(v, centre);
        _mm512_storeu_pd(to + i, _mm512_abs_pd(d));
    }
    stats_deviate_plain((const char *)x + i * (single ? sizeof *floats : sizeof *doubles), single, n - i,
                        median, to + i);
}
#endif
