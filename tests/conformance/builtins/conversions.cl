// SPDX-License-Identifier: Apache-2.0
// convert_, as_, casts: saturating and rounding.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

__kernel void saturating(__global const uint *in, __global uint *out)
{
    BEGIN;
    float4 f = as_float4(vload4(1, in));
    int4 i = as_int4(vload4(0, in)), j = as_int4(vload4(3, in));
    out[0] = as_uint(convert_uchar4_sat(f));
    out[1] = as_uint(convert_char4_sat(f));
    out[2] = as_uint(convert_uchar4_sat_rte(f));
    out[3] = as_uint(convert_char4_sat_rtp(f));
    vstore4(as_uint4(convert_int4_sat(f)), 1, out);
    vstore4(convert_uint4_sat_rte(f), 2, out);
    out[12] = as_uint(convert_uchar4_sat(i)), out[13] = as_uint(convert_char4_sat(j));
    out[14] = as_uint(convert_short2_sat(j.xy)), out[15] = convert_uint_sat(j.x) + convert_ushort_sat(j.y);
}

__kernel void rounding(__global const uint *in, __global uint *out)
{
    BEGIN;
    float4 f = clamp(as_float4(vload4(1, in)), -30000.0f, 30000.0f) * 0.5f;
    vstore4(as_uint4(convert_int4(f)), 0, out);
    vstore4(as_uint4(convert_int4_rte(f)), 1, out);
    vstore4(as_uint4(convert_int4_rtp(f)), 2, out);
    vstore4(as_uint4(convert_int4_rtn(f) + convert_int4_rtz(f) * 3), 3, out);
    out[0] += convert_short_rte(f.x) + convert_int_rtp(f.y);
}

__kernel void to_float(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint4 u = vload4(0, in);
    int4 i = as_int4(u);
    vstore4(as_uint4(convert_float4(u)), 0, out);
    vstore4(as_uint4(convert_float4_rtz(i)), 1, out);
    vstore4(as_uint4(convert_float4_rtp(u)), 2, out);
    out[12] = as_uint(convert_float_rtn(i.x)), out[13] = as_uint((float)u.y);
    out[14] = as_uint(convert_float(upsample(u.x, u.y)));
    out[15] = as_uint(convert_float(as_uchar4(u.z).y)) + convert_ushort(u.w);
}

__kernel void reinterpreting(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint4 u = vload4(0, in);
    ushort8 s = as_ushort8(u);
    ulong2 l = as_ulong2(u);
    char16 c = as_char16(u);
    uint3 t = as_uint3(u);
    out[0] = s.s5, out[1] = l.y, out[2] = l.x >> 32, out[3] = c.sb, out[4] = as_int(as_float(u.x & 0x3fffffff));
    out[5] = t.z, out[6] = as_uchar4(u.y).w, out[7] = as_short(as_uchar2((ushort)u.x)), out[8] = as_long(u.xy) >> 33;
    out[9] = as_uint4(t).x;
    vstore4(convert_uint4(s.odd) + convert_uint4(convert_uchar4(s.lo)), 3, out);
    out[10] = (char)u.x, out[11] = (short)u.y + (uchar)u.z + (bool)u.w;
}
