// SPDX-License-Identifier: Apache-2.0
// The sums of sum_host.h in double precision with AVX2 and FMA.
#include "sum_host.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

#define VECTOR_CODE __attribute__((target("avx2,fma")))
#define VECTOR_WORD VECTOR_CODE static inline __attribute__((always_inline))

typedef __m256d reals;
typedef double number;
enum { WIDE = 4, AT_A_TIME = 2 };
#define SINE   SUM_SINE_DOUBLE
#define COSINE SUM_COSINE_DOUBLE

VECTOR_WORD reals set(number value)
{
    return _mm256_set1_pd(value);
}

VECTOR_WORD reals load(const number *from)
{
    return _mm256_loadu_pd(from);
}

VECTOR_WORD reals add(reals a, reals b)
{
    return _mm256_add_pd(a, b);
}

VECTOR_WORD reals subtract(reals a, reals b)
{
    return _mm256_sub_pd(a, b);
}

VECTOR_WORD reals multiply(reals a, reals b)
{
    return _mm256_mul_pd(a, b);
}

VECTOR_WORD reals multiply_add(reals a, reals b, reals c)
{
    return _mm256_fmadd_pd(a, b, c);
}

// c - a b.
VECTOR_WORD reals subtract_product(reals a, reals b, reals c)
{
    return _mm256_fnmadd_pd(a, b, c);
}

VECTOR_WORD reals rounded(reals a)
{
    return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

VECTOR_WORD void add_to(double *to, reals v)
{
    _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), v));
}

#include "sum_host_vector.h"

VECTOR_CODE void sum_double_avx2(const struct sum_samples *samples, const number *const places[3], double *re,
                                 double *im)
{
    add_block(samples, places, re, im);
}
#endif
