// SPDX-License-Identifier: Apache-2.0
// The operations of keys_avx512.h in plain C: vectors of one lane. No branch depends on a key.
#ifndef KN_HOST_SIMD_KEYS_SCALAR_H
#define KN_HOST_SIMD_KEYS_SCALAR_H

#include <stddef.h>
#include <stdint.h>

#include "host/host.h"

#define VECTOR_CODE
enum { REGISTERS = 16 };

#if KEY_BITS == 64
typedef host_i64 key;
typedef uint64_t key_bits;
#define KEY_MAX INT64_MAX
#else
typedef host_i32 key;
typedef uint32_t key_bits;
#define KEY_MAX INT32_MAX
#endif
typedef key vector;
typedef unsigned lane_set;
enum { LANES = 1 };

VECTOR_OPERATION vector load(const key *from)
{
    return *from;
}

VECTOR_OPERATION void fetch(const key *from)
{
    (void)from;
}

VECTOR_OPERATION void store(key *to, vector v)
{
    *to = v;
}

VECTOR_OPERATION vector load_first(const key *from, size_t count)
{
    return count ? *from : KEY_MAX;
}

VECTOR_OPERATION void store_first(key *to, vector v, size_t count)
{
    if (count)
        *to = v;
}

VECTOR_OPERATION vector broadcast(key value)
{
    return value;
}

VECTOR_OPERATION void order(vector *low, vector *high)
{
    vector a = *low, b = *high;

    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

VECTOR_OPERATION vector exchange(vector v, int distance)
{
    (void)distance;
    return v;
}

VECTOR_OPERATION vector order_by_lane(vector a, vector b, int bit)
{
    (void)bit;
    return a < b ? a : b;
}

VECTOR_OPERATION void interleave(vector *a, vector *b)
{
    (void)a;
    (void)b;
}

VECTOR_OPERATION size_t divide(vector v, vector threshold, key *left, key *right)
{
    *left = v;
    right[-1] = v;
    return v <= threshold;
}

#if KEY_BITS == 32
VECTOR_OPERATION vector sum_of_keys(vector a, vector b)
{
    return (vector)((key_bits)a + (key_bits)b);
}

VECTOR_OPERATION vector product_of_keys(vector a, vector b)
{
    return (vector)((key_bits)a * (key_bits)b);
}
#endif

VECTOR_OPERATION lane_set greater_lanes(vector a, vector b)
{
    return a > b;
}

VECTOR_OPERATION lane_set first_lane_set(size_t count)
{
    return count > 0;
}

VECTOR_OPERATION size_t count_lanes(lane_set lanes)
{
    return lanes;
}

VECTOR_OPERATION void keep_lanes(vector v, lane_set lanes, key *to)
{
    (void)lanes;
    *to = v;
}

VECTOR_OPERATION vector encode(vector v, const struct host_codec *codec)
{
    v ^= (key)codec->before;
    v ^= v < 0 ? (key)codec->negative : 0;
    return (key)((key_bits)v - (key_bits)codec->bias) ^ (key)codec->after;
}

VECTOR_OPERATION vector decode(vector v, const struct host_codec *codec)
{
    v = (key)((key_bits)(v ^ (key)codec->after) + (key_bits)codec->bias);
    v ^= v < 0 ? (key)codec->negative : 0;
    return v ^ (key)codec->before;
}

#endif
