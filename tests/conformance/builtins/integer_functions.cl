// SPDX-License-Identifier: Apache-2.0
// 6.12.3 Integer functions: each for char to ulong, on scalars and on all widths.
#include "widths.clh"

#define UNARY(W, N, f)      PUT(W, N, f(X(W)))
#define BINARY(W, N, f)     PUT(W, N, f(X(W), Y(W)))
#define TERNARY(W, N, f)    PUT(W, N, f(X(W), Y(W), Z(W)))
#define WITH_SCALAR(W, N, f) PUT(W, N, f(X(W), *y))
#define CLAMP(W, N, f)      PUT(W, N, f(X(W), min(Y(W), Z(W)), max(Y(W), Z(W))))
#define CLAMP_SCALAR(W, N, f) PUT(W, N, f(X(W), min(*y, *z), max(*y, *z)))

#define FUNCTIONS(T, U)                                                                                      \
    __kernel void saturating_##T(__global const uint *in, __global uint *out)                                \
    {                                                                                                        \
        BEGIN(T, T);                                                                                         \
        EACH_WIDTH(BINARY, add_sat)                                                                          \
        EACH_WIDTH(BINARY, sub_sat)                                                                          \
    }                                                                                                        \
    __kernel void mad_sat_##T(__global const uint *in, __global uint *out)                                   \
    {                                                                                                        \
        BEGIN(T, T);                                                                                         \
        EACH_WIDTH(TERNARY, mad_sat)                                                                         \
    }                                                                                                        \
    __kernel void products_##T(__global const uint *in, __global uint *out)                                  \
    {                                                                                                        \
        BEGIN(T, T);                                                                                         \
        EACH_WIDTH(BINARY, mul_hi)                                                                           \
        EACH_WIDTH(TERNARY, mad_hi)                                                                          \
    }                                                                                                        \
    __kernel void differences_##T(__global const uint *in, __global uint *out)                               \
    {                                                                                                        \
        BEGIN(T, U);                                                                                         \
        EACH_WIDTH(UNARY, abs)                                                                               \
        EACH_WIDTH(BINARY, abs_diff)                                                                         \
    }                                                                                                        \
    __kernel void bits_##T(__global const uint *in, __global uint *out)                                      \
    {                                                                                                        \
        BEGIN(T, T);                                                                                         \
        EACH_WIDTH(UNARY, clz)                                                                               \
        EACH_WIDTH(UNARY, popcount)                                                                          \
        EACH_WIDTH(BINARY, hadd)                                                                             \
        EACH_WIDTH(BINARY, rhadd)                                                                            \
        EACH_WIDTH(BINARY, rotate)                                                                           \
    }                                                                                                        \
    __kernel void ranges_##T(__global const uint *in, __global uint *out)                                    \
    {                                                                                                        \
        BEGIN(T, T);                                                                                         \
        EACH_WIDTH(BINARY, min)                                                                              \
        EACH_WIDTH(BINARY, max)                                                                              \
        EACH_WIDTH(WITH_SCALAR, min)                                                                         \
        EACH_WIDTH(WITH_SCALAR, max)                                                                         \
        EACH_WIDTH(CLAMP, clamp)                                                                             \
        EACH_WIDTH(CLAMP_SCALAR, clamp)                                                                      \
    }
FUNCTIONS(char, uchar)
FUNCTIONS(uchar, uchar)
FUNCTIONS(short, ushort)
FUNCTIONS(ushort, ushort)
FUNCTIONS(int, uint)
FUNCTIONS(uint, uint)
FUNCTIONS(long, ulong)
FUNCTIONS(ulong, ulong)

// The low half is always unsigned.
#define UPSAMPLE(W, N, U) PUT(W, N, upsample(X(W), vload##W(0, (__global const U *)y)))
#define UPSAMPLING(T, U, R)                                                                                  \
    __kernel void upsampling_##T(__global const uint *in, __global uint *out)                                \
    {                                                                                                        \
        BEGIN(T, R);                                                                                         \
        EACH_WIDTH(UPSAMPLE, U)                                                                              \
    }
UPSAMPLING(char, uchar, short)
UPSAMPLING(uchar, uchar, ushort)
UPSAMPLING(short, ushort, int)
UPSAMPLING(ushort, ushort, uint)
UPSAMPLING(int, uint, long)
UPSAMPLING(uint, uint, ulong)

// Operands of 24 bits: what others give is the implementation's choice. The shift keeps the sign.
#define MUL24(W, N, f) PUT(W, N, f(X(W) >> 8, Y(W) >> 8))
#define MAD24(W, N, f) PUT(W, N, f(X(W) >> 8, Y(W) >> 8, Z(W)))
#define FAST(T)                                                                                              \
    __kernel void fast_##T(__global const uint *in, __global uint *out)                                      \
    {                                                                                                        \
        BEGIN(T, T);                                                                                         \
        EACH_WIDTH(MUL24, mul24)                                                                             \
        EACH_WIDTH(MAD24, mad24)                                                                             \
    }
FAST(int)
FAST(uint)
