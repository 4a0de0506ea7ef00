// SPDX-License-Identifier: Apache-2.0
// Operations on vectors of floats or doubles, of KEY_BITS (simd.h), for AVX-512.
#ifndef KN_HOST_SIMD_REALS_AVX512_H
#define KN_HOST_SIMD_REALS_AVX512_H

#include "keys_avx512.h"

typedef lane_set marks; // lanes for which something is true
typedef vector tally;   // how often that was the case, a lane

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

VECTOR_OPERATION reals set_reals(real value)
{
    return REALS(set1)(value);
}

// Never true for NaN.
VECTOR_OPERATION marks less(reals a, reals b)
{
    return REALS_MASK(cmp)(a, b, _CMP_LT_OQ);
}

VECTOR_OPERATION marks are_nan(reals v)
{
    return REALS_MASK(cmp)(v, v, _CMP_UNORD_Q);
}

VECTOR_OPERATION marks both(marks a, marks b)
{
    return a & b;
}

VECTOR_OPERATION marks either(marks a, marks b)
{
    return a | b;
}

VECTOR_OPERATION lane_set marked_lanes(marks m)
{
    return m;
}

VECTOR_OPERATION void count_marks(tally *t, marks m)
{
    *t = EPI(mask_sub)(*t, m, *t, broadcast(-1));
}

// `so_far` where v is NaN.
VECTOR_OPERATION reals lesser(reals v, reals so_far)
{
    return REALS(min)(v, so_far);
}

VECTOR_OPERATION reals greater(reals v, reals so_far)
{
    return REALS(max)(v, so_far);
}

// |v - centre| of LANES elements, in double.
VECTOR_OPERATION void store_deviations(const real *from, double centre, double *to)
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

VECTOR_OPERATION reals load_reals(const real *from)
{
    return REALS(loadu)(from);
}

VECTOR_OPERATION void store_reals(real *to, reals v)
{
    REALS(storeu)(to, v);
}

// From LANES integers.
VECTOR_OPERATION reals reals_of_integers(const int32_t *from)
{
#if KEY_BITS == 64
    return _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)from));
#else
    return _mm512_cvtepi32_ps(_mm512_loadu_si512(from));
#endif
}

// Loads LANES doubles.
VECTOR_OPERATION void store_doubles(double *to, reals v)
{
#if KEY_BITS == 64
    _mm512_storeu_pd(to, v);
#else
    _mm512_storeu_pd(to, _mm512_cvtps_pd(_mm512_castps512_ps256(v)));
    _mm512_storeu_pd(to + LANES / 2, _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1)));
#endif
}

// a + b c, rounded once if the processor can.
VECTOR_OPERATION reals plus_product(reals a, reals b, reals c)
{
    return REALS(fmadd)(b, c, a);
}

// a - b c.
VECTOR_OPERATION reals less_product(reals a, reals b, reals c)
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
VECTOR_OPERATION void transpose_lanes(reals *v, const size_t step)
{
    const reals even = QUARTERS(v[0], v[step], 0x88), odd = QUARTERS(v[0], v[step], 0xdd);
    const reals even2 = QUARTERS(v[2 * step], v[3 * step], 0x88);
    const reals odd2 = QUARTERS(v[2 * step], v[3 * step], 0xdd);

    v[0] = QUARTERS(even, even2, 0x88);
    v[step] = QUARTERS(odd, odd2, 0x88);
    v[2 * step] = QUARTERS(even, even2, 0xdd);
    v[3 * step] = QUARTERS(odd, odd2, 0xdd);
}

#include "transpose.h"

// Converts to integers.
VECTOR_OPERATION reals rounded(reals v)
{
    return REALS(roundscale)(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// Loads the first `count` lanes from memory; the others are 0.
VECTOR_OPERATION reals load_first_reals(const real *from, size_t count)
{
    return REALS(maskz_loadu)((lane_set)((1U << count) - 1), from);
}

// As wide as `reals`: as many lanes, or half as many.
typedef __m512d doubles;

VECTOR_OPERATION doubles no_doubles(void)
{
    return _mm512_setzero_pd();
}

VECTOR_OPERATION double total_of_doubles(doubles v)
{
    return _mm512_reduce_add_pd(v);
}

// The sum of all lanes.
VECTOR_OPERATION real total_of_reals(reals v)
{
    return REALS(reduce_add)(v);
}

#if KEY_BITS == 64
// LANES floats as doubles.
VECTOR_OPERATION reals load_floats(const float *from)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(from));
}

// Adds each lane to one of LANES doubles.
VECTOR_OPERATION void add_to_doubles(double *to, reals v)
{
    store_reals(to, load_reals(to) + v);
}

// x[indices[i]]; indices are below 2^31.
VECTOR_OPERATION reals gather_reals(const real *x, const uint32_t *indices)
{
    return _mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)indices), x, 8);
}

// x at places from 0 on (below 2^31), between two numbers on the straight line through them.
VECTOR_OPERATION reals between_reals(const real *x, reals at)
{
    const __m256i whole = _mm512_cvttpd_epi32(at);
    const reals low = _mm512_i32gather_pd(whole, x, 8), high = _mm512_i32gather_pd(whole, x + 1, 8);

    return plus_product(low, at - _mm512_cvtepi32_pd(whole), high - low);
}

// Loads the first `count`; the other lanes are 0.
VECTOR_OPERATION reals gather_first_reals(const real *x, const uint32_t *indices, size_t count)
{
    const __mmask8 lanes = (__mmask8)((1U << count) - 1);

    return _mm512_mask_i32gather_pd(set_reals(0), lanes, _mm256_maskz_loadu_epi32(lanes, indices), x, 8);
}

// sums + a b in double, in all lanes.
VECTOR_OPERATION doubles plus_products(doubles sums, reals a, reals b)
{
    return plus_product(sums, a, b);
}
#else
VECTOR_OPERATION doubles lower_half(reals v)
{
    return _mm512_cvtps_pd(_mm512_castps512_ps256(v));
}

VECTOR_OPERATION doubles upper_half(reals v)
{
    return _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
}

VECTOR_OPERATION void add_to_doubles(double *to, reals v)
{
    const doubles low = lower_half(v), high = upper_half(v);

    _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), low));
    _mm512_storeu_pd(to + LANES / 2, _mm512_add_pd(_mm512_loadu_pd(to + LANES / 2), high));
}

VECTOR_OPERATION reals gather_reals(const real *x, const uint32_t *indices)
{
    return _mm512_i32gather_ps(_mm512_loadu_si512(indices), x, 4);
}

VECTOR_OPERATION reals between_reals(const real *x, reals at)
{
    const __m512i whole = _mm512_cvttps_epi32(at);
    const reals low = _mm512_i32gather_ps(whole, x, 4), high = _mm512_i32gather_ps(whole, x + 1, 4);

    return plus_product(low, at - _mm512_cvtepi32_ps(whole), high - low);
}

VECTOR_OPERATION reals gather_first_reals(const real *x, const uint32_t *indices, size_t count)
{
    const __mmask16 lanes = (__mmask16)((1U << count) - 1);

    return _mm512_mask_i32gather_ps(set_reals(0), lanes, _mm512_maskz_loadu_epi32(lanes, indices), x, 4);
}

VECTOR_OPERATION doubles plus_products(doubles sums, reals a, reals b)
{
    sums = _mm512_fmadd_pd(lower_half(a), lower_half(b), sums);
    return _mm512_fmadd_pd(upper_half(a), upper_half(b), sums);
}

VECTOR_OPERATION reals reals_of_keys(vector v)
{
    return _mm512_cvtepi32_ps(v);
}
#endif

#endif
