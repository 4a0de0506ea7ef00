// SPDX-License-Identifier: Apache-2.0
// 6.12.12 shuffle, shuffle2 and vec_step: every element type, every two widths; a mask counts modulo the number of
// elements there are to choose from.
#include "widths.clh"
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define TO_EACH(F, M, T, U)  F(M, 2, T, U) F(M, 4, T, U) F(M, 8, T, U) F(M, 16, T, U)
#define EVERY_TWO(F, T, U)   TO_EACH(F, 2, T, U) TO_EACH(F, 4, T, U) TO_EACH(F, 8, T, U) TO_EACH(F, 16, T, U)
#define ONE(M, N, T, U)      PUT(N, N, as_##U##N(shuffle(as_##T##M(X(M)), Z(N))))
#define TWO(M, N, T, U)      PUT(N, N, as_##U##N(shuffle2(as_##T##M(X(M)), as_##T##M(Y(M)), Z(N))))
#define SHUFFLES(T, U)                                                                                       \
    __kernel void one_##T(__global const uint *in, __global uint *out)                                       \
    {                                                                                                        \
        BEGIN(U, U);                                                                                         \
        EVERY_TWO(ONE, T, U)                                                                                 \
    }                                                                                                        \
    __kernel void two_##T(__global const uint *in, __global uint *out)                                       \
    {                                                                                                        \
        BEGIN(U, U);                                                                                         \
        EVERY_TWO(TWO, T, U)                                                                                 \
    }
SHUFFLES(char, uchar)
SHUFFLES(uchar, uchar)
SHUFFLES(short, ushort)
SHUFFLES(ushort, ushort)
SHUFFLES(int, uint)
SHUFFLES(uint, uint)
SHUFFLES(long, ulong)
SHUFFLES(ulong, ulong)
SHUFFLES(float, uint)
#ifdef cl_khr_fp64
SHUFFLES(double, ulong)
#endif

// Of 3 elements it is 4; its operand, a type or an expression, is not evaluated.
#define STEP(W, N, T)                                                                                        \
    *to++ = vec_step(T##W) == (N == 3 ? 4 : N);                                                              \
    *to++ = vec_step(*(__global T##W *)(out + calls++)) == (N == 3 ? 4 : N);
__kernel void steps_holds(__global const uint *in, __global uint *out)
{
    BEGIN(uint, uint);
    int calls = 0;
    EACH_WIDTH(STEP, char)
    EACH_WIDTH(STEP, uchar)
    EACH_WIDTH(STEP, short)
    EACH_WIDTH(STEP, ushort)
    EACH_WIDTH(STEP, int)
    EACH_WIDTH(STEP, uint)
    EACH_WIDTH(STEP, long)
    EACH_WIDTH(STEP, ulong)
    EACH_WIDTH(STEP, float)
#ifdef cl_khr_fp64
    EACH_WIDTH(STEP, double)
#endif
    *to++ = calls == 0;
}
