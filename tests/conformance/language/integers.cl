// SPDX-License-Identifier: Apache-2.0
// Integer built-ins (6.12.3) on scalars and vectors of several widths.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

__kernel void words(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint a = in[0], b = in[12], c = in[13];
    int x = in[14], y = in[15], z = in[8];
    out[0] = abs(x) + abs_diff(x, y), out[1] = add_sat(x, y), out[2] = add_sat(a, b), out[3] = hadd(a, b);
    out[4] = rhadd(x, y), out[5] = clamp(z, -20, 20), out[6] = clz(b), out[7] = mad_hi(x, y, z);
    out[8] = mad_sat(x, y, z), out[9] = max(a, b) - min(b, c), out[10] = mul_hi(x, y), out[11] = rotate(a, c);
    out[12] = sub_sat(x, y), out[13] = sub_sat(b, c), out[14] = mad24(z, 77, x), out[15] = mul24(z, z) + popcount(b);
}

__kernel void bytes(__global const uint *in, __global uint *out)
{
    BEGIN;
    char4 x = as_char4(in[0]), y = as_char4(in[12]);
    uchar4 a = as_uchar4(in[1]), b = as_uchar4(in[13]);
    out[0] = as_uint(abs(x)), out[1] = as_uint(abs_diff(x, y)), out[2] = as_uint(add_sat(x, y));
    out[3] = as_uint(add_sat(a, b)), out[4] = as_uint(hadd(x, y)), out[5] = as_uint(rhadd(a, b));
    out[6] = as_uint(clz(b)), out[7] = as_uint(mad_sat(x, y, y)), out[8] = as_uint(mul_hi(a, b));
    out[9] = as_uint(rotate(a, b)), out[10] = as_uint(sub_sat(a, b)), out[11] = as_uint(sub_sat(x, y));
    out[12] = as_uint(popcount(a)), out[13] = as_uint(clamp(x, (char)-3, (char)9)), out[14] = as_uint(max(x, y));
    out[15] = as_uint(upsample(as_char4(in[2]).xy, a.xy));
}

__kernel void shorts(__global const uint *in, __global uint *out)
{
    BEGIN;
    short2 x = as_short2(in[0]), y = as_short2(in[12]);
    ushort2 a = as_ushort2(in[1]), b = as_ushort2(in[13]);
    out[0] = as_uint(abs_diff(x, y)), out[1] = as_uint(add_sat(x, y)), out[2] = as_uint(mad_sat(a, b, b));
    out[3] = as_uint(mad_hi(x, y, x)), out[4] = as_uint(mul_hi(a, b)), out[5] = as_uint(rotate(x, y));
    out[6] = as_uint(clz(x)), out[7] = as_uint(rhadd(x, y)), out[8] = as_uint(sub_sat(a, b));
    vstore2(upsample(x, a), 5, out);
    out[12] = as_uint(min(a, b)), out[13] = as_uint(max(x, (short)5)), out[14] = as_uint(popcount(y));
    out[15] = clz((uchar)in[0]) + clz(a.x) * 100 + abs((char)in[1]);
}

__kernel void longs(__global const uint *in, __global uint *out)
{
    BEGIN;
    ulong a = upsample(in[0], in[1]), b = upsample(in[12], in[13]);
    long x = a, y = upsample((int)in[14], in[15]);
    __global ulong *to = (__global ulong *)out;
    to[0] = add_sat(x, y) + mul_hi(a, b), to[1] = mul_hi(a, b), to[2] = mul_hi(x, y), to[3] = rotate(a, b);
    to[4] = abs_diff(x, y) ^ clz(b), to[5] = hadd(a, b) ^ rhadd(x, y), to[6] = sub_sat(a, b), to[7] = sub_sat(x, y);
}

