// SPDX-License-Identifier: Apache-2.0
// The words of host_fft_avx512.h, as AVX2 and FMA have them.
#ifndef KN_HOST_FFT_HOST_FFT_AVX2_H
#define KN_HOST_FFT_HOST_FFT_AVX2_H

#include "host/stats/host_reals_avx2.h"

VECTOR_WORD reals load_reals(const real *from)
{
    return REALS(loadu)(from);
}

VECTOR_WORD void store_reals(real *to, reals v)
{
    REALS(storeu)(to, v);
}

VECTOR_WORD reals load_integers(const int32_t *from)
{
#if KEY_BITS == 64
    return _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)from));
#else
    return _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)from));
#endif
}

VECTOR_WORD void store_doubles(double *to, reals v)
{
#if KEY_BITS == 64
    _mm256_storeu_pd(to, v);
#else
    _mm256_storeu_pd(to, _mm256_cvtps_pd(_mm256_castps256_ps128(v)));
    _mm256_storeu_pd(to + LANES / 2, _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
#endif
}

VECTOR_WORD reals plus_product(reals a, reals b, reals c)
{
    return REALS(fmadd)(b, c, a);
}

VECTOR_WORD reals less_product(reals a, reals b, reals c)
{
    return REALS(fnmadd)(b, c, a);
}

#define AS_DOUBLES(v)   _mm256_castps_pd(v)
#define FROM_DOUBLES(v) _mm256_castpd_ps(v)
#define DOUBLES(name)   _mm256_##name##_pd

// The two halves of v[0] and v[step].
VECTOR_WORD void transpose_lanes(reals *v, const size_t step)
{
    const reals a = v[0], b = v[step];

    v[0] = REALS(permute2f128)(a, b, 0x20);
    v[step] = REALS(permute2f128)(a, b, 0x31);
}

#include "host_fft_transpose.h"

#endif
