// SPDX-License-Identifier: Apache-2.0
// The words of host_reals_avx512.h and a few more, that transforms are written in. host_fft_avx2.h and
// host_fft_scalar.h have the same ones.
#ifndef KN_HOST_FFT_HOST_FFT_AVX512_H
#define KN_HOST_FFT_HOST_FFT_AVX512_H

#include "host/stats/host_reals_avx512.h"

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
    return _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)from));
#else
    return _mm512_cvtepi32_ps(_mm512_loadu_si512(from));
#endif
}

VECTOR_WORD void store_doubles(double *to, reals v)
{
#if KEY_BITS == 64
    _mm512_storeu_pd(to, v);
#else
    _mm512_storeu_pd(to, _mm512_cvtps_pd(_mm512_castps512_ps256(v)));
    _mm512_storeu_pd(to + LANES / 2, _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1)));
#endif
}

// a + b c, rounded once where the processor can.
VECTOR_WORD reals plus_product(reals a, reals b, reals c)
{
    return REALS(fmadd)(b, c, a);
}

// a - b c.
VECTOR_WORD reals less_product(reals a, reals b, reals c)
{
    return REALS(fnmadd)(b, c, a);
}

#define AS_DOUBLES(v)   _mm512_castps_pd(v)
#define FROM_DOUBLES(v) _mm512_castpd_ps(v)
#define DOUBLES(name)   _mm512_##name##_pd

#if KEY_BITS == 64
#define QUARTERS(a, b, which) _mm512_shuffle_f64x2(a, b, which)
#else
#define QUARTERS(a, b, which) _mm512_shuffle_f32x4(a, b, which)
#endif

// The four quarters of v[0], v[step], v[2 step] and v[3 step].
VECTOR_WORD void transpose_lanes(reals *v, const size_t step)
{
    const reals even = QUARTERS(v[0], v[step], 0x88), odd = QUARTERS(v[0], v[step], 0xdd);
    const reals even2 = QUARTERS(v[2 * step], v[3 * step], 0x88);
    const reals odd2 = QUARTERS(v[2 * step], v[3 * step], 0xdd);

    v[0] = QUARTERS(even, even2, 0x88);
    v[step] = QUARTERS(odd, odd2, 0x88);
    v[2 * step] = QUARTERS(even, even2, 0xdd);
    v[3 * step] = QUARTERS(odd, odd2, 0xdd);
}

#include "host_fft_transpose.h"

#endif
