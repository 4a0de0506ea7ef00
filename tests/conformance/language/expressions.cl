// SPDX-License-Identifier: Apache-2.0
// Every operator (6.3) on every element type and width, and the types of the results (6.2.6, 6.3).
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

// An order-dependent sum: nothing that differs on the way can be lost.
#define TAKE(v) hash = hash * 33 + (uint)(v) + (uint)((ulong)(v) >> 32)
#define TAKE_AS(x, o) hash = (hash ^ (uint)(x) ^ (uint)((ulong)(x) >> 32)) * 0x01000193u + sizeof(x)
// The same of vectors, element by element as the unsigned type U.
#define TAKE_V(U, N, v) sum = sum * (U)33 + as_##U##N(v)
#define FOLD2(v) (v.x * 31 + v.y)
#define FOLD3(v) (v.x * 31 + v.y * 7 + v.z)
#define FOLD4(v) FOLD2((v.lo * 29 + v.hi))
#define FOLD8(v) FOLD4((v.lo * 27 + v.hi))
#define FOLD16(v) FOLD8((v.lo * 25 + v.hi))

#define INTEGER_SCALAR(name, T)                                                                                        \
    uint name##_scalar(T a, T b)                                                                                       \
    {                                                                                                                  \
        uint hash = 1;                                                                                                 \
        T d = b | 1, v = a;                                                                                            \
        TAKE_AS(a + b, +), TAKE_AS(a - b, -), TAKE_AS(a * (b & (T)0x7f), *), TAKE_AS(a & b, &), TAKE_AS(a | b, |);     \
        TAKE_AS(a ^ b, ^), TAKE_AS(a << b, <<), TAKE_AS(a >> b, >>), TAKE_AS((a >> 1) / d, /);                         \
        TAKE_AS((a >> 1) % d, %), TAKE_AS(-a, -), TAKE_AS(+a, +), TAKE_AS(~a, ~), TAKE_AS(!a, !);                      \
        TAKE_AS(a < b, <), TAKE_AS(a <= b, <=), TAKE_AS(a > b, >), TAKE_AS(a >= b, >=), TAKE_AS(a == b, ==);           \
        TAKE_AS(a != b, !=), TAKE_AS(a && b, &&), TAKE_AS(a || b, ||), TAKE_AS((a < b ? a : b), ?), TAKE_AS((a, b), c);\
        v += b, TAKE(v), v -= a, TAKE(v), v *= d, TAKE(v), v &= b, TAKE(v), v |= a, TAKE(v), v ^= b, TAKE(v);          \
        v <<= b, TAKE(v), v = a, v >>= b, TAKE(v), v /= 3, TAKE(v), v %= 7, TAKE(v);                                   \
        d = v++, TAKE(d), d = ++v, TAKE(d), d = v--, TAKE(d), d = --v, TAKE(d), TAKE(v);                               \
        v = a + 1.5f > 0 ? b : 3, TAKE(v), v = a, v += 0x100000001L, TAKE(v);                                          \
        return hash;                                                                                                   \
    }
INTEGER_SCALAR(char, char)
INTEGER_SCALAR(uchar, uchar)
INTEGER_SCALAR(short, short)
INTEGER_SCALAR(ushort, ushort)
INTEGER_SCALAR(int, int)
INTEGER_SCALAR(uint, uint)
INTEGER_SCALAR(long, long)
INTEGER_SCALAR(ulong, ulong)

