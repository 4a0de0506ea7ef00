// SPDX-License-Identifier: Apache-2.0
// Several vectors of 2, 3, 8, 16 and their pointers in memory; increments of pointers to vectors; volatile.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16
__kernel void wide(__global const uint *in, __global uint *out)
{
    __global const ushort8 *a = (__global const ushort8 *)(in + get_global_id(0) * 16);
    __global uint8 *b = (__global uint8 *)(out + get_global_id(0) * 16);
    uint8 v = convert_uint8(*a++), w = convert_uint8(a[0]);
    *b++ = v + w, *b = v * w.s76543210;
}
__kernel void threes(__global const uint *in, __global uint *out)
{
    __global const uint3 *a = (__global const uint3 *)(in + get_global_id(0) * 16);
    __global uint3 *b = (__global uint3 *)(out + get_global_id(0) * 16);
    b[0].xyz = a[1], b[1] = a[0].zxy, b[2].x = a[2].y, b[2].yz = a[3].xz;
    b[3] = ((b[1] > b[0]) ? b[1] : b[0]).zyx;
    for (int k = 3; k < 16; k += 4)
        out[get_global_id(0) * 16 + k] = 0; // what stands behind the third component is nobody's
}
__kernel void elements(__global const uint *in, __global uint *out)
{
    BEGIN;
    volatile uint t[4] = {in[0], in[1]};
    uint4 v = vload4(0, in);
    uint *p = (uint *)&v;
    p[2] = 7, ((uchar *)p)[3] = 1, *(ushort *)(p + 3) = 2;
    vstore4(v, 0, out);
    t[2] += t[0], t[1]++;
    out[4] = t[1], out[5] = t[2];
}
