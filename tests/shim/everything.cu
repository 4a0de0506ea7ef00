// SPDX-License-Identifier: Apache-2.0
// Every built-in of the prelude, instantiated: compiled for every architecture by check_prelude.sh, and for
// the host by test_prelude.cpp. Nothing here is run.
#define KN_SWIZZLES_2 KN_SWIZZLE(2, yx, 1, 0)
#define KN_SWIZZLES_3 KN_SWIZZLE(3, xy, 0, 1) KN_SWIZZLE(3, zyx, 2, 1, 0)
#define KN_SWIZZLES_4                                                                                        \
    KN_SWIZZLE(4, xy, 0, 1)                                                                                  \
    KN_SWIZZLE(4, zw, 2, 3) KN_SWIZZLE(4, lo, 0, 1) KN_SWIZZLE(4, hi, 2, 3) KN_SWIZZLE(4, xyz, 0, 1, 2)      \
        KN_SWIZZLE(4, wzyx, 3, 2, 1, 0) KN_SWIZZLE(4, xxxx, 0, 0, 0, 0)
#define KN_SWIZZLES_8  KN_SWIZZLE(8, lo, 0, 1, 2, 3) KN_SWIZZLE(8, odd, 1, 3, 5, 7)
#define KN_SWIZZLES_16 KN_SWIZZLE(16, hi, 8, 9, 10, 11, 12, 13, 14, 15)
#include "prelude.cuh"