#define VECTOR(S, R, U, N)                                                                                             \
    uint S##N##_all(S##N a, S##N b, S s)                                                                               \
    {                                                                                                                  \
        U##N sum = 1;                                                                                                  \
        S##N d = (b & (S)0x7f) | (S)1, v;                                                                              \
        R##N r;                                                                                                        \
        v = a + b, TAKE_V(U, N, v), v = a - b, TAKE_V(U, N, v), v = a * b, TAKE_V(U, N, v), v = a / d, TAKE_V(U, N, v);\
        v = a % d, TAKE_V(U, N, v), v = a & b, TAKE_V(U, N, v), v = a | b, TAKE_V(U, N, v), v = a ^ b, TAKE_V(U, N, v);\
        v = a << b, TAKE_V(U, N, v), v = a >> b, TAKE_V(U, N, v), v = -a, TAKE_V(U, N, v), v = +a, TAKE_V(U, N, v), v = ~a, TAKE_V(U, N, v);\
        v = a + s, TAKE_V(U, N, v), v = s - a, TAKE_V(U, N, v), v = a * (S)3, TAKE_V(U, N, v), v = a << s, TAKE_V(U, N, v);\
        v = s / d, TAKE_V(U, N, v), v = a >> (S)9, TAKE_V(U, N, v), v = (S)1 | a, TAKE_V(U, N, v);                     \
        r = a < b, TAKE_V(U, N, r), r = a <= b, TAKE_V(U, N, r), r = a > b, TAKE_V(U, N, r), r = a >= b, TAKE_V(U, N, r);\
        r = a == b, TAKE_V(U, N, r), r = a != b, TAKE_V(U, N, r), r = a && b, TAKE_V(U, N, r), r = a || b, TAKE_V(U, N, r);\
        r = !a, TAKE_V(U, N, r), r = a < s, TAKE_V(U, N, r), r = s == a, TAKE_V(U, N, r), r = a && s, TAKE_V(U, N, r); \
        v = (a < b) ? a : b, TAKE_V(U, N, v), v = (a > s) ? a : s, TAKE_V(U, N, v);                                    \
        v = a, v += b, TAKE_V(U, N, v), v -= s, TAKE_V(U, N, v), v *= d, TAKE_V(U, N, v), v /= d, TAKE_V(U, N, v), v %= d, TAKE_V(U, N, v);\
        v = b, v &= a, TAKE_V(U, N, v), v |= s, TAKE_V(U, N, v), v ^= b, TAKE_V(U, N, v), v <<= b, TAKE_V(U, N, v), v >>= s, TAKE_V(U, N, v);\
        v++, TAKE_V(U, N, v), --v, TAKE_V(U, N, v), d = v--, TAKE_V(U, N, d), d = ++v, TAKE_V(U, N, d), TAKE_V(U, N, v);\
        return FOLD##N(convert_uint##N(sum)) + sizeof(a < b) + sizeof(a + s) + sizeof(!a) + sizeof(a << b);            \
    }
#define WIDTHS(S, R, U) VECTOR(S, R, U, 2) VECTOR(S, R, U, 3) VECTOR(S, R, U, 16)
// Widths 4 and 8 differ from the others in nothing but their size: two types stand for all.
VECTOR(uchar, char, uchar, 4)
VECTOR(long, long, ulong, 8)
WIDTHS(char, char, uchar)
WIDTHS(uchar, char, uchar)
WIDTHS(short, short, ushort)
WIDTHS(ushort, short, ushort)
WIDTHS(int, int, uint)
WIDTHS(uint, int, uint)
WIDTHS(long, long, ulong)
WIDTHS(ulong, long, ulong)

#define CALL(S, N)                                                                                                     \
    S##N##_all(vload##N(0, t), vload##N(0, t + 13), t[7])
// Signed words are kept so small that nothing overflows: C says not what would come of it.
#define OF(S, SHIFT)                                                                                                   \
    __kernel void of_##S(__global const uint *in, __global uint *out)                                                  \
    {                                                                                                                  \
        BEGIN;                                                                                                         \
        __private S t[32];                                                                                             \
        for (int k = 0; k < 32; k++)                                                                                   \
            t[k] = (S)upsample(in[31 - k & 15], in[k & 15] >> (k & 16)) >> SHIFT;                                      \
        out[0] = S##_scalar(t[0], t[12]), out[1] = S##_scalar(t[13], t[14]), out[2] = S##_scalar(t[8], t[9]);          \
        out[3] = CALL(S, 2), out[4] = CALL(S, 3), out[5] = CALL(S, 16);                                                \
    }
__kernel void of_other_widths(__global const uint *in, __global uint *out)
{
    BEGIN;
    uchar8 a = as_uchar8(vload2(0, in)), b = as_uchar8(vload2(6, in));
    out[0] = uchar4_all(a.lo, b.hi, b.s1), out[1] = long8_all(convert_long8(a) << 20, convert_long8(b) - 99, -a.s0);
}
OF(char, 0)
OF(uchar, 0)
OF(short, 0)
OF(ushort, 0)
OF(int, 16)
OF(uint, 0)
OF(long, 32)
OF(ulong, 0)

