// SPDX-License-Identifier: Apache-2.0
// 6.12.6 any, all, bitselect and select: of every type, with signed and unsigned conditions, on all widths.
#include "widths.clh"
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// The most significant bits decide; so that all() has a chance, some operands have it everywhere.
#define ANY(W, N, T) *to++ = any(X(W)) + 2 * any(X(W) & Y(W) & Z(W));
#define ALL(W, N, T) *to++ = all(X(W)) + 2 * all(X(W) | Y(W) | Z(W) | (T)(item & 1 ? 1 : (T)1 << (8 * sizeof(T) - 1)));
#define DECISIONS(T)                                                                                         \
    __kernel void decisions_##T(__global const uint *in, __global uint *out)                                 \
    {                                                                                                        \
        BEGIN(T, int);                                                                                       \
        EACH_WIDTH(ANY, T)                                                                                   \
        EACH_WIDTH(ALL, T)                                                                                   \
    }
DECISIONS(char)
DECISIONS(short)
DECISIONS(int)
DECISIONS(long)

// Taken and given as bits, which a float register may not keep of a NaN.
#define BITS(W, N, T, U)                                                                                     \
    PUT(W, N, as_##U##W(bitselect(as_##T##W(X(W)), as_##T##W(Y(W)), as_##T##W(Z(W)))))
#define SELECT(W, N, T, U, C)                                                                                \
    PUT(W, N, as_##U##W(select(as_##T##W(X(W)), as_##T##W(Y(W)), as_##C##W(Z(W)))))
#define CHOICES(T, I, U)                                                                                     \
    __kernel void choices_##T(__global const uint *in, __global uint *out)                                   \
    {                                                                                                        \
        BEGIN(U, U);                                                                                         \
        EACH_WIDTH(BITS, T, U)                                                                               \
        EACH_WIDTH(SELECT, T, U, I)                                                                          \
        EACH_WIDTH(SELECT, T, U, U)                                                                          \
    }
CHOICES(char, char, uchar)
CHOICES(uchar, char, uchar)
CHOICES(short, short, ushort)
CHOICES(ushort, short, ushort)
CHOICES(int, int, uint)
CHOICES(uint, int, uint)
CHOICES(long, long, ulong)
CHOICES(ulong, long, ulong)
CHOICES(float, int, uint)
#ifdef cl_khr_fp64
CHOICES(double, long, ulong)
#endif
