// SPDX-License-Identifier: Apache-2.0
// Selections of components: read, written, of one another, by every kind of name.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

__kernel void read(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint4 a = vload4(0, in);
    uint8 b = vload8(0, in);
    uint16 c = vload16(0, in);
    uint2 d = a.xw + b.s70 + c.sAf;
    uint3 e = a.zyx - b.even.s012 + c.hi.odd.xyz;
    uint4 f = a.wwxx ^ b.lo.yyzz ^ c.s0f1E;
    vstore2(d, 0, out);
    vstore3(e, 0, out + 2);
    vstore4(f, 0, out + 5);
    vstore4(b.hi.wzyx, 0, out + 9);
    out[13] = a.even.y + b.odd.hi.x + c.even.odd.lo.y;
    out[14] = e.zzz.y + (uint)(a.xy.yx.x);
    out[15] = e.hi.x + e.lo.y + e.even.y;
}

__kernel void write(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint4 a = vload4(0, in);
    uint8 b = vload8(0, in + 4);
    const uint4 k = vload4(3, in);
    a.yx = a.xy;
    a.zw = k.wz;
    a.xw += 7u;
    a.yz *= k.xy;
    b.lo = a;
    b.odd = b.even;
    b.hi.yx = k.hi;
    b.s07 = b.s70;
    b.hi.even.y = 5;
    a.lo = a.hi = k.xx;
    a.y++;
    --b.s3;
    b.s12 <<= k.xy;
    vstore4(a, 0, out);
    vstore8(b, 0, out + 4);
    uint3 c = a.xyz;
    c.zx = c.xy;
    c.yz |= (uint2)(1, 2);
    vstore3(c, 4, out);
}

__kernel void through_pointers(__global const uint *in, __global uint *out)
{
    __global const uint4 *a = (__global const uint4 *)(in + get_global_id(0) * 16);
    __global uint4 *b = (__global uint4 *)(out + get_global_id(0) * 16);
    struct { uint4 v[2]; } s, *p = &s;
    b[0] = a[0].wzyx;
    b[1].xy = a[1].zw;
    b[1].zw = a[2].xy;
    b[2] = 0;
    b->x += a->y;
    (b + 2)->hi = (*a).lo;
    p->v[0] = a[3];
    p->v[1].lo = p->v[0].hi;
    p->v[1].hi.yx = s.v[0].lo;
    b[3] = p->v[1];
}

float2 swap(float2 v)
{
    return v.yx;
}
float sum(float4 v)
{
    return v.x + v.y + v.z + v.w;
}
__kernel void as_arguments_ulp0(__global const float *in, __global float *out)
{
    BEGIN;
    float4 v = vload4(1, in);
    v.xy = swap(v.zw);
    vstore4(v, 0, out);
    out[4] = sum(v.wzyx);
    out[5] = sum((float4)(v.xy, v.zz));
    out[6] = distance(v.xy, v.xy + (float2)(3, 0)) > 0;
    out[7] = fmax(v.lo, v.hi).x;
    vstore2(clamp(v.yz, -1.0f, 1.0f), 4, out);
    vstore2(min(v.xz, v.yw), 5, out);
    out[12] = any(v.xy < v.zw);
    out[13] = all(isless(v.xy, v.zw));
    vstore2(convert_float2(as_int2(v.xx) > 0), 7, out);
}
