// SPDX-License-Identifier: Apache-2.0
// Shift counts are modulo the width of the promoted left operand.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

__kernel void scalars(__global const uint *in, __global uint *out)
{
    BEGIN;
    int i = in[0], n = in[13] & 0x3f;
    uchar c = in[1];
    short s = in[2];
    ulong l = upsample(in[0], in[1]);
    long m = l;
    n += in[14] % 64;
    out[0] = i << n, out[1] = i >> n, out[2] = in[0] >> n, out[3] = in[0] << n;
    out[4] = c << n, out[5] = s >> n;
    ulong r = l << n, q = m >> n, t = l >> in[13];
    out[6] = r, out[7] = r >> 32, out[8] = q, out[9] = q >> 32, out[10] = t, out[11] = t >> 32;
    c <<= n, s >>= n, l <<= in[12], i >>= in[12];
    out[12] = c, out[13] = s, out[14] = l >> 7, out[15] = i;
}

__kernel void vectors(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint4 a = vload4(0, in), n = vload4(3, in);
    int4 b = as_int4(a);
    vstore4(a << n, 0, out);
    vstore4(as_uint4(b >> as_int4(n)), 1, out);
    a >>= 35u;
    a.xy <<= n.zw;
    vstore4(a, 2, out);
    char4 c = convert_char4(b), d = c << convert_char4(n);
    ushort4 e = convert_ushort4(a) >> convert_ushort4(n);
    vstore4(convert_uint4(convert_uchar4(d)) + (convert_uint4(e) << 8), 3, out);
}
