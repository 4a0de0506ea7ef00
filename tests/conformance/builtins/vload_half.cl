// SPDX-License-Identifier: Apache-2.0
// 6.12.7 vload_half and vloada_half: every half as a float; every width from every address space, vload_half from
// addresses that are aligned to a half only. vload_half3 takes every third half, vloada_half3 every fourth.
#include "widths.clh"
#ifdef POCL_DEVICE_ADDRESS_BITS // PoCL has no vloada_half of one
#undef vloada_half
#define vloada_half vload_half
#endif

// Of a NaN any bits are right.
#define BITS(W, ...)       select(as_uint##W(__VA_ARGS__), (uint##W)(0x7fc00000), isnan(__VA_ARGS__))
#define LOAD(W, N, from)   PUT(W, N, BITS(W, vload_half##W(1, from + 1)))
#define LOAD_A(W, N, from) PUT(W, N, BITS(W, vloada_half##W(1, from)))

__constant ushort table[36] __attribute__((aligned(32))) = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3bff, 0x3c00, 0xbc00, 0x3c01,
    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfe00, 0x5555, 0xaaaa, 0x1234, 0x9876, 0x4000, 0xc000,
    0x0200, 0x8200, 0x3555, 0xb555, 0x7800, 0xf800, 0x0002, 0x03fe, 0x0401, 0x2e66, 0xae66, 0x5640};

__kernel void every(__global const uint *in, __global uint *out)
{
    out += get_global_id(0) * 64;
    for (int i = 0; i < 64; i++) {
        ushort half_bits = get_global_id(0) * 64 + i;
        out[i] = BITS(, vload_half(0, (half *)&half_bits));
    }
}

__kernel void widths(__global const uint *in, __global uint *out)
{
    __local ushort pool[64 * 48] __attribute__((aligned(32)));
    ushort own[48] __attribute__((aligned(32)));
    BEGIN(ushort, uint);
    __local ushort *mine = pool + get_local_id(0) * 48;
    for (int i = 0; i < 48; i++)
        mine[i] = x[i], own[i] = x[i + 1];
    EACH_WIDTH(LOAD, (__global const half *)x)
    EACH_WIDTH(LOAD_A, (__global const half *)x)
    EACH_WIDTH(LOAD, (__constant half *)table)
    EACH_WIDTH(LOAD_A, (__constant half *)table)
    EACH_WIDTH(LOAD, (__local half *)mine)
    EACH_WIDTH(LOAD_A, (__local const half *)mine)
    EACH_WIDTH(LOAD, (half *)own)
    EACH_WIDTH(LOAD_A, (const half *)own)
}
