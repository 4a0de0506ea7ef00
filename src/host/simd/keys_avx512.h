// SPDX-License-Identifier: Apache-2.0
// Operations on vectors of signed integers of KEY_BITS (simd.h), for AVX-512.
#ifndef KN_HOST_SIMD_KEYS_AVX512_H
#define KN_HOST_SIMD_KEYS_AVX512_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "host/host.h"

// Further extensions, ",name", that a file needs; it defines them before it includes simd.h.
#ifndef SIMD_MORE
#define SIMD_MORE ""
#endif
#define VECTOR_CODE KI_TARGET("avx512f,avx512dq,avx512bw,avx512vl,bmi,bmi2,popcnt" SIMD_MORE)
enum { REGISTERS = 32 }; // of vectors

typedef __m512i vector;

#if KEY_BITS == 64
typedef host_i64 key;
typedef __mmask8 lane_set;
enum { LANES = 8 };
#define KEY_MAX         INT64_MAX
#define EPI(name)       _mm512_##name##_epi64
#define EPI_MASK(name)  _mm512_##name##_epi64_mask
#define LANE_NUMBERS    _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0)
#define INTERLEAVE_LOW  _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0)
#define INTERLEAVE_HIGH _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4)
#else
typedef host_i32 key;
typedef __mmask16 lane_set;
enum { LANES = 16 };
#define KEY_MAX         INT32_MAX
#define EPI(name)       _mm512_##name##_epi32
#define EPI_MASK(name)  _mm512_##name##_epi32_mask
#define LANE_NUMBERS    _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define INTERLEAVE_LOW  _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0)
#define INTERLEAVE_HIGH _mm512_set_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8)
#endif

VECTOR_OPERATION lane_set first_lanes(size_t count)
{
    return (lane_set)_bzhi_u32(0xffffffffu, (unsigned)count);
}

VECTOR_OPERATION vector load(const key *from)
{
    return _mm512_loadu_si512(from);
}

// Brings a cache line near; the address need not be valid.
VECTOR_OPERATION void fetch(const key *from)
{
    _mm_prefetch((const char *)from, _MM_HINT_T0);
}

VECTOR_OPERATION void store(key *to, vector v)
{
    _mm512_storeu_si512(to, v);
}

// Loads the first `count` lanes from memory; the others are KEY_MAX.
VECTOR_OPERATION vector load_first(const key *from, size_t count)
{
    return EPI(mask_loadu)(EPI(set1)(KEY_MAX), first_lanes(count), from);
}

VECTOR_OPERATION void store_first(key *to, vector v, size_t count)
{
    EPI(mask_storeu)(to, first_lanes(count), v);
}

VECTOR_OPERATION vector broadcast(key value)
{
    return EPI(set1)(value);
}

// *low and *high become the lesser and the greater of each lane.
VECTOR_OPERATION void order(vector *low, vector *high)
{
    vector a = *low, b = *high;

    *low = EPI(min)(a, b);
    *high = EPI(max)(a, b);
}

// Lane i becomes lane i ^ distance.
VECTOR_OPERATION vector exchange(vector v, int distance)
{
    return EPI(permutexvar)(EPI(xor)(LANE_NUMBERS, EPI(set1)(distance)), v);
}

// The lesser of a and b in lanes without `bit` in their number, the greater in those with it.
VECTOR_OPERATION vector order_by_lane(vector a, vector b, int bit)
{
    return EPI(mask_max)(EPI(min)(a, b), EPI_MASK(test)(LANE_NUMBERS, EPI(set1)(bit)), a, b);
}

// a0 b0 a1 b1 ...: *a becomes the first half of it, *b the second.
VECTOR_OPERATION void interleave(vector *a, vector *b)
{
    vector low = EPI(permutex2var)(*a, INTERLEAVE_LOW, *b);

    *b = EPI(permutex2var)(*a, INTERLEAVE_HIGH, *b);
    *a = low;
}

// Writes keys up to the threshold from `left` on, greater ones before `right`; returns how many went left.
// There must be room for a whole vector at both positions.
VECTOR_OPERATION size_t divide(vector v, vector threshold, key *left, key *right)
{
    lane_set greater = EPI_MASK(cmpgt)(v, threshold);
    size_t count = (size_t)__builtin_popcount(greater);

    store(left, EPI(maskz_compress)((lane_set)~greater, v));
    store_first(right - count, EPI(maskz_compress)(greater, v), count);
    return LANES - count;
}

VECTOR_OPERATION lane_set greater_lanes(vector a, vector b)
{
    return EPI_MASK(cmpgt)(a, b);
}

VECTOR_OPERATION lane_set first_lane_set(size_t count)
{
    return first_lanes(count);
}

VECTOR_OPERATION size_t count_lanes(lane_set lanes)
{
    return (size_t)__builtin_popcount(lanes);
}

// Writes these lanes to memory, one after the other; whatever follows there may be overwritten, up to a whole
// vector.
VECTOR_OPERATION void keep_lanes(vector v, lane_set lanes, key *to)
{
    store(to, EPI(maskz_compress)(lanes, v));
}

VECTOR_OPERATION vector encode(vector v, const struct host_codec *codec)
{
    v = EPI(xor)(v, broadcast((key)codec->before));
    v = EPI(xor)(v, EPI(and)(EPI(srai)(v, KEY_BITS - 1), broadcast((key)codec->negative)));
    return EPI(xor)(EPI(sub)(v, broadcast((key)codec->bias)), broadcast((key)codec->after));
}

VECTOR_OPERATION vector decode(vector v, const struct host_codec *codec)
{
    v = EPI(add)(EPI(xor)(v, broadcast((key)codec->after)), broadcast((key)codec->bias));
    v = EPI(xor)(v, EPI(and)(EPI(srai)(v, KEY_BITS - 1), broadcast((key)codec->negative)));
    return EPI(xor)(v, broadcast((key)codec->before));
}

#if KEY_BITS == 32
// Modulo 2^32.
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
