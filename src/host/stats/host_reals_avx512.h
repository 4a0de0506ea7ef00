// SPDX-License-Identifier: Apache-2.0
// The words of host_avx512.h for vectors of floats or doubles, of KEY_BITS. host_reals_avx2.h and
// host_reals_scalar.h have the same words.
#ifndef KN_HOST_STATS_HOST_REALS_AVX512_H
#define KN_HOST_STATS_HOST_REALS_AVX512_H

#include "host/host_avx512.h"

typedef lane_set marks; // lanes for which something is true
typedef vector tally;   // how often it was, a lane

#if KEY_BITS == 64
typedef double real;
typedef __m512d reals;
#define REALS(name)      _mm512_##name##_pd
#define REALS_MASK(name) _mm512_##name##_pd_mask
#define REALS_OF(v)      _mm512_castsi512_pd(v)
#define BITS_OF(v)       _mm512_castpd_si512(v)
#else
typedef float real;
typedef __m512 reals;
#define REALS(name)      _mm512_##name##_ps
#define REALS_MASK(name) _mm512_##name##_ps_mask
#define REALS_OF(v)      _mm512_castsi512_ps(v)
#define BITS_OF(v)       _mm512_castps_si512(v)
#endif

VECTOR_WORD reals set_reals(real value)
{
    return REALS(set1)(value);
}

// Never of NaN.
VECTOR_WORD marks less(reals a, reals b)
{
    return REALS_MASK(cmp)(a, b, _CMP_LT_OQ);
}

VECTOR_WORD marks are_nan(reals v)
{
    return REALS_MASK(cmp)(v, v, _CMP_UNORD_Q);
}

VECTOR_WORD marks both(marks a, marks b)
{
    return a & b;
}

VECTOR_WORD marks either(marks a, marks b)
{
    return a | b;
}

VECTOR_WORD lane_set marked_lanes(marks m)
{
    return m;
}

VECTOR_WORD void count_marks(tally *t, marks m)
{
    *t = EPI(mask_sub)(*t, m, *t, broadcast(-1));
}

// `so_far` where v is NaN.
VECTOR_WORD reals lesser(reals v, reals so_far)
{
    return REALS(min)(v, so_far);
}

VECTOR_WORD reals greater(reals v, reals so_far)
{
    return REALS(max)(v, so_far);
}

// |v - centre| of LANES elements, in double.
VECTOR_WORD void store_deviations(const real *from, double centre, double *to)
{
    const __m512d middle = _mm512_set1_pd(centre);

#if KEY_BITS == 64
    _mm512_storeu_pd(to, _mm512_abs_pd(_mm512_sub_pd(_mm512_loadu_pd(from), middle)));
#else
    for (int i = 0; i < LANES; i += 8)
        _mm512_storeu_pd(to + i,
                         _mm512_abs_pd(_mm512_sub_pd(_mm512_cvtps_pd(_mm256_loadu_ps(from + i)), middle)));
#endif
}

#endif
