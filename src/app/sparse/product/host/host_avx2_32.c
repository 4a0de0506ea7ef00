// SPDX-License-Identifier: Apache-2.0
// The loops of host_own.h in single precision with AVX2 and FMA.
#include "host_own.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

#define VECTOR_CODE __attribute__((target("avx2,fma")))
#define VECTOR_WORD VECTOR_CODE static inline __attribute__((always_inline))

typedef float number;
typedef __m256 reals;
typedef __m256d doubles;
enum { WIDE = 8 };

VECTOR_WORD reals set(number value)
{
    return _mm256_set1_ps(value);
}

VECTOR_WORD reals load(const number *from)
{
    return _mm256_loadu_ps(from);
}

VECTOR_WORD void store(number *to, reals v)
{
    _mm256_storeu_ps(to, v);
}

VECTOR_WORD reals multiply_add(reals a, reals b, reals c)
{
    return _mm256_fmadd_ps(a, b, c);
}

// Indices are below 2^31.
VECTOR_WORD reals gather(const number *x, const uint32_t *indices)
{
    return _mm256_i32gather_ps(x, _mm256_loadu_si256((const __m256i *)indices), 4);
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
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

VECTOR_WORD doubles wide_zero(void)
{
    return _mm256_setzero_pd();
}

VECTOR_WORD doubles wide_product(reals a, reals b, doubles sums)
{
    sums = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(a)),
                           _mm256_cvtps_pd(_mm256_castps256_ps128(b)), sums);
    return _mm256_fmadd_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)),
                           _mm256_cvtps_pd(_mm256_extractf128_ps(b, 1)), sums);
}

VECTOR_WORD double wide_total(doubles v)
{
    __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));

    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

#include "host_vector.h"

const struct sparse_code sparse_avx2_32 = {csr, sell, add, turn, dot};
#endif