// a * b + c in 128 bits, by halves of 32: the words of the result from the lowest on.
void multiply_add(ulong a, ulong b, ulong c, ulong c_above, ulong *low, ulong *high)
{
    ulong ll = (a & 0xffffffff) * (b & 0xffffffff), lh = (a & 0xffffffff) * (b >> 32);
    ulong hl = (a >> 32) * (b & 0xffffffff), middle = (ll >> 32) + (lh & 0xffffffff) + (hl & 0xffffffff);
    *low = (middle << 32) | (ll & 0xffffffff);
    *high = (a >> 32) * (b >> 32) + (lh >> 32) + (hl >> 32) + (middle >> 32) + c_above;
    *low += c;
    *high += *low < c;
}
ulong unsigned_mad_sat(ulong a, ulong b, ulong c)
{
    ulong low, high;
    multiply_add(a, b, c, 0, &low, &high);
    return high ? ULONG_MAX : low;
}
long signed_mad_sat(long a, long b, long c)
{
    ulong low, high;
    multiply_add(a, b, c, c >> 63, &low, &high);
    high -= (a < 0 ? (ulong)b : 0) + (b < 0 ? (ulong)a : 0);
    if (high == (ulong)((long)low >> 63))
        return low;
    return (long)high < 0 ? LONG_MIN : LONG_MAX;
}
__kernel void mad_sat_of_longs_holds(__global const uint *in, __global uint *out)
{
    BEGIN;
    ulong a = upsample(in[0], in[1]), b = upsample(in[12], in[13]), small = in[2] & 0xffff;
    long x = a, y = upsample((int)in[14], in[15]), few = (long)(int)in[8];
    out[0] = mad_sat(a, b, a) == unsigned_mad_sat(a, b, a), out[1] = mad_sat(small, b, a) == unsigned_mad_sat(small, b, a);
    out[2] = mad_sat(x, y, x) == signed_mad_sat(x, y, x), out[3] = mad_sat(few, x, y) == signed_mad_sat(few, x, y);
    out[4] = mad_sat(few, few, y) == signed_mad_sat(few, few, y), out[5] = mad_sat(y, few, ~x) == signed_mad_sat(y, few, ~x);
    out[6] = mad_sat(small, small, a) == unsigned_mad_sat(small, small, a);
    out[7] = mad_sat((long2)(x, few), (long2)(y, x), (long2)(few, y)).y == signed_mad_sat(few, x, y);
}

// Found by random kernels on an H200.
__kernel void averages_of_negated(__global const uint *in, __global uint *out)
{
    BEGIN;
    long x = upsample((int)in[0], in[1]);
    int cut = (int)-(x & 4611686018427387903L);
    out[0] = rhadd(cut, 0), out[1] = hadd(cut, 0), out[2] = rhadd(cut, 1), out[3] = hadd(cut, -1);
    out[4] = rhadd((uint)-x, 0u), out[5] = hadd((uint)-x, 1u), out[6] = rhadd((short)-x, (short)0);
    out[7] = rhadd((uchar)-x, (uchar)0), out[8] = rhadd(-x, 0L) >> 32, out[9] = hadd(-x, 0L);
}

// The least of the shorts is its own negative: of 16 bits, there is no other sign to it.
__kernel void negated_shorts(__global const uint *in, __global uint *out)
{
    BEGIN;
    for (uint i = 0; i < 4; i++) {
        ushort2 words = as_ushort2(in[12 + i]);
        int2 negated = convert_int2(as_short2((ushort2)(0) - words));
        out[i] = (int)as_short((ushort)-words.x), out[4 + i] = (int)as_short((ushort)-words.y);
        out[8 + i] = negated.x ^ negated.y * 3;
        out[12 + i] = convert_int((char)-(char)words.x) + 3 * as_short(abs(as_short(words.y)));
    }
}

// Sums of products of bytes that are negative, into 64 bits.
__kernel void differences_of_bytes(__global const ulong *in, __global ulong *out)
{
    in += get_global_id(0) * 8, out += get_global_id(0) * 8;
    ulong4 v = vload4(0, in);
    int y = ((__global const int *)in)[9];
    long z = in[1];
    int d = (uchar)in[5];
    for (int i = 0; i < 4; i++)
        v -= ((ulong4)(0, 1, d, 0) + (ulong4)d) + ((long4)(0, y, z, 0) ? (ulong4)i : (ulong4)d);
    vstore4(v, 0, out);
}

// ++ and -- of what is promoted go round, and what is asked of it then is asked of the number that came.
struct narrow { short s; char c; };
__kernel void steps_of_chars(__global const uint *in, __global uint *out)
{
    BEGIN;
    for (uint i = 0; i < 4; i++) {
        char c = in[12 + i], d = c, e = c, f = c;
        short s = in[12 + i], t = s;
        char2 v = (char2)(c, 1);
        struct narrow both = {s, c};
        __private char *p = &both.c;
        --c, d++;
        v.x--, ++v.y;
        out[i] = (c < 0 ? 0 : c) + 1000 * (d > 0 ? d : -5) + 100000 * (v.x < 0 ? 1 : v.x);
        out[4 + i] = (e++ < 0 ? 3 : e) + (f-- > 0 ? f : 9) * 1000 + (--s < 0 ? 0 : s) * 7 + (t++ < 5 ? t : 0) * 77;
        out[8 + i] = convert_uint_sat(c) ^ convert_ushort_sat(s) * 3 ^ convert_ulong_sat(++*p) ^ (*p)-- << 8;
        both.s++;
        out[12 + i] = (both.s > 0 ? both.s : -1) + (both.c-- >= 0 ? both.c : 64) * 256 + (-both.c-- >> 3);
    }
}
