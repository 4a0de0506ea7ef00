// SPDX-License-Identifier: Apache-2.0
// 6.12.6 Relational functions: the tests of floats and doubles give 1 on scalars, -1 of as many bits on vectors.
#include "widths.clh"
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// Pairs of any numbers, in every sixth a NaN, an infinity, a zero, equals: by address, as any scalar and any
// width read them.
#define OPERANDS(T, I)                                                                                       \
    T first[16], second[16];                                                                                 \
    for (int i = 0; i < 16; i++) {                                                                           \
        T special[] = {x[i], NAN, -INFINITY, -0.0f, 1, as_##T((I)1), y[i]};                                  \
        first[i] = special[(item + i) % 7];                                                                  \
        second[i] = special[(item / 7 + i) % 7];                                                             \
    }

#define ONE(W, N, f) PUT(W, N, f(vload##W(0, first)))
#define TWO(W, N, f) PUT(W, N, f(vload##W(0, first), vload##W(0, second)))

#define TESTS(T, I)                                                                                          \
    __kernel void orders_##T(__global const uint *in, __global uint *out)                                    \
    {                                                                                                        \
        BEGIN(T, I);                                                                                         \
        OPERANDS(T, I);                                                                                      \
        EACH_WIDTH(TWO, isequal)                                                                             \
        EACH_WIDTH(TWO, isnotequal)                                                                          \
        EACH_WIDTH(TWO, isgreater)                                                                           \
        EACH_WIDTH(TWO, isgreaterequal)                                                                      \
        EACH_WIDTH(TWO, isless)                                                                              \
    }                                                                                                        \
    __kernel void pairs_##T(__global const uint *in, __global uint *out)                                     \
    {                                                                                                        \
        BEGIN(T, I);                                                                                         \
        OPERANDS(T, I);                                                                                      \
        EACH_WIDTH(TWO, islessequal)                                                                         \
        EACH_WIDTH(TWO, islessgreater)                                                                       \
        EACH_WIDTH(TWO, isordered)                                                                           \
        EACH_WIDTH(TWO, isunordered)                                                                         \
    }                                                                                                        \
    __kernel void classes_##T(__global const uint *in, __global uint *out)                                   \
    {                                                                                                        \
        BEGIN(T, I);                                                                                         \
        OPERANDS(T, I);                                                                                      \
        EACH_WIDTH(ONE, isfinite)                                                                            \
        EACH_WIDTH(ONE, isinf)                                                                               \
        EACH_WIDTH(ONE, isnan)                                                                               \
        EACH_WIDTH(ONE, isnormal)                                                                            \
        EACH_WIDTH(ONE, signbit)                                                                             \
        *to++ = sizeof(isnan(*x)) * 100 + sizeof(isequal((T##2)(*x), (T##2)(*y)));                           \
    }
TESTS(float, int)
#ifdef cl_khr_fp64
TESTS(double, long)
#endif