namespace kn
{
namespace program
{

#define EACH_MATH_1(F)                                                                                       \
    F(acos)                                                                                                  \
    F(acosh) F(acospi) F(asin) F(asinh) F(asinpi) F(atan) F(atanh) F(atanpi) F(cbrt) F(ceil) F(cos) F(cosh)  \
        F(cospi) F(erf) F(erfc) F(exp) F(exp2) F(exp10) F(expm1) F(fabs) F(floor) F(lgamma) F(log) F(log2)   \
            F(log10) F(log1p) F(logb) F(rint) F(round) F(rsqrt) F(sin) F(sinh) F(sinpi) F(sqrt) F(tan)       \
                F(tanh) F(tanpi) F(tgamma) F(trunc) F(native_cos) F(native_exp) F(native_exp2)               \
                    F(native_exp10) F(native_log) F(native_log2) F(native_log10) F(native_recip)             \
                        F(native_rsqrt) F(native_sin) F(native_sqrt) F(native_tan) F(half_cos) F(half_exp)   \
                            F(half_exp2) F(half_exp10) F(half_log) F(half_log2) F(half_log10) F(half_recip)  \
                                F(half_rsqrt) F(half_sin) F(half_sqrt) F(half_tan) F(degrees) F(radians)     \
                                    F(sign)
#define EACH_MATH_2(F)                                                                                       \
    F(atan2)                                                                                                 \
    F(atan2pi) F(copysign) F(fdim) F(fmax) F(fmin) F(fmod) F(hypot) F(maxmag) F(minmag) F(nextafter) F(pow)  \
        F(powr) F(remainder) F(native_divide) F(native_powr) F(half_divide) F(half_powr) F(min) F(max)       \
            F(step)
#define EACH_MATH_3(F) F(fma) F(mad) F(mix) F(clamp) F(smoothstep)
#define EACH_TEST_1(F) F(isnan) F(isinf) F(isfinite) F(isnormal) F(signbit)
#define EACH_TEST_2(F)                                                                                       \
    F(isequal)                                                                                               \
    F(isnotequal) F(isgreater) F(isgreaterequal) F(isless) F(islessequal) F(islessgreater) F(isordered)      \
        F(isunordered)
#define EACH_INTEGER_1(F) F(clz) F(popcount)
#define EACH_INTEGER_2(F) F(add_sat) F(sub_sat) F(hadd) F(rhadd) F(mul_hi) F(rotate) F(min) F(max)
#define EACH_INTEGER_3(F) F(mad_hi) F(mad_sat) F(clamp)
#define EACH_INTEGER(F)   F(char) F(uchar) F(short) F(ushort) F(int) F(uint) F(long) F(ulong)

#define CALL_1(f)  sum += f(x);
#define CALL_2(f)  sum += f(x, y);
#define CALL_3(f)  sum += f(x, y, z);
#define COUNT_1(f) count += f(x);
#define COUNT_2(f) count += f(x, y);

template <class T, class I, class J> KN_FN void real_functions(const kn_item &kn_me, T *p, I *k, J *j)
{
    T x = p[0], y = p[1], z = p[2], sum = p[3], out;
    I count = k[0];
    J whole = j[0];
    EACH_MATH_1(CALL_1)
    EACH_MATH_2(CALL_2)
    EACH_MATH_3(CALL_3)
    EACH_TEST_1(COUNT_1)
    EACH_TEST_2(COUNT_2)
    sum += fract(x, &out) + modf(x, &p[4]) + sincos(x, &p[5]) + frexp(x, j) + lgamma_r(x, j + 1) +
           remquo(x, y, j + 2);
    sum += ldexp(x, whole) + pown(x, whole) + rootn(x, whole) + ldexp(x, 2) + out;
    sum += select(x, y, count) + bitselect(x, y, z) + kn_as<T>(count);
    j[3] = ilogb(x);
    k[1] = count;
    k[2] = count * any(count) + all(count);
    p[6] = sum;
    (void)kn_me;
}

template <class T> KN_FN void integer_functions(T *p)
{
    T x = p[0], y = p[1], z = p[2], sum = p[3];
    EACH_INTEGER_1(CALL_1)
    EACH_INTEGER_2(CALL_2)
    EACH_INTEGER_3(CALL_3)
    sum += kn_shl(x, y) + kn_shr(x, 3) + (x / y) % z + ((x & y) | (z ^ ~x)) + -x;
    sum += kn_as<T>(abs(x)) + kn_as<T>(abs_diff(x, y));
    p[4] = select(x, y, z) + bitselect(x, y, z);
    p[5] = sum++;
    p[6] = --sum;
}

template <class T> KN_FN void conversions(T *p, float4 *f, double4 *d, uchar4 *c, long4 *l)
{
    f[0] = kn_convert<float4>(*p) + kn_convert<float4, kn_rtz>(*p) + kn_convert<float4, kn_rtp>(*p);
    d[0] = kn_convert<double4, kn_rtn>(*p);
    c[0] = kn_convert<uchar4, kn_sat>(*p) + kn_convert<uchar4>(*p);
    l[0] = kn_convert<long4, kn_sat>(*p);
    p[1] = kn_convert<T, kn_rte>(f[1]) + kn_convert<T, kn_sat, kn_rtp>(f[2]) + kn_convert<T, kn_rtn>(d[1]);
    p[2] = kn_convert<T, kn_sat>(d[2]) + kn_convert<T, kn_sat>(l[1]) + kn_convert<T>(c[1]);
}

template <class T> KN_FN void atomics(volatile T *p)
{
    T x = p[1];
    x += atomic_add(p, x) + atomic_sub(p, x) + atomic_and(p, x) + atomic_or(p, x) + atomic_xor(p, x);
    x += atomic_min(p, x) + atomic_max(p, x) + atomic_xchg(p, x) + atomic_inc(p) + atomic_dec(p);
    x += atom_add(p, 1) + atom_sub(p, 1) + atom_and(p, 1) + atom_or(p, 1) + atom_xor(p, 1) + atom_min(p, 1);
    x += atom_max(p, 1) + atom_xchg(p, 1) + atom_inc(p) + atom_dec(p) + atom_cmpxchg(p, 1, 2);
    p[2] = x + atomic_cmpxchg(p, x, x + 1);
}

KN_BODY void reals(const kn_item &kn_me, float *f, float4 *f4, double *d, double4 *d4, int *i, int4 *i4,
                   long4 *l4)
{
    real_functions(kn_me, f, i, i + 8);
    real_functions(kn_me, (float2 *)f4, (int2 *)i4, (int2 *)i4 + 8);
    real_functions(kn_me, d, (long *)l4, i + 16);
    real_functions(kn_me, (double2 *)d4, (long2 *)l4, (int2 *)i4 + 16);
    f4[0] =
        cross(f4[1], f4[2]) * dot(f4[0], f4[1]) + length(f4[3]) + distance(f4[1], f4[2]) + normalize(f4[4]);
    f4[0] += fast_length(f4[1]) + fast_distance(f4[1], f4[2]) + fast_normalize(f4[3]) + length(f[0]) +
             dot(f[0], f[1]);
    f4[0].xyz = cross(f4[1].xyz, f4[2].xyz) + normalize(f4[3].xyz);
    f4[0] = max(f4[0], 0.0f) + clamp(f4[1], 0.0f, 1.0f) + mix(f4[0], f4[1], 0.5f) + step(0.5f, f4[1]) +
            fmin(f4[1], 1);
    f4[1] = nan(kn_cast<uint4>(1)) + smoothstep(0.0f, 1.0f, f4[2]) + nan(3u);
}

KN_BODY void integers(const kn_item &, char *c, ushort4 *s, int *i, uint4 *u, long *l, ulong16 *m, float4 *f)
{
#define INTEGER_FUNCTIONS(T)                                                                                 \
    integer_functions((T *)c);                                                                               \
    integer_functions((T##2 *)s);                                                                            \
    conversions((T##4 *)u, f, (double4 *)m, (uchar4 *)c, (long4 *)l);
    EACH_INTEGER(INTEGER_FUNCTIONS)
    conversions(f + 8, f, (double4 *)m, (uchar4 *)c, (long4 *)l);
    atomics(i);
    atomics((uint *)i);
    atomics(l);
    atomics((ulong *)l);
    f[0].x = atomic_xchg((float *)f, 2.0f);
    i[0] = mul24(i[1], i[2]) + mad24(i[1], i[2], i[3]);
    u[0] = mul24(u[1], u[2]) + mad24(u[1], u[2], u[3]);
    l[0] = upsample(i[0], (uint)i[1]);
    s[0] = upsample(*(uchar4 *)c, *(uchar4 *)c);
    m[0].hi = m[0].hi + 1;
    u[1] = shuffle(u[2], kn_make<uint4>(3, 2, 1, 0)) + shuffle2(u[2], u[3], kn_make<uint4>(7, 2, 1, 0));
}

KN_BODY void memory(const kn_item &kn_me, float *f, half *h, int n, float4 *v)
{
    KN_LOCAL_VAR float tile[256];
    event_t e = async_work_group_copy(kn_me, tile, f, (size_t)n, 0);
    e = async_work_group_strided_copy(kn_me, tile, f, (size_t)n, 3, e);
    wait_group_events(kn_me, 1, &e);
    barrier(kn_me, CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    mem_fence(kn_me, CLK_GLOBAL_MEM_FENCE);
    read_mem_fence(kn_me, CLK_LOCAL_MEM_FENCE);
    write_mem_fence(kn_me, CLK_LOCAL_MEM_FENCE);
    prefetch(f, (size_t)n);
    kn_vstore<2>(kn_vload<2>(1, f), 0, f);
    kn_vstore<3>(kn_vload<3>(1, f), 0, f);
    kn_vstore<16>(kn_vload<16>(1, f), 0, f);
    kn_vstore_half<1>(kn_vload_half<1>(1, h), 0, h);
    kn_vstore_half<4, kn_rtz>(kn_vload_half<4>(1, h), 0, h);
    kn_vstorea_half<3, kn_rtp>(kn_vloada_half<3>(1, h), 0, h);
    kn_vstorea_half<16, kn_rtn>(kn_vloada_half<16>(1, h), 0, h);
    kn_vstore_half<4>(kn_convert<double4>(v[0]), 0, h);
    f[get_global_id(kn_me, 0)] = tile[get_local_id(kn_me, 0)] + get_group_id(kn_me, 1) + get_work_dim(kn_me);
    f[get_global_size(kn_me, 0)] =
        get_local_size(kn_me, 2) + get_num_groups(kn_me, 5) + get_global_offset(kn_me, 1);
    v[0] = kn_ternary(
        v[1] < v[2], [&] { return v[3]; }, [&] { return 0.0f; });
    v[1] = kn_ternary(
        n < 2, [&] { return v[3].wzyx; }, [&] { return v[2]; });
    v[2].wzyx = v[3].xxxx;
    v[2].xy = v[2].lo;
    v[3].xy += 1;
    kn_pick<1, 0>(v[0].hi) = kn_rvalue(v[1].hi).yx;
    kn_pick<1>(v[0].lo) = 2;
    float *q = kn_ternary(
        n, [&] { return f; }, [&] { return 0; });
    printf("%g %g\n", kn_component(v[0], 1), kn_component(v[0].wzyx, 2));
    q[0] = n;
}

struct pair {
    int a;
    float4 b;
    float c[2];
    const float *d;
};
KN_CONSTANT_VAR float4 table[2] = {kn_make<float4>(1, 2.0, 3, 4), kn_make<float4>(INFINITY)};
KN_CONSTANT_VAR float limits[5] = {NAN, FLT_MAX, -HUGE_VALF, M_PI_F, kn_init(1.5)};

KN_BODY void values(const kn_item &, float4 *v, int n)
{
    pair p = {kn_init(1.5f), kn_init(v[0]), {kn_init(n), kn_init(2)}, kn_init(0)};
    pair flat = {kn_init(1.5f), kn_init(v[0]), kn_init(n), kn_init(2), kn_init(0)};
    float4 list = {v[0].xy, 1, 2};
    v[0] = p.b * table[n] + limits[n] + p.c[1] + list + p.a + flat.c[0];
    v[1] = kn_make<float4>(v[2].xyz, kn_cast<float>(n)) + kn_cast<float4>(n);
    v[2] = kn_as<float4>(kn_make<int4>(n, kn_make<int2>(1, 2), true));
}

} // namespace program
} // namespace kn

KN_KERNEL(reals)
(float *f, kn::float4 *f4, double *d, kn::double4 *d4, int *i, kn::int4 *i4, kn::long4 *l4, KN_ITEM_PARAM)
{
    kn::program::reals(kn_me, f, f4, d, d4, i, i4, l4);
}
KN_KERNEL(integers)
(char *c, kn::ushort4 *s, int *i, kn::uint4 *u, long *l, kn::ulong16 *m, kn::float4 *f, KN_ITEM_PARAM)
{
    kn::program::integers(kn_me, c, s, i, u, l, m, f);
}
KN_KERNEL(memory)(float *f, kn::half *h, int n, kn::float4 *v, KN_ITEM_PARAM)
{
    kn::program::memory(kn_me, f, h, n, v);
}
KN_KERNEL_SIZED(values, 64, 1, 1)(kn::float4 *v, int n, KN_ITEM_PARAM)
{
    kn::program::values(kn_me, v, n);
}
