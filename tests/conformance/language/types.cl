// SPDX-License-Identifier: Apache-2.0
// Sizes and alignments (6.1.1, 6.1.2, 6.1.5), attributes (6.11), predefined macros and constants (6.10, 6.12.2, 6.12.3).
#pragma OPENCL EXTENSION all : disable
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16
#define OFFSET(member, s) ((uint)((__private char *)&(s).member - (__private char *)&(s)))

#define SIZES(T) (sizeof(T##2) | sizeof(T##3) << 6 | sizeof(T##4) << 12 | sizeof(T##8) << 18 | sizeof(T##16) << 24)
#define OFFSETS(T) struct { char c; T a; char d; T##2 e; char f; T##3 g; char h; T##16 i; T##8 j; T##4 k; } at_##T; \
    hash = hash * 31 + OFFSET(a, at_##T), hash = hash * 31 + OFFSET(e, at_##T), hash = hash * 31 + OFFSET(g, at_##T), \
    hash = hash * 31 + OFFSET(h, at_##T), hash = hash * 31 + OFFSET(i, at_##T), hash = hash * 31 + OFFSET(k, at_##T), \
    hash = hash * 31 + sizeof at_##T
__kernel void sizes(__global const uint *in, __global uint *out)
{
    BEGIN;
    out[0] = SIZES(char), out[1] = SIZES(uchar), out[2] = SIZES(short), out[3] = SIZES(ushort), out[4] = SIZES(int);
    out[5] = SIZES(uint), out[6] = SIZES(float), out[7] = sizeof(long16) + sizeof(ulong3) * 1000;
    out[8] = sizeof(char) + sizeof(short) * 16 + sizeof(int) * 256 + sizeof(long) * 4096 + sizeof(float) * 65536;
    out[9] = sizeof(size_t) + sizeof(ptrdiff_t) * 16 + sizeof(intptr_t) * 256 + sizeof(uintptr_t) * 4096 + sizeof(half) * 65536;
    out[10] = sizeof(unsigned char) + sizeof(unsigned) * 16 + sizeof(long unsigned int) * 256 + sizeof(short signed) * 4096 +
              sizeof(char unsigned) * 65536 + sizeof(int unsigned short) * 1048576;
    out[11] = sizeof(__global uint *) + sizeof(__local char *) * 16 + sizeof(void *) * 256;
    out[12] = (uint)__alignof__(float3) + (uint)__alignof__(char16) * 64 + (uint)__alignof__(long) * 4096;
    uint hash = 0;
    OFFSETS(char);
    OFFSETS(short);
    OFFSETS(int);
    OFFSETS(ulong);
    OFFSETS(float);
    out[13] = hash;
    out[14] = (unsigned char)300 + (signed char)200 + (unsigned short)-1 + (char)-1 + (short int)40000;
}

struct plain { char c; int i; short s; long l; };
struct __attribute__((packed)) packed { char c; int i; short s; float v[3]; };
struct __attribute__((packed)) packed_vectors { float4 a; int b[2]; uchar8 c; };
struct packed_in_part { char c; int i __attribute__((packed)); short s; long l __attribute__((packed)); };
struct aligned { char c; int i __attribute__((aligned(16))); } __attribute__((aligned(64)));
typedef struct { uchar4 a; float3 b[2]; struct plain p; union { long l; char16 c; } u; } __attribute__((aligned(32))) mixed;
typedef float aligned_float __attribute__((aligned(32)));
typedef struct { char c; aligned_float f; } with_aligned;
struct with_endian { int i __attribute__((endian(device))); uint4 v __attribute__((endian(host))); };
__kernel void records(__global const uint *in, __global uint *out)
{
    BEGIN;
    struct plain p[2];
    struct packed q[3];
    struct packed_in_part r;
    struct aligned s[2];
    mixed m[2];
    with_aligned w;
    out[0] = sizeof p | OFFSET(i, p[0]) << 8 | OFFSET(s, p[0]) << 16 | OFFSET(l, p[0]) << 24;
    out[1] = sizeof q | OFFSET(i, q[0]) << 8 | OFFSET(s, q[0]) << 16 | OFFSET(v[1], q[0]) << 24;
    out[2] = sizeof r | OFFSET(i, r) << 8 | OFFSET(s, r) << 16 | OFFSET(l, r) << 24;
    out[3] = sizeof s | OFFSET(i, s[0]) << 16 | (uint)__alignof__(struct aligned) << 24;
    out[4] = sizeof m | OFFSET(b, m[0]) << 16, out[5] = OFFSET(p, m[0]) | OFFSET(u, m[0]) << 16, out[6] = sizeof(mixed);
    out[7] = sizeof w | OFFSET(f, w) << 16, out[8] = sizeof(struct with_endian) + sizeof(struct { char c[3]; }) * 1000;
    out[13] = sizeof(struct packed_vectors);
    out[9] = sizeof(union { char c[5]; short s; }) + sizeof(union { float3 v; char c[17]; }) * 100;
    q[1].i = in[0], q[1].v[2] = in[8], q[2].s = in[1];
    out[10] = q[1].i + as_uint(q[1].v[2]) + q[2].s;
    uint odd[3] __attribute__((aligned(64))) = {1, 2, 3}, total __attribute__((unused)) = 0;
    out[11] = ((uint)(size_t)odd & 63) + odd[2], out[12] = ((uint)(size_t)&s[1] & 63) + ((uint)(size_t)&m[0] & 31);
}

__attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(64, 1, 1)))
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
with_attributes(__global const uint *restrict in __attribute__((unused)), __global uint *const out)
{
    uint sum = 0;
    __attribute__((opencl_unroll_hint(4)))
    for (uint i = 0; i < 16; i++)
        sum = sum * 3 + in[get_global_id(0) * 16 + i];
    __attribute__((opencl_unroll_hint))
    for (uint i = 0; i < 4; i++)
        sum ^= i;
#pragma unroll
    for (uint i = 0; i < 4; i++)
        sum += i;
#pragma unroll 2
    for (uint i = 0, unused __attribute__((unused)) = 1; i < 7; i++) {
        uint i = 3;
        sum += i;
    }
    out[get_global_id(0) * 16] = sum;
}

