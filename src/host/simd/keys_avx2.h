// SPDX-License-Identifier: Apache-2.0
// The operations of keys_avx512.h for AVX2.
#ifndef KN_HOST_SIMD_KEYS_AVX2_H
#define KN_HOST_SIMD_KEYS_AVX2_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "host/host.h"

#define VECTOR_CODE KI_TARGET("avx2,fma,bmi,bmi2,popcnt")
enum { REGISTERS = 16 };

typedef __m256i vector;
typedef unsigned lane_set; // one bit for every 32 bits

#if KEY_BITS == 64
typedef host_i64 key;
typedef long long stored_key; // the type that the intrinsics expect
enum { LANES = 4 };
#define KEY_MAX      INT64_MAX
#define EPI(name)    _mm256_##name##_epi64
#define BROADCAST    _mm256_set1_epi64x
#define LANE_NUMBERS _mm256_set_epi64x(3, 2, 1, 0)
#else
typedef host_i32 key;
typedef int stored_key;
enum { LANES = 8 };
#define KEY_MAX      INT32_MAX
#define EPI(name)    _mm256_##name##_epi32
#define BROADCAST    _mm256_set1_epi32
#define LANE_NUMBERS _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0)
#endif

enum { LANE_PARTS = KEY_BITS / 32 }; // of 32 bits, in a lane

VECTOR_OPERATION vector first_lanes(size_t count)
{
    return EPI(cmpgt)(BROADCAST((key)count), LANE_NUMBERS);
}

VECTOR_OPERATION vector load(const key *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

VECTOR_OPERATION void fetch(const key *from)
{
    _mm_prefetch((const char *)from, _MM_HINT_T0);
}

VECTOR_OPERATION void store(key *to, vector v)
{
    _mm256_storeu_si256((__m256i *)to, v);
}

VECTOR_OPERATION vector load_first(const key *from, size_t count)
{
    vector mask = first_lanes(count);

    return _mm256_blendv_epi8(BROADCAST(KEY_MAX), EPI(maskload)((const stored_key *)from, mask), mask);
}

VECTOR_OPERATION void store_first(key *to, vector v, size_t count)
{
    EPI(maskstore)((stored_key *)to, first_lanes(count), v);
}

VECTOR_OPERATION vector broadcast(key value)
{
    return BROADCAST(value);
}

VECTOR_OPERATION void order(vector *low, vector *high)
{
    vector a = *low, b = *high;
#if KEY_BITS == 64
    vector greater = EPI(cmpgt)(a, b);

    *low = _mm256_blendv_epi8(a, b, greater);
    *high = _mm256_blendv_epi8(b, a, greater);
#else
    *low = EPI(min)(a, b);
    *high = EPI(max)(a, b);
#endif
}

VECTOR_OPERATION vector exchange(vector v, int distance)
{
    const vector parts = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);

    return _mm256_permutevar8x32_epi32(v, _mm256_xor_si256(parts, _mm256_set1_epi32(distance * LANE_PARTS)));
}

VECTOR_OPERATION vector order_by_lane(vector a, vector b, int bit)
{
    vector greater = EPI(cmpgt)(_mm256_and_si256(LANE_NUMBERS, BROADCAST(bit)), _mm256_setzero_si256());

    order(&a, &b);
    return _mm256_blendv_epi8(a, b, greater);
}

VECTOR_OPERATION void interleave(vector *a, vector *b)
{
    vector low = EPI(unpacklo)(*a, *b), high = EPI(unpackhi)(*a, *b);

    *a = _mm256_permute2x128_si256(low, high, 0x20);
    *b = _mm256_permute2x128_si256(low, high, 0x31);
}

// For every set of 8 parts of 32 bits: their numbers, a byte each, those outside the set first.
#define PARTS_BELOW(set, i) __builtin_popcount((set) & ((1 << (i)) - 1))
#define POSITION(set, i)                                                                                     \
    ((set) >> (i)&1 ? 8 - __builtin_popcount(set) + PARTS_BELOW(set, i) : (i)-PARTS_BELOW(set, i))
#define PLACED(set, i) (uint64_t)(i) << 8 * POSITION(set, i)
#define ORDER(set)                                                                                           \
    (PLACED(set, 1) | PLACED(set, 2) | PLACED(set, 3) | PLACED(set, 4) | PLACED(set, 5) | PLACED(set, 6) |   \
     PLACED(set, 7))
#define ORDERS_4(set)  ORDER(set), ORDER((set) + 1), ORDER((set) + 2), ORDER((set) + 3)
#define ORDERS_16(set) ORDERS_4(set), ORDERS_4((set) + 4), ORDERS_4((set) + 8), ORDERS_4((set) + 12)
#define ORDERS_64(set) ORDERS_16(set), ORDERS_16((set) + 16), ORDERS_16((set) + 32), ORDERS_16((set) + 48)
static const uint64_t orders[256] = {ORDERS_64(0), ORDERS_64(64), ORDERS_64(128), ORDERS_64(192)};

VECTOR_OPERATION lane_set greater_lanes(vector a, vector b)
{
    return (lane_set)_mm256_movemask_ps(_mm256_castsi256_ps(EPI(cmpgt)(a, b)));
}

VECTOR_OPERATION lane_set first_lane_set(size_t count)
{
    return (lane_set)((1u << count * LANE_PARTS) - 1);
}

VECTOR_OPERATION size_t count_lanes(lane_set lanes)
{
    return (size_t)__builtin_popcount(lanes) / LANE_PARTS;
}

// Lanes outside the set first, then those in it.
VECTOR_OPERATION vector put_last(vector v, lane_set lanes)
{
    return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)orders[lanes])));
}

VECTOR_OPERATION size_t divide(vector v, vector threshold, key *left, key *right)
{
    lane_set greater = greater_lanes(v, threshold);
    vector divided = put_last(v, greater);

    store(left, divided);
    store(right - LANES, divided);
    return LANES - count_lanes(greater);
}

VECTOR_OPERATION void keep_lanes(vector v, lane_set lanes, key *to)
{
    store(to, put_last(v, ~lanes & 0xff));
}

// All ones in lanes below 0.
VECTOR_OPERATION vector signs(vector v)
{
    return EPI(cmpgt)(_mm256_setzero_si256(), v);
}

VECTOR_OPERATION vector encode(vector v, const struct host_codec *codec)
{
    v = _mm256_xor_si256(v, broadcast((key)codec->before));
    v = _mm256_xor_si256(v, _mm256_and_si256(signs(v), broadcast((key)codec->negative)));
    return _mm256_xor_si256(EPI(sub)(v, broadcast((key)codec->bias)), broadcast((key)codec->after));
}

VECTOR_OPERATION vector decode(vector v, const struct host_codec *codec)
{
    v = EPI(add)(_mm256_xor_si256(v, broadcast((key)codec->after)), broadcast((key)codec->bias));
    v = _mm256_xor_si256(v, _mm256_and_si256(signs(v), broadcast((key)codec->negative)));
    return _mm256_xor_si256(v, broadcast((key)codec->before));
}

#if KEY_BITS == 32
VECTOR_OPERATION vector sum_of_keys(vector a, vector b)
{
    return EPI(add)(a, b);
}

VECTOR_OPERATION vector product_of_keys(vector a, vector b)
{
    return EPI(mullo)(a, b);
}
#endif

#endif
