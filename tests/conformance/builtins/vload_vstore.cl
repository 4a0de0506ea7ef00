// SPDX-License-Identifier: Apache-2.0
// 6.12.7 vloadn and vstoren: every element type and width, from and to every address space, at addresses that are
// aligned to an element only.
#include "widths.clh"
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// From an argument; items of a group read at different places.
__kernel void from_argument(__constant uint *c, __global const uint *in, __global uint *out)
{
    uint i = get_global_id(0);
    __constant short *s = (__constant short *)c + i % 32;
    __constant char *b = (__constant char *)c;
    out += i * 32;
    vstore2(vload2(i % 512, c), 0, out);
    vstore3(vload3(i % 341, c), 0, out + 2);
    vstore4(vload4(i % 256, c + 0), 0, out + 5);
    vstore8(vload8(i % 127, c + 1), 0, out + 9);
    vstore4(as_uint4(vload8(i % 60, s)), 0, out + 17);
    vstore4(as_uint4(vload16(i % 255, b + in[0] % 16)), 0, out + 21);
    vstore2(as_uint2(vload4(i % 200, s + 1)), 0, out + 25);
}

__constant ulong table[36] = {
    0x0706050403020100, 0x0f0e0d0c0b0a0908, 1, 2,  0x1f001f001f001f00, 5,  6,  7,  0x1716151413121110, 9,
    10,                 0x7fefffffffffffff, 3, 11, 0x4000000000000000, 14, 15, 16, 0x123456789abcdef0, 18};

#define VECTORS(F, T) F(2, T) F(3, T) F(4, T) F(8, T) F(16, T)
#define MOVE(N, from) vstore##N(vload##N(1, from), 0, to), to += N;

// The second vector from an odd element on.
#define FROM_GLOBAL(N, T)   MOVE(N, x + 1)
#define FROM_CONSTANT(N, T) MOVE(N, (__constant const T *)table + item % 4)
#define FROM_LOCAL(N, T)    MOVE(N, mine + 1)
#define FROM_PRIVATE(N, T)  MOVE(N, own + 3)

// One after the other over the same elements: those around a vector stay.
#define TO_LOCAL(N, T)   vstore##N(vload##N(0, y), 1, mine + 16 - N);
#define TO_PRIVATE(N, T) vstore##N(vload##N(0, y), 1, own + 16 - N);

#define BEGIN_COPIES(T)                                                                                      \
    __local T pool[64 * 36];                                                                                 \
    BEGIN(T, T);                                                                                             \
    __local T *mine = pool + get_local_id(0) * 36;                                                           \
    T own[36];                                                                                               \
    for (int i = 0; i < 36; i++)                                                                             \
    mine[i] = x[i], own[i] = x[i + 1]

#define MOVES(T)                                                                                             \
    __kernel void loads_##T(__global const uint *in, __global T *out)                                        \
    {                                                                                                        \
        BEGIN_COPIES(T);                                                                                     \
        VECTORS(FROM_GLOBAL, T)                                                                              \
        VECTORS(FROM_CONSTANT, T)                                                                            \
        VECTORS(FROM_LOCAL, T)                                                                               \
        VECTORS(FROM_PRIVATE, T)                                                                             \
    }                                                                                                        \
    __kernel void stores_##T(__global const uint *in, __global T *out)                                       \
    {                                                                                                        \
        BEGIN_COPIES(T);                                                                                     \
        VECTORS(TO_LOCAL, T)                                                                                 \
        VECTORS(TO_PRIVATE, T)                                                                               \
        for (int i = 0; i < 36; i++)                                                                         \
            to[i] = mine[i], to[36 + i] = own[i];                                                            \
    }
MOVES(char)
MOVES(uchar)
MOVES(short)
MOVES(ushort)
MOVES(int)
MOVES(uint)
MOVES(long)
MOVES(ulong)
MOVES(float)
#ifdef cl_khr_fp64
MOVES(double)
#endif
