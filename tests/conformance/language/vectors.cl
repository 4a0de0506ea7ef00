// SPDX-License-Identifier: Apache-2.0
// Maths on every width.
__kernel void widths_ulp0(__global const float *in, __global float *out)
{
    in += get_global_id(0) * 16, out += get_global_id(0) * 16;
    float16 v = (float16)(vload4(1, in), -vload4(1, in), vload4(1, in).wzyxzxyw * 0.5f), w = fmax(v, v.odd.s01234567.s0123456701234567);
    float8 u = fabs(w.lo) + floor(w.hi);
    float3 t = fma(u.s012, u.s345, u.s670), z = mad24((int3)(1), 2, 3).x + t;
    float2 s = min(u.lo.xy, 0.5f) - rint(u.s67);
    vstore8(u, 0, out), vstore3(t - z, 0, out + 8), vstore2(s, 0, out + 12);
    out[14] = t.z > s.y ? t.x : s.x, out[15] = (v.s0 < v.sf) - (w.s3 >= v.s3);
}
