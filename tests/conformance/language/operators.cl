// SPDX-License-Identifier: Apache-2.0
// Operators and the types of their results: usual conversions of scalars, comparisons of vectors give 0 and -1.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

__kernel void comparisons(__global const uint *in, __global uint *out)
{
    BEGIN;
    int4 a = as_int4(vload4(0, in)), b = as_int4(vload4(3, in));
    char4 c = convert_char4(a), d = convert_char4(b);
    float4 f = as_float4(vload4(1, in));
    vstore4(as_uint4((a < b) + (a >= b.wzyx) * 2 + (a == 0) * 4), 0, out);
    vstore4(as_uint4(convert_int4(c < d) + convert_int4(c != d) * 2), 1, out);
    vstore4(as_uint4((f < 1) | (f == f) << 2), 2, out);
    vstore4(as_uint4(!a + (a && b) * 2 + (a || 0) * 8), 3, out);
    out[0] += sizeof(c < d) + sizeof(f < f) + sizeof(a.x < b.x) + sizeof(!f);
    out[1] += (a.x < b.x) + (f.x < f.y) + !a.z;
}

__kernel void arithmetic(__global const uint *in, __global uint *out)
{
    BEGIN;
    uchar c = in[0], d = in[1];
    short s = in[2];
    uint u = in[3];
    int i = in[8] ? in[8] : 1;
    ulong l = upsample(in[0], in[1]);
    out[0] = c + d, out[1] = c - d, out[2] = ~c, out[3] = -s, out[4] = u / (c | 1), out[5] = (int)u / i;
    out[6] = (int)(u >> 1) % i, out[7] = s * u, out[8] = (l * l) >> 32, out[9] = l / (u | 1), out[10] = (long)l >> 40;
    out[11] = (c > -1) + (u > -1) * 2 + (s < u) * 4;
    c += 200, d *= 3, s -= 40000;
    out[12] = c | d << 8, out[13] = s;
    c++, --d, s = -s;
    out[14] = c * d, out[15] = s ^ (c & d) | (u, 5);
}

__kernel void of_vectors(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint4 a = vload4(0, in), b = vload4(3, in);
    uchar8 c = as_uchar8(a.xy), d = as_uchar8(b.xy);
    vstore4(a + b * 3 - 7, 0, out);
    vstore2(as_uint2(c + d), 2, out);
    vstore2(as_uint2((uchar8)(c - d) * (uchar)5), 3, out);
    a += b.x, a ^= ~b, a |= 1, b /= a, a %= (uint4)(7, 1, 9, 11);
    vstore4(a + b, 2, out);
    short4 s = as_short4(b.zw);
    s *= s;
    s = -s + (short)3;
    s++;
    vstore2(as_uint2(s), 6, out);
    vstore2(as_uint2(c / (d | (uchar)1)), 7, out);
}

__kernel void scopes(__global const uint *in, __global uint *out)
{
    BEGIN;
    bool b = in[0] & 1;
    out[0] = b++, out[1] = b, out[2] = b--, out[3] = b, out[4] = --b, out[5] = ++b, out[6] = ~b;
    for (uint i = 0; i < 3; i++) {
        uint i = in[1];
        out[7] = i++;
        for (int k = 0; k < 2; k++) {
            float k = 2;
            out[8] = i + k;
        }
    }
    const uint unset, set = 4;
    switch (in[2] & 1) {
        uint t[2];
    case 0:;
        uint many[3] = {1, 2, in[3]};
        out[9] = many[2] + set;
        break;
    default:
        t[1] = in[4];
        out[9] = t[1];
    }
}

__kernel void floats_ulp0(__global const float *in, __global float *out)
{
    BEGIN;
    float4 v = vload4(1, in);
    int4 w = as_int4(vload4(2, in));
    vstore4(v + 1 - v.wzyx * 2.0f, 0, out);
    v *= convert_float4(w);
    v -= 3;
    v.x += in[4];
    vstore4(v, 1, out);
    vstore4(-v / 2, 2, out);
    out[12] = w.x / 2 + w.y * 0.5f;
    out[13] = (int)clamp(in[4], -1e6f, 1e6f) + 1u;
    out[14] = fabs(in[5]) < 1e6f ? (uchar)fabs(fmod(in[5], 200.0f)) : 0;
    out[15] = in[4] * 3 / 4;
}

// A comparison is an int, for as_type too; the constants of a switch are converted to its type.
__kernel void ints_and_cases(__global const uint *in, __global uint *out)
{
    BEGIN;
    ulong wide = in[12] & 1 ? (ulong)-1 : in[8];
    out[0] = as_uint(in[0] < in[1]) + as_int(!in[8]);
    switch (wide) {
    case -1: out[1] = 1; break;
    default: out[1] = 2;
    }
    switch (in[9]) {
    case -5: out[2] = 3; break;
    case 0xffffffffffL: out[2] = 4; break;
    default: out[2] = 5;
    }
}
