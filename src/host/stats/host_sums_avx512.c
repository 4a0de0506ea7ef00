// SPDX-License-Identifier: Apache-2.0
// Sums with AVX-512.
#include "host_sums.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

#define VECTOR_CODE __attribute__((target("avx512f")))
#define VECTOR_WORD VECTOR_CODE static inline __attribute__((always_inline))

typedef __m512d reals;
enum { WIDE = 8, AT_A_TIME = 8, AHEAD = 1024 };

VECTOR_WORD reals load_doubles(const double *from)
{
    return _mm512_loadu_pd(from);
}

VECTOR_WORD reals load_floats(const float *from)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(from));
}

VECTOR_WORD reals set(double value)
{
    return _mm512_set1_pd(value);
}

VECTOR_WORD reals add(reals a, reals b)
{
    return _mm512_add_pd(a, b);
}

VECTOR_WORD reals subtract(reals a, reals b)
{
    return _mm512_sub_pd(a, b);
}

VECTOR_WORD reals multiply_add(reals a, reals b, reals c)
{
    return _mm512_fmadd_pd(a, b, c);
}

VECTOR_WORD void store(double *to, reals v)
{
    _mm512_storeu_pd(to, v);
}

VECTOR_WORD void fetch(const char *from)
{
    _mm_prefetch(from, _MM_HINT_T0);
}

#include "host_sums_vector.h"

VECTOR_CODE void host_leaf_avx512(const void *x, bool single, double shift, bool wants_squares, double sums[HOST_LANES],
                              double squares[HOST_LANES])
{
    add_leaf(x, single, shift, wants_squares, sums, squares);
}
#endif
