// SPDX-License-Identifier: Apache-2.0
// The operations of reals_avx512.h for AVX2.
#ifndef KN_HOST_SIMD_REALS_AVX2_H
#define KN_HOST_SIMD_REALS_AVX2_H

#include "keys_avx2.h"

typedef vector tally;

#if KEY_BITS == 64
typedef double real;
typedef __m256d reals;
#define REALS(name) _mm256_##name##_pd
#define REALS_OF(v) _mm256_castsi256_pd(v)
#define BITS_OF(v)  _mm256_castpd_si256(v)
#else
typedef float real;
typedef __m256 reals;
#define REALS(name) _mm256_##name##_ps
#define REALS_OF(v) _mm256_castsi256_ps(v)
#define BITS_OF(v)  _mm256_castps_si256(v)
#endif
typedef reals marks; // all ones, or nothing

VECTOR_OPERATION reals set_reals(real value)
{
    return REALS(set1)(value);
}

VECTOR_OPERATION marks less(reals a, reals b)
{
    return REALS(cmp)(a, b, _CMP_LT_OQ);
}

VECTOR_OPERATION marks are_nan(reals v)
{
    return REALS(cmp)(v, v, _CMP_UNORD_Q);
}

VECTOR_OPERATION marks both(marks a, marks b)
{
    return REALS(and)(a, b);
}

VECTOR_OPERATION marks either(marks a, marks b)
{
    return REALS(or)(a, b);
}

VECTOR_OPERATION lane_set marked_lanes(marks m)
{
    return (lane_set)_mm256_movemask_ps(_mm256_castsi256_ps(BITS_OF(m)));
}

VECTOR_OPERATION void count_marks(tally *t, marks m)
{
    *t = EPI(sub)(*t, BITS_OF(m));
}

VECTOR_OPERATION reals lesser(reals v, reals so_far)
{
    return REALS(min)(v, so_far);
}

VECTOR_OPERATION reals greater(reals v, reals so_far)
{
    return REALS(max)(v, so_far);
}

VECTOR_OPERATION void store_deviations(const real *from, double centre, double *to)
{
    const __m256d middle = _mm256_set1_pd(centre), sign = _mm256_set1_pd(-0.0);

#if KEY_BITS == 64
    _mm256_storeu_pd(to, _mm256_andnot_pd(sign, _mm256_sub_pd(_mm256_loadu_pd(from), middle)));
#else
    for (int i = 0; i < LANES; i += 4)
        _mm256_storeu_pd(
            to + i, _mm256_andnot_pd(sign, _mm256_sub_pd(_mm256_cvtps_pd(_mm_loadu_ps(from + i)), middle)));
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

VECTOR_OPERATION reals reals_of_integers(const int32_t *from)
{
#if KEY_BITS == 64
    return _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)from));
#else
    return _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)from));
#endif
}

VECTOR_OPERATION void store_doubles(double *to, reals v)
{
#if KEY_BITS == 64
    _mm256_storeu_pd(to, v);
#else
    _mm256_storeu_pd(to, _mm256_cvtps_pd(_mm256_castps256_ps128(v)));
    _mm256_storeu_pd(to + LANES / 2, _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
#endif
}

VECTOR_OPERATION reals plus_product(reals a, reals b, reals c)
{
    return REALS(fmadd)(b, c, a);
}

VECTOR_OPERATION reals less_product(reals a, reals b, reals c)
{
    return REALS(fnmadd)(b, c, a);
}

#define AS_DOUBLES(v)   _mm256_castps_pd(v)
#define FROM_DOUBLES(v) _mm256_castpd_ps(v)
#define DOUBLES(name)   _mm256_##name##_pd

// The two halves of v[0] and v[step].
VECTOR_OPERATION void transpose_lanes(reals *v, const size_t step)
{
    const reals a = v[0], b = v[step];

    v[0] = REALS(permute2f128)(a, b, 0x20);
    v[step] = REALS(permute2f128)(a, b, 0x31);
}

#include "transpose.h"

VECTOR_OPERATION reals rounded(reals v)
{
    return REALS(round)(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

VECTOR_OPERATION reals load_first_reals(const real *from, size_t count)
{
    real lanes[LANES] = {0};

    for (size_t i = 0; i < count; i++)
        lanes[i] = from[i];
    return load_reals(lanes);
}

VECTOR_OPERATION reals gather_first_reals(const real *x, const uint32_t *indices, size_t count)
{
    real lanes[LANES] = {0};

    for (size_t i = 0; i < count; i++)
        lanes[i] = x[indices[i]];
    return load_reals(lanes);
}

typedef __m256d doubles;

VECTOR_OPERATION doubles no_doubles(void)
{
    return _mm256_setzero_pd();
}

VECTOR_OPERATION double total_of_doubles(doubles v)
{
    __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));

    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

#if KEY_BITS == 64
VECTOR_OPERATION reals load_floats(const float *from)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(from));
}

VECTOR_OPERATION void add_to_doubles(double *to, reals v)
{
    store_reals(to, load_reals(to) + v);
}

VECTOR_OPERATION reals gather_reals(const real *x, const uint32_t *indices)
{
    return _mm256_i32gather_pd(x, _mm_loadu_si128((const __m128i *)indices), 8);
}

VECTOR_OPERATION reals between_reals(const real *x, reals at)
{
    const __m128i whole = _mm256_cvttpd_epi32(at);
    const reals low = _mm256_i32gather_pd(x, whole, 8), high = _mm256_i32gather_pd(x + 1, whole, 8);

    return plus_product(low, at - _mm256_cvtepi32_pd(whole), high - low);
}

VECTOR_OPERATION real total_of_reals(reals v)
{
    return total_of_doubles(v);
}

VECTOR_OPERATION doubles plus_products(doubles sums, reals a, reals b)
{
    return plus_product(sums, a, b);
}
#else
VECTOR_OPERATION doubles lower_half(reals v)
{
    return _mm256_cvtps_pd(_mm256_castps256_ps128(v));
}

VECTOR_OPERATION doubles upper_half(reals v)
{
    return _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));
}

VECTOR_OPERATION void add_to_doubles(double *to, reals v)
{
    const doubles low = lower_half(v), high = upper_half(v);

    _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), low));
    _mm256_storeu_pd(to + LANES / 2, _mm256_add_pd(_mm256_loadu_pd(to + LANES / 2), high));
}

VECTOR_OPERATION reals gather_reals(const real *x, const uint32_t *indices)
{
    return _mm256_i32gather_ps(x, _mm256_loadu_si256((const __m256i *)indices), 4);
}

VECTOR_OPERATION reals between_reals(const real *x, reals at)
{
    const __m256i whole = _mm256_cvttps_epi32(at);
    const reals low = _mm256_i32gather_ps(x, whole, 4), high = _mm256_i32gather_ps(x + 1, whole, 4);

    return plus_product(low, at - _mm256_cvtepi32_ps(whole), high - low);
}

VECTOR_OPERATION real total_of_reals(reals v)
{
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

VECTOR_OPERATION doubles plus_products(doubles sums, reals a, reals b)
{
    sums = _mm256_fmadd_pd(lower_half(a), lower_half(b), sums);
    return _mm256_fmadd_pd(upper_half(a), upper_half(b), sums);
}

VECTOR_OPERATION reals reals_of_keys(vector v)
{
    return _mm256_cvtepi32_ps(v);
}
#endif

#endif
