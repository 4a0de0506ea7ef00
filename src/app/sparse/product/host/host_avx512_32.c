// SPDX-License-Identifier: Apache-2.0
// The loops of host_own.h in single precision with AVX-512.
#include "host_own.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

#define VECTOR_CODE __attribute__((target("avx512f,avx512dq,avx512vl")))
#define VECTOR_WORD VECTOR_CODE static inline __attribute__((always_inline))

typedef float number;
typedef __m512 reals;
typedef __m512d doubles;
enum { WIDE = 16 };

VECTOR_WORD reals set(number value)
{
    return _mm512_set1_ps(value);
}

VECTOR_WORD reals load(const number *from)
{
    return _mm512_loadu_ps(from);
}

VECTOR_WORD void store(number *to, reals v)
{
    _mm512_storeu_ps(to, v);
}

VECTOR_WORD reals multiply_add(reals a, reals b, reals c)
{
    return _mm512_fmadd_ps(a, b, c);
}

// Indices are below 2^31.
VECTOR_WORD reals gather(const number *x, const uint32_t *indices)
{
    return _mm512_i32gather_ps(_mm512_loadu_si512(indices), x, 4);
}

VECTOR_WORD __mmask16 mask(size_t count)
{
    return (__mmask16)((1U << count) - 1);
}

VECTOR_WORD reals load_some(const number *from, size_t count)
{
    return _mm512_maskz_loadu_ps(mask(count), from);
}

VECTOR_WORD reals gather_some(const number *x, const uint32_t *indices, size_t count)
{
    return _mm512_mask_i32gather_ps(set(0), mask(count), _mm512_maskz_loadu_epi32(mask(count), indices), x,
                                    4);
}

VECTOR_WORD number total(reals v)
{
    return _mm512_reduce_add_ps(v);
}

VECTOR_WORD doubles wide_zero(void)
{
    return _mm512_setzero_pd();
}

VECTOR_WORD doubles wide_product(reals a, reals b, doubles sums)
{
    sums = _mm512_fmadd_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(a)),
                           _mm512_cvtps_pd(_mm512_castps512_ps256(b)), sums);
    return _mm512_fmadd_pd(_mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1)),
                           _mm512_cvtps_pd(_mm512_extractf32x8_ps(b, 1)), sums);
}

VECTOR_WORD double wide_total(doubles v)
{
    return _mm512_reduce_add_pd(v);
}

#include "host_vector.h"

const struct sparse_code sparse_avx512_32 = {csr, sell, add, turn, dot};
#endif
