// SPDX-License-Identifier: Apache-2.0
// The sums of sum_host.h in single precision with AVX-512.
#include "sum_host.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

#define VECTOR_CODE __attribute__((target("avx512f,avx512dq")))
#define VECTOR_WORD VECTOR_CODE static inline __attribute__((always_inline))

typedef __m512 reals;
typedef float number;
enum { WIDE = 16, AT_A_TIME = 4 };
#define SINE   SUM_SINE_SINGLE
#define COSINE SUM_COSINE_SINGLE

VECTOR_WORD reals set(number value)
{
    return _mm512_set1_ps(value);
}

VECTOR_WORD reals load(const number *from)
{
    return _mm512_loadu_ps(from);
}

VECTOR_WORD reals add(reals a, reals b)
{
    return _mm512_add_ps(a, b);
}

VECTOR_WORD reals subtract(reals a, reals b)
{
    return _mm512_sub_ps(a, b);
}

VECTOR_WORD reals multiply(reals a, reals b)
{
    return _mm512_mul_ps(a, b);
}

VECTOR_WORD reals multiply_add(reals a, reals b, reals c)
{
    return _mm512_fmadd_ps(a, b, c);
}

// c - a b.
VECTOR_WORD reals subtract_product(reals a, reals b, reals c)
{
    return _mm512_fnmadd_ps(a, b, c);
}

VECTOR_WORD reals rounded(reals a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

VECTOR_WORD void add_to(double *to, reals v)
{
    __m512d low = _mm512_cvtps_pd(_mm512_castps512_ps256(v)),
            high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));

    _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), low));
    _mm512_storeu_pd(to + WIDE / 2, _mm512_add_pd(_mm512_loadu_pd(to + WIDE / 2), high));
}

#define FRACTIONS
typedef __m512i integers;

VECTOR_WORD integers load_integers(const int32_t *from)
{
    return _mm512_loadu_si512(from);
}

VECTOR_WORD integers integer_product(int32_t a, integers b)
{
    return _mm512_mullo_epi32(_mm512_set1_epi32(a), b);
}

VECTOR_WORD integers integer_sum(integers a, integers b)
{
    return _mm512_add_epi32(a, b);
}

VECTOR_WORD reals turns(integers fraction)
{
    return _mm512_mul_ps(_mm512_cvtepi32_ps(fraction), _mm512_set1_ps(0x1p-32f));
}

#include "sum_host_vector.h"

VECTOR_CODE void sum_single_avx512(const struct sum_samples *samples, const number *const places[3],
                                   double *re, double *im)
{
    add_block(samples, places, re, im);
}

VECTOR_CODE void sum_fractions_avx512(const struct sum_samples *samples, const int32_t *const places[3],
                                      double *re, double *im)
{
    add_block_fractions(samples, places, re, im);
}
#endif