#define F(x) as_uint((float)(x))
__kernel void macros(__global const uint *in, __global uint *out)
{
    BEGIN;
    out[0] = __OPENCL_VERSION__ >= 120, out[1] = CL_VERSION_1_0 + CL_VERSION_1_1 * 7 + CL_VERSION_1_2 * 31;
    out[2] = __OPENCL_C_VERSION__;
#ifdef __ENDIAN_LITTLE__
    out[3] = __ENDIAN_LITTLE__;
#endif
#ifdef __FAST_RELAXED_MATH__
    out[4] = 77;
#else
    out[4] = 5;
#endif
    out[5] = __LINE__ + sizeof(__FILE__ "") * 0 + __STDC_VERSION__ / 199901;
    out[6] = CHAR_BIT + SCHAR_MAX * 3 + SCHAR_MIN * 5 + CHAR_MAX * 7 + CHAR_MIN * 11 + UCHAR_MAX * 13;
    out[7] = SHRT_MAX + SHRT_MIN * 3 + USHRT_MAX * 5, out[8] = INT_MAX ^ INT_MIN * 1 ^ UINT_MAX / 3;
    out[9] = (LONG_MAX >> 7) ^ (LONG_MIN >> 3) ^ (ULONG_MAX >> 32), out[10] = sizeof(INT_MIN) + sizeof(LONG_MIN) * 16;
    out[11] = sizeof(UINT_MAX) + sizeof(ULONG_MAX) * 16 + sizeof(CHAR_MAX) * 256 + (UINT_MAX > 0) + (INT_MIN < 0) * 2;
    out[12] = CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE << 4, out[13] = NULL == 0, out[14] = true + false * 2;
}

__kernel void constants(__global const uint *in, __global uint *out)
{
    BEGIN;
    out[0] = F(M_E_F), out[1] = F(M_LOG2E_F), out[2] = F(M_LOG10E_F), out[3] = F(M_LN2_F);
    out[4] = F(M_LN10_F), out[5] = F(M_PI_F), out[6] = F(M_PI_2_F), out[7] = F(M_PI_4_F);
    out[8] = F(M_1_PI_F), out[9] = F(M_2_PI_F), out[10] = F(M_2_SQRTPI_F), out[11] = F(M_SQRT2_F);
    out[12] = F(M_SQRT1_2_F), out[13] = F(MAXFLOAT), out[14] = F(HUGE_VALF), out[15] = F(INFINITY);
}
__kernel void more_constants(__global const uint *in, __global uint *out)
{
    BEGIN;
    out[0] = F(FLT_MAX), out[1] = F(FLT_MIN), out[2] = F(FLT_EPSILON), out[3] = (uint)(FLT_DIG);
    out[4] = (uint)(FLT_MANT_DIG), out[5] = (uint)(FLT_MAX_10_EXP), out[6] = (uint)(FLT_MAX_EXP), out[7] = (uint)(FLT_MIN_10_EXP);
    out[8] = (uint)(FLT_MIN_EXP), out[9] = (uint)(FLT_RADIX), out[10] = FP_ILOGB0 == INT_MIN || FP_ILOGB0 == -INT_MAX;
    out[11] = FP_ILOGBNAN == INT_MIN || FP_ILOGBNAN == INT_MAX;
    out[12] = NAN != NAN, out[13] = sizeof(FLT_MAX) + sizeof(M_PI_F) * 16 + sizeof(INFINITY) * 256;
}

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define D(x) as_ulong((double)(x))
__kernel void of_doubles(__global const uint *in, __global ulong *out)
{
    in += get_global_id(0) * 16, out += get_global_id(0) * 8;
    out[0] = D(M_E) * 1 ^ D(M_PI_4) * 3 ^ D(DBL_MIN) * 5;
    out[1] = D(M_LOG2E) * 1 ^ D(M_1_PI) * 3 ^ D(DBL_EPSILON) * 5;
    out[2] = D(M_LOG10E) * 1 ^ D(M_2_PI) * 3 ^ D(HUGE_VAL) * 5;
    out[3] = D(M_LN2) * 1 ^ D(M_2_SQRTPI) * 3;
    out[4] = D(M_LN10) * 1 ^ D(M_SQRT2) * 3;
    out[5] = D(M_PI) * 1 ^ D(M_SQRT1_2) * 3;
    out[6] = D(M_PI_2) * 1 ^ D(DBL_MAX) * 3;
    out[7] = (DBL_DIG) * 1 + (DBL_MANT_DIG) * 10 + (DBL_MAX_10_EXP) * 100 + (DBL_MAX_EXP) * 1000 + (DBL_MIN_10_EXP) * 10000 + (DBL_MIN_EXP) * 100000 + (ulong)sizeof(M_PI) + (ulong)sizeof(double3) * 1000;
}
#endif
