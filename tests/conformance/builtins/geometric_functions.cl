// SPDX-License-Identifier: Apache-2.0
// 6.12.5 Geometric functions, on scalars and 2, 3 and 4 elements.
//
// The section has no bounds; these follow from those of what the functions are made of, u being half an ulp.
// dot and cross of small whole numbers are exact in any order, contracted or not: bits, with all signs. dot of n
// positive numbers has n roundings on the way of every product: n u. length adds a square root (correctly rounded
// or 3 ulp, 7.4) and a scaling against overflow (2 u on the way in, as it is squared, and u on the way out):
// half of n + 4 roundings, 3 ulp, u: under n / 4 + 5 ulp, 6 for n = 4; distance has one more rounding, of the
// difference: 7. normalize divides by it (2.5 ulp, 7.4) or multiplies by a reciprocal square root (2 ulp and u):
// under 9. So two right answers differ by at most twice that. fast_length, fast_distance and fast_normalize
// use half_sqrt and half_rsqrt, of 8192 ulp, which twice is 16384 and the rounding above.
#include "widths.clh"
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define UP_TO_4(F, T) F(, 1, T) F(2, 2, T) F(3, 3, T) F(4, 4, T)

// From -100 to 100, and from 1 to 128 with all bits of a float.
#define WHOLE(T, W, x)    convert_##T##W(vload##W(0, x) % 101)
#define POSITIVE(T, W, x) (fabs(convert_##T##W(vload##W(0, x))) * (T)0x1p-25 + 1)

#define DOT(W, N, T)      *to++ = dot(WHOLE(T, W, x), WHOLE(T, W, y));
#define DOT_UP(W, N, T)   *to++ = dot(POSITIVE(T, W, x), POSITIVE(T, W, y));
#define LENGTH(W, N, T)   *to++ = length(POSITIVE(T, W, x));
#define DISTANCE(W, N, T) *to++ = distance(POSITIVE(T, W, x), -POSITIVE(T, W, y));
#define NORMAL(W, N, T)   PUT(W, N, normalize(POSITIVE(T, W, x)))

#define FUNCTIONS(T)                                                                                         \
    __kernel void whole_##T(__global const uint *in, __global T *out)                                        \
    {                                                                                                        \
        BEGIN(int, T);                                                                                       \
        UP_TO_4(DOT, T)                                                                                      \
        PUT(3, 3, cross(WHOLE(T, 3, x), WHOLE(T, 3, y)))                                                     \
        PUT(4, 4, cross(WHOLE(T, 4, x), WHOLE(T, 4, y)))                                                     \
    }                                                                                                        \
    __kernel void products_##T##_ulp4(__global const uint *in, __global T *out)                              \
    {                                                                                                        \
        BEGIN(int, T);                                                                                       \
        UP_TO_4(DOT_UP, T)                                                                                   \
    }                                                                                                        \
    __kernel void lengths_##T##_ulp12(__global const uint *in, __global T *out)                              \
    {                                                                                                        \
        BEGIN(int, T);                                                                                       \
        UP_TO_4(LENGTH, T)                                                                                   \
        *to++ = length((T##4)(T)HUGE * WHOLE(T, 4, y));                                                      \
        *to++ = length((T##3)(T)TINY * WHOLE(T, 3, y));                                                      \
    }                                                                                                        \
    __kernel void distances_##T##_ulp14(__global const uint *in, __global T *out)                            \
    {                                                                                                        \
        BEGIN(int, T);                                                                                       \
        UP_TO_4(DISTANCE, T)                                                                                 \
    }                                                                                                        \
    __kernel void normals_##T##_ulp18(__global const uint *in, __global T *out)                              \
    {                                                                                                        \
        BEGIN(int, T);                                                                                       \
        UP_TO_4(NORMAL, T)                                                                                   \
        PUT(4, 4, normalize((T##4)(T)HUGE * WHOLE(T, 4, y)))                                                 \
        PUT(2, 2, normalize((T##2)(T)TINY * WHOLE(T, 2, y)))                                                 \
    }

// Squares of what is multiplied by these leave the range.
#define HUGE 0x1p+80f
#define TINY 0x1p-80f
FUNCTIONS(float)

#define FAST_LENGTH(W, N, T)   *to++ = fast_length(POSITIVE(T, W, x));
#define FAST_DISTANCE(W, N, T) *to++ = fast_distance(POSITIVE(T, W, x), -POSITIVE(T, W, y));
#define FAST_NORMAL(W, N, T)   PUT(W, N, fast_normalize(POSITIVE(T, W, x)))

__kernel void fast_ulp16400(__global const uint *in, __global float *out)
{
    BEGIN(int, float);
    UP_TO_4(FAST_LENGTH, float)
    UP_TO_4(FAST_DISTANCE, float)
    UP_TO_4(FAST_NORMAL, float)
}

#ifdef cl_khr_fp64
#undef HUGE
#undef TINY
#define HUGE 0x1p+600
#define TINY 0x1p-600
FUNCTIONS(double)
#endif
