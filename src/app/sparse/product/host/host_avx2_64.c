// SPDX-License-Identifier: Apache-2.0
// The loops of host_own.h in double precision with AVX2 and FMA.
#include "host_own.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

#define VECTOR_CODE __attribute__((target("avx2,fma")))
#define VECTOR_WORD VECTOR_CODE static inline __attribute__((always_inline))

typedef double number;
typedef __m256d reals;
typedef __m256d doubles;
enum { WIDE = 4 };

VECTOR_WORD reals set(number value)
{
    return _mm256_set1_pd(value);
}

VECTOR_WORD reals load(const number *from)
{
    return _mm256_loadu_pd(from);
}

VECTOR_WORD void store(number *to, reals v)
{
    _mm256_storeu_pd(to, v);
}

VECTOR_WORD reals multiply_add(reals a, reals b, reals c)
{
    return _mm256_fmadd_pd(a, b, c);
}

// Indices are below 2^31.
VECTOR_WORD reals gather(const number *x, const uint32_t *indices)
{
    return _mm256_i32gather_pd(x, _mm_loadu_si128((const __m128i *)indices), 8);
}

VECTOR_WORD reals load_some(const number *from, size_t count)
{
    number lanes[WIDE] = {0};

    for (size_t i = 0; i < count; i++)
        lanes[i] = from[i];
    return load(lanes);
}

VECTOR_WORD reals gather_some(const number *x, const uint32_t *indices, size_t count)
{
    number lanes[WIDE] = {0};

    for (size_t i = 0; i < count; i++)
        lanes[i] = x[indices[i]];
    return load(lanes);
}

VECTOR_WORD number total(reals v)
{
    __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));

    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

VECTOR_WORD doubles wide_zero(void)
{
    return _mm256_setzero_pd();
}

VECTOR_WORD doubles wide_product(reals a, reals b, doubles sums)
{
    return multiply_add(a, b, sums);
}

VECTOR_WORD double wide_total(doubles v)
{
    return total(v);
}

#include "host_vector.h"

const struct sparse_code sparse_avx2_64 = {csr, sell, add, turn, dot};
#endif