#define FLOATS(N)                                                                                                      \
    uint float##N##_all(float##N a, float##N b, float s)                                                               \
    {                                                                                                                  \
        uint##N sum = 1;                                                                                               \
        float##N v;                                                                                                    \
        int##N r;                                                                                                      \
        v = a + b, TAKE_V(uint, N, v), v = a - b, TAKE_V(uint, N, v), v = a * b, TAKE_V(uint, N, v), v = -a, TAKE_V(uint, N, v), v = +a, TAKE_V(uint, N, v);\
        v = a + s, TAKE_V(uint, N, v), v = s - a, TAKE_V(uint, N, v), v = a * 2.0f, TAKE_V(uint, N, v), v = a / 4, TAKE_V(uint, N, v);\
        r = a < b, TAKE_V(uint, N, r), r = a <= b, TAKE_V(uint, N, r), r = a > b, TAKE_V(uint, N, r), r = a >= b, TAKE_V(uint, N, r);\
        r = a == b, TAKE_V(uint, N, r), r = a != b, TAKE_V(uint, N, r), r = a && b, TAKE_V(uint, N, r), r = a || b, TAKE_V(uint, N, r);\
        r = !a, TAKE_V(uint, N, r), r = a < s, TAKE_V(uint, N, r), r = s == a, TAKE_V(uint, N, r), r = a && s, TAKE_V(uint, N, r);\
        v = (a < b) ? a : b, TAKE_V(uint, N, v), v = (a > s) ? a : s, TAKE_V(uint, N, v);                              \
        v = a, v += b, TAKE_V(uint, N, v), v -= s, TAKE_V(uint, N, v), v *= b, TAKE_V(uint, N, v), v /= 8.0f, TAKE_V(uint, N, v);\
        return FOLD##N(sum) + sizeof(a < b) + sizeof(a + s) + sizeof(!a);                                              \
    }
FLOATS(2) FLOATS(3) FLOATS(4) FLOATS(8) FLOATS(16)
__kernel void of_float(__global const uint *in, __global uint *out)
{
    BEGIN;
    float16 a = convert_float16(as_char16(vload4(0, in))), b = convert_float16(as_char16(vload4(3, in))) * 0.25f;
    out[0] = float2_all(a.xy, b.xy, b.x), out[1] = float3_all(a.xyz, b.xyz, b.z), out[2] = float4_all(a.lo.lo, b.hi.hi, a.y);
    out[3] = float8_all(a.odd, b.lo, a.x), out[4] = float16_all(a, b, -b.s7);
    float x = a.x, y = b.x, z = x;
    out[5] = (x < y) + (x == y) * 2 + (x && y) * 4 + !x * 8 + (x || y) * 16 + sizeof(x < y) * 32 + sizeof(x + 1) * 512;
    out[6] = as_uint(x + y), out[7] = as_uint(-x * y), out[8] = as_uint(z + 1), out[9] = as_uint(z -= 3);
    out[10] = as_uint(x / 2 + (y != 0 ? x : y) + (char)3 + 'a');
}

