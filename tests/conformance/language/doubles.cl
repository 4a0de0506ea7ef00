// SPDX-License-Identifier: Apache-2.0
// Double precision, bit for bit.
__kernel void arithmetic(__global const float *in, __global double *out)
{
    in += get_global_id(0) * 16, out += get_global_id(0) * 8;
    double4 d = convert_double4(vload4(1, in));
    double e = d.x * d.y + 0.1;
    vstore4(d * 0.1 - d.wzyx / 3, 0, out);
    out[4] = e, out[5] = floor(e) + fabs(d.z), out[6] = convert_long_rte(clamp(e, -1e9, 1e9));
    out[7] = as_double(as_long(e) ^ 1);
}
__kernel void bits(__global const uint *in, __global uint *out)
{
    in += get_global_id(0) * 16, out += get_global_id(0) * 16;
    double d = 1.5, t[2] = {in[0], as_int(in[1])};
    out[0] = (uint)(d * 3) + as_uint2(d).y, out[1] = as_uint2(t[1]).y, out[2] = sizeof(1.0) + sizeof(1.0f);
    out[3] = convert_int_rtn(t[1] / 3), out[4] = as_uint(convert_float_rtz(t[0] * 1.1)), out[5] = t[0] > M_PI ? 1 : 2;
}
