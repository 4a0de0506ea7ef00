// SPDX-License-Identifier: Apache-2.0
// Maths on every width, doubles among them.
__kernel void widths_ulp0(__global const float *in, __global float *out)
{
    in += get_global_id(0) * 16, out += get_global_id(0) * 16;
    float16 v = (float16)(vload8(0, in + 4), vload8(0, in + 4)), w = fmax(v, v.odd.s01234567.s0123456701234567);
    float8 u = fabs(w.lo) + floor(w.hi);
    float3 t = fma(u.s012, u.s345, u.s670), z = mad24((int3)(1), 2, 3).x + t;
    float2 s = min(u.lo.xy, 0.5f) - rint(u.s67);
    vstore8(u, 0, out), vstore3(t - z, 0, out + 8), vstore2(s, 0, out + 12);
    out[14] = t.z > s.y ? t.x : s.x, out[15] = (v.s0 < v.sf) - (w.s3 >= v.s3);
}
__kernel void doubles(__global const float *in, __global double *out)
{
    in += get_global_id(0) * 16, out += get_global_id(0) * 8;
    double4 d = convert_double4(vload4(1, in));
    double e = d.x * d.y + 0.1;
    vstore4(d * 0.1 - d.wzyx / 3, 0, out);
    out[4] = e, out[5] = floor(e) + fabs(d.z), out[6] = convert_long_rte(clamp(e, -1e9, 1e9)), out[7] = as_double(as_long(e) ^ 1);
}