// The types of results, by their sizes and by what becomes of -1 in them.
#define KIND(x) ((sizeof(x) << 2) + (((x) * 0 - 1) < 0 ? 1 : 0))
__kernel void result_types(__global const uint *in, __global uint *out)
{
    BEGIN;
    char c = in[0];
    uchar uc = in[0];
    short s = in[0];
    ushort us = in[0];
    int i = in[0];
    uint u = in[0];
    long l = in[0];
    ulong ul = in[0];
    float f = 1;
    bool b = in[0] & 1;
    uint k = 0, hash = 0;
#define PAIR(x, y) hash = hash * 33 + KIND(x + y), hash = hash * 33 + KIND(x & y), hash = hash * 33 + KIND((b ? x : y)),\
    hash = hash * 33 + sizeof(x << y), hash = hash * 33 + sizeof(x == y), hash = hash * 33 + sizeof(x && y);
#define ROW(x) hash = 0; PAIR(x, c) PAIR(x, uc) PAIR(x, s) PAIR(x, us) PAIR(x, i) PAIR(x, u) PAIR(x, l) PAIR(x, ul) PAIR(x, b)\
    out[k++] = hash;
    ROW(c) ROW(uc) ROW(s) ROW(us) ROW(i) ROW(u) ROW(l) ROW(ul) ROW(b)
    out[9] = sizeof(f + c) + sizeof(f + ul) * 16 + sizeof(b ? f : i) * 256 + sizeof(!f) * 4096 + sizeof(-f) * 65536;
    out[10] = sizeof(c++) + sizeof(-c) * 16 + sizeof(~us) * 256 + sizeof(+b) * 4096 + sizeof(!ul) * 65536;
    out[11] = sizeof(c = l) + sizeof(l, c) * 16 + sizeof(c += 1) * 256 + sizeof('a') * 4096 + sizeof(c < c) * 65536;
    out[12] = sizeof(sizeof c) + sizeof(&c - &c) * 16 + sizeof(1 ? c : c) * 256 + sizeof(1 ? 0 : ul) * 4096;
    char t[5];
    out[13] = sizeof(0, t) + sizeof(b ? t : t) * 16 + sizeof t * 256 + sizeof(t + 0) * 4096 + sizeof *t * 65536;
    out[14] = (c - uc > 0) + ((uc - 1 < 0) << 1) + ((u - u - 1 > 0) << 2) + ((us * 0 - 1 < 0) << 3) + ((-1 < 0u) << 4) +
              ((i * 0 - 1 < u * 0) << 5) + ((l * 0 - 1 < u) << 6) + ((-1L < 0ul) << 7) + ((~0u == ~0ul) << 8) +
              ((-1 == 0xffffffff) << 9) + ((-1 == 0xffffffffffffffff) << 10) + ((2147483648 > 0) << 11) +
              ((-2147483648 < 0) << 12) + ((0x80000000 > 0) << 13) + ((-0x80000000 > 0) << 14) + (sizeof(2147483648) << 15) +
              (sizeof(0xffffffff) << 19) + (sizeof(037777777777) << 23) + (sizeof(1u) << 27);
    out[15] = sizeof(4294967296) + sizeof(1ul) * 16 + sizeof(0x1L) * 256 + sizeof(1.f) * 4096 + sizeof(0x1p3f) * 65536;
}

// A built-in gets what the expression is in C.
__kernel void into_builtins(__global const uint *in, __global uint *out)
{
    BEGIN;
    char c = in[0], d = in[1];
    uchar uc = in[2];
    bool b = in[3] & 1;
    out[0] = clz(b ? c : d), out[1] = clz(c), out[2] = clz(+c), out[3] = clz((char)(c + d)), out[4] = clz(c = d);
    out[5] = mul_hi(c + 0, d + 0), out[6] = mul_hi(c, d), out[7] = hadd(uc, (uchar)255), out[8] = clz('a');
    out[9] = clz(c < d), out[10] = clz(!c), out[11] = clz(~uc), out[12] = clz(uc << 1), out[13] = clz(-uc);
    out[14] = clz((uc, c)) + popcount(c < d) + popcount(-(c < d)), out[15] = clz(sizeof c) + clz(b ? 1 : 2) + clz(c++);
}

// bool: 0 or 1 whatever is stored; a vector of a bool is all bits.
__kernel void bools(__global const uint *in, __global uint *out)
{
    BEGIN;
    bool a = in[0], b = (float)in[8] * 0.25f, c = &a, d = 0.5f, e;
    out[0] = a + b + c + d, out[1] = a << 3 | b << 2 | -c, e = in[1] & 256, out[2] = e, out[3] = ~a;
    e = in[2] & 1, e += 5, out[4] = e, e = -e, out[5] = e, e -= 1, out[6] = e;
    e = in[2] & 1, e++, out[7] = e, ++e, out[7] += e;
    e = in[2] & 1, out[8] = e--, out[8] += e * 2, out[8] += --e * 4, out[8] += (e++ + 1) * 8;
    int4 v = (int4)(a < b), w = (int4)(in[3] & 1) + (int4)e * 2 + (int4)(e) * 8 + (int4)(e, e, e, e) * 32;
    v += a;
    vstore4(as_uint4(v + w), 0, out + 9);
    out[13] = as_uint((float2)(e).y) + (a == true) + (b != false);
    out[14] = (a ? 2 : 3) + (bool)in[1] + (bool)0x100 + !!in[2];
}
