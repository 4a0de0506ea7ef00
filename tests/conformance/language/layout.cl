// SPDX-License-Identifier: Apache-2.0
// Sizes, alignments and places in memory: long has 64 bits, float3 takes 16 bytes, vload and vstore in all widths.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

struct mixed { char c; float3 v; uchar2 d; long l; short3 s; };
union view { uint w[4]; uchar4 b[4]; float4 f; ulong2 l; };

__kernel void sizes(__global const uint *in, __global uint *out)
{
    BEGIN;
    struct mixed m[2];
    out[0] = sizeof(long) | sizeof(float3) << 4 | sizeof(uchar3) << 12 | sizeof(size_t) << 16;
    out[1] = sizeof m | sizeof m[0].v << 8 | sizeof(ulong16) << 16;
    out[2] = (__private char *)&m[1] - (__private char *)&m[0];
    out[3] = (__private char *)&m[0].l - (__private char *)&m[0];
    out[4] = (__private char *)&m[0].s - (__private char *)&m[0].v;
    out[5] = sizeof(union view) + sizeof(half) + sizeof(bool) * 0 + sizeof(double2);
    out[6] = vec_step(float3) + vec_step(char16) * 16 + vec_step(m[0].c) * 256;
    out[7] = 1L << 40 >> 36, out[8] = sizeof(1 + 1L), out[9] = sizeof(in[0] + (uchar)1);
}

__kernel void views(__global const uint *in, __global uint *out)
{
    BEGIN;
    union view u, *p = &u;
    for (int k = 0; k < 4; k++)
        u.w[k] = in[k];
    u.b[1].zw = u.b[2].xy;
    p->f.w = 1.5f;
    out[0] = u.w[0], out[1] = u.w[1], out[2] = u.l.y >> 32, out[3] = p->b[3].w;
    float3 t = as_float3(u.f);
    out[4] = as_uint(t.y);
    __global const uchar *bytes = (__global const uchar *)in;
    __global uchar *to = (__global uchar *)(out + 5);
    vstore3(vload3(1, bytes), 0, to);
    vstore3(vload3(2, bytes + 1), 1, to);
    vstore2(vload2(3, bytes + 1), 0, to + 6);
    vstore8(vload8(1, bytes + 3), 0, to + 8);
    vstore16(vload16(0, bytes + 5), 1, to);
    vstore4(vload4(1, (__global const ushort *)(in + 1)), 0, (__global ushort *)(out + 13));
}

__kernel void halves(__global const uint *in, __global uint *out)
{
    BEGIN;
    float4 f = as_float4(vload4(1, in));
    __global half *h = (__global half *)out;
    vstore_half(f.x, 0, h), vstore_half_rtz(f.x, 1, h), vstore_half_rtp(f.y, 2, h), vstore_half_rtn(f.y, 3, h);
    vstore_half4(f, 1, h);
    vstore_half4_rtz(f, 2, h);
    vstore_half2(f.zw, 6, h);
    vstore_half3_rte(f.xyz, 0, h + 14);
    vstorea_half3(f.yzw, 5, h);
    vstore_half(0.0f, 23, h); // what stands behind the third half is nobody's
    vstore_half8((float8)(f, f * 0.001f), 3, h);
}

__kernel void from_halves_ulp0(__global const uint *in, __global float *out)
{
    BEGIN;
    __global const half *h = (__global const half *)in;
    vstore4(vload_half4(0, h), 0, out);
    vstore3(vload_half3(1, h), 0, out + 4);
    vstore2(vload_half2(1, h + 1), 4, out);
    out[7] = vload_half(5, h);
    vstore3(vloada_half3(1, h), 0, out + 10);
    out[13] = vloada_half8(0, h).s7;
}
