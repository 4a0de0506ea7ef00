// SPDX-License-Identifier: Apache-2.0
// The loops of host_own.h in double precision with AVX-512.
#include "host_own.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

#define VECTOR_CODE __attribute__((target("avx512f,avx512dq,avx512vl")))
#define VECTOR_WORD VECTOR_CODE static inline __attribute__((always_inline))

typedef double number;
typedef __m512d reals;
typedef __m512d doubles;
enum { WIDE = 8 };

VECTOR_WORD reals set(number value)
{
    return _mm512_set1_pd(value);
}

VECTOR_WORD reals load(const number *from)
{
    return _mm512_loadu_pd(from);
}

VECTOR_WORD void store(number *to, reals v)
{
    _mm512_storeu_pd(to, v);
}

VECTOR_WORD reals multiply_add(reals a, reals b, reals c)
{
    return _mm512_fmadd_pd(a, b, c);
}

// Indices are below 2^31.
VECTOR_WORD reals gather(const number *x, const uint32_t *indices)
{
    return _mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)indices), x, 8);
}

VECTOR_WORD __mmask8 mask(size_t count)
{
    return (__mmask8)((1U << count) - 1);
}

VECTOR_WORD reals load_some(const number *from, size_t count)
{
    return _mm512_maskz_loadu_pd(mask(count), from);
}

VECTOR_WORD reals gather_some(const number *x, const uint32_t *indices, size_t count)
{
    return _mm512_mask_i32gather_pd(set(0), mask(count), _mm256_maskz_loadu_epi32(mask(count), indices), x,
                                    8);
}

VECTOR_WORD number total(reals v)
{
    return _mm512_reduce_add_pd(v);
}

VECTOR_WORD doubles wide_zero(void)
{
    return _mm512_setzero_pd();
}

VECTOR_WORD doubles wide_product(reals a, reals b, doubles sums)
{
    return multiply_add(a, b, sums);
}

VECTOR_WORD double wide_total(doubles v)
{
    return _mm512_reduce_add_pd(v);
}

#include "host_vector.h"

const struct sparse_code sparse_avx512_64 = {csr, sell, add, turn, dot};
#endif
