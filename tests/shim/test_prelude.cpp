// SPDX-License-Identifier: Apache-2.0
// The prelude's built-ins on the host shim, against what OpenCL C 1.2 says of them, written here a second
// time in plain C++: integers, conversions and half exactly (8 and 16 bits exhaustively), maths within the
// specification's ULP.
#include "shim.h"
#include "everything.cu"
#include "shim_run.h"
#include <cfenv>
#include <climits>
#include <type_traits>

using namespace kn;

static long failures, checks;

template <class A, class B> static void expect_at(int line, const char *what, A got, B want)
{
    checks++;
    if (got == (A)want || (got != got && want != want))
        return;
    if (failures++ < 40)
        std::fprintf(stderr, "test_prelude.cpp:%d: %s is %.17g, expected %.17g\n", line, what, (double)got,
                     (double)want);
}
#define EXPECT(got, want) expect_at(__LINE__, #got, got, want)

// ---- maths: `ulp` units of float (or double) around the value of wider precision

template <class T> static double ulp_of(long double want)
{
    T near = (T)std::fabs(want), next;
    if (std::isinf(near))
        near = std::numeric_limits<T>::max();
    next = std::nextafter(near, std::numeric_limits<T>::infinity());
    return std::isinf(next) ? (double)(near - std::nextafter(near, (T)0)) : (double)(next - near);
}
template <class T>
static void near_at(int line, const char *what, T x, T y, T got, long double want, double ulp)
{
    checks++;
    if (got == (T)want || (got != got && want != want))
        return;
    long double off = std::fabs((long double)got - want) / ulp_of<T>(want);
    if (off <= ulp)
        return;
    if (failures++ < 40)
        std::fprintf(stderr, "test_prelude.cpp:%d: %s at %.9g, %.9g is %.9g, expected %.9Lg (%.1Lf ulp)\n",
                     line, what, (double)x, (double)y, (double)got, want, off);
}

static const double points[] = {0.0,   -0.0,  1.0,   -1.0,   0.5,      -0.5,      1.5,      -1.5,      2.5,
                                -2.5,  3.0,   -3.0,  0.1,    -0.1,     7.25,      -7.25,    20.0,      -20.0,
                                1e-3,  -1e-3, 1e-30, -1e-30, 1e-40,    1e30,      -1e30,    85.0,      -85.0,
                                0.999, 1.001, 123.5, -123.5, 16777217, 3.1415926, INFINITY, -INFINITY, NAN};

#define NEAR_1(name, ulp, ...)                                                                               \
    for (double p : points) {                                                                                \
        float x = (float)p;                                                                                  \
        long double v = x;                                                                                   \
        near_at(__LINE__, #name, x, 0.0f, kn::name(x), (long double)(__VA_ARGS__), ulp);                     \
        float4 w = kn::name(kn_make<float4>(x, 1, 1, x));                                                    \
        near_at(__LINE__, #name " of a vector", x, 0.0f, w.w, (long double)(__VA_ARGS__), ulp);              \
        double d = (double)x;                                                                                \
        near_at(__LINE__, #name " of a double", d, 0.0, kn::name(d), (long double)(__VA_ARGS__), ulp + 1);   \
    }
#define NEAR_2(name, ulp, ...)                                                                               \
    for (double p : points)                                                                                  \
        for (double q : points) {                                                                            \
            float x = (float)p, y = (float)q;                                                                \
            long double v = x, u = y;                                                                        \
            near_at(__LINE__, #name, x, y, kn::name(x, y), (long double)(__VA_ARGS__), ulp);                 \
            float2 w = kn::name(kn_make<float2>(1, x), kn_make<float2>(1, y));                               \
            near_at(__LINE__, #name " of a vector", x, y, w.y, (long double)(__VA_ARGS__), ulp);             \
            double d = (double)x, e = (double)y;                                                             \
            near_at(__LINE__, #name " of a double", d, e, kn::name(d, e), (long double)(__VA_ARGS__),        \
                    ulp + 1);                                                                                \
        }

static const long double pi = 3.14159265358979323846264338327950288L;

static long double exact_powr(long double x, long double y)
{
    if (!(x >= 0) || y != y || (y == 0 && (x == 0 || std::isinf(x))) || (x == 1 && std::isinf(y)))
        return NAN;
    return powl(std::fabs(x), y);
}

static void test_maths(void)
{
    NEAR_1(acos, 4, acosl(v))
    NEAR_1(acosh, 4, acoshl(v))
    NEAR_1(acospi, 5, acosl(v) / pi)
    NEAR_1(asinpi, 5, asinl(v) / pi)
    NEAR_1(atanpi, 5, atanl(v) / pi)
    NEAR_1(cbrt, 2, cbrtl(v))
    NEAR_1(ceil, 0, ceill(v))
    NEAR_1(exp, 3, expl(v))
    NEAR_1(exp2, 3, exp2l(v))
    NEAR_1(exp10, 3, exp10l(v))
    NEAR_1(fabs, 0, fabsl(v))
    NEAR_1(floor, 0, floorl(v))
    NEAR_1(log, 3, logl(v))
    NEAR_1(log1p, 2, log1pl(v))
    NEAR_1(rint, 0, rintl(v))
    NEAR_1(round, 0, roundl(v))
    NEAR_1(rsqrt, 2, 1 / sqrtl(v))
    NEAR_1(sin, 4, sinl(v))
    NEAR_1(sqrt, 0, sqrtl(v))
    NEAR_1(tanh, 5, tanhl(v))
    NEAR_1(trunc, 0, truncl(v))
    NEAR_1(sign, 0, v > 0 ? 1 : v < 0 ? -1 : v == 0 ? v : 0)
    NEAR_1(degrees, 2, v * 180 / pi)
    NEAR_1(half_recip, 8192, 1 / v)
    NEAR_2(fmax, 0, fmaxl(v, u))
    NEAR_2(fmin, 0, fminl(v, u))
    NEAR_2(fmod, 0, fmodl(v, u))
    NEAR_2(hypot, 4, hypotl(v, u))
    NEAR_2(atan2pi, 6, atan2l(v, u) / pi)
    NEAR_2(pow, 16, powl(v, u))
    NEAR_2(powr, 16, exact_powr(v, u))
    NEAR_2(copysign, 0, copysignl(v, u))
    NEAR_2(fdim, 0, x > y ? (std::isinf(x) ? x : v - u) : x == x && y == y ? 0 : NAN)
    NEAR_2(maxmag, 0, fabsl(v) > fabsl(u) ? v : fabsl(u) > fabsl(v) ? u : fmaxl(v, u))
}

static long double exact_rootn(long double x, int n)
{
    if (n == 0 || (x < 0 && n % 2 == 0))
        return NAN;
    long double r = powl(fabsl(x), 1.0L / n);
    return n % 2 ? copysignl(r, x) : r;
}

static void test_powers(void)
{
    for (double p : points)
        for (int n : {-33554433, -7, -3, -2, -1, 0, 1, 2, 3, 5, 10, 33554433, 2147483647, INT_MIN}) {
            float x = (float)p;
            near_at(__LINE__, "pown", x, (float)n, pown(x, n), powl(x, n), 16);
            near_at(__LINE__, "rootn", x, (float)n, rootn(x, n), exact_rootn(x, n), 16);
            near_at(__LINE__, "rootn of a double", (double)x, (double)n, rootn((double)x, n),
                    exact_rootn(x, n), 16);
        }
    for (int n : {33554433, 2147483647, -2147483647}) // near 1, where large powers are finite
        for (float x : {1.0000001f, 0.9999999f, -1.0000001f, -0.9999999f})
            near_at(__LINE__, "pown", x, (float)n, pown(x, n), powl(x, n), 16);
    EXPECT(tanpi(0.0f), 0.0f);
    EXPECT(tanpi(0.25f), 1.0f);
    EXPECT(tanpi(0.5f), INFINITY);
    EXPECT(tanpi(1.5f), -INFINITY);
    EXPECT(signbit(tanpi(1.0f)), 1);
    EXPECT(signbit(tanpi(-2.0f)), 1);
}

static void test_pointers(void)
{
    float whole;
    float4 whole4;
    int e;
    int4 e4;
    EXPECT(fract(-0.25f, &whole), 0.75f);
    EXPECT(whole, -1.0f);
    EXPECT(fract(-1e-30f, &whole), 0x1.fffffep-1f);
    float4 f = fract(kn_make<float4>(1.5f, -1.5f, 2, 0.125f), &whole4);
    EXPECT(f.y, 0.5f);
    EXPECT(whole4.y, -2.0f);
    EXPECT(frexp(12.0f, &e), 0.75f);
    EXPECT(e, 4);
    f = frexp(kn_make<float4>(12, 1, 0, -3), &e4);
    EXPECT(f.w, -0.75f);
    EXPECT(e4.w, 2);
    EXPECT(modf(-2.5, (double *)&f), -0.5);
    EXPECT(lgamma_r(-0.5f, &e), (float)lgammal(-0.5L));
    EXPECT(e, -1);
    lgamma_r(-1.5f, &e);
    EXPECT(e, 1);
    EXPECT(remquo(7.0f, 2.0f, &e), -1.0f);
    EXPECT(e, 4);
    EXPECT(sincos(0.0f, &whole), 0.0f);
    EXPECT(whole, 1.0f);
    EXPECT(ldexp(kn_make<float4>(1), kn_make<int4>(1, 2, 3, -149)).w, 0x1p-149f);
    EXPECT(ilogb(0.0f), INT_MIN);
    EXPECT(ilogb(NAN), INT_MAX);
    EXPECT(kn_as<uint>(kn::nan(5u)), 0x7fc00005u);
}

// ---- integers

template <class T> static __int128 saturated(__int128 x)
{
    const __int128 high = kn_int_max<T>, low = kn_int_min<T>;
    return x > high ? high : x < low ? low : x;
}
template <class T> static __int128 floor_half(__int128 x)
{
    return x >= 0 ? x / 2 : -((1 - x) / 2);
}

template <class T> static void test_pair(T a, T b, T c)
{
    constexpr int bits = 8 * sizeof(T);
    __int128 x = a, y = b, z = c;
    EXPECT(add_sat(a, b), (T)saturated<T>(x + y));
    EXPECT(sub_sat(a, b), (T)saturated<T>(x - y));
    EXPECT(hadd(a, b), (T)floor_half<T>(x + y));
    EXPECT(rhadd(a, b), (T)floor_half<T>(x + y + 1));
    EXPECT(abs_diff(a, b), (kn_unsigned<T>)(x > y ? x - y : y - x));
    EXPECT(abs(a), (kn_unsigned<T>)((unsigned __int128)(x < 0 ? -1 : 1) * (unsigned __int128)x));
    unsigned __int128 product = (unsigned __int128)x * (unsigned __int128)y; // the largest is no __int128
    bool is_wide = !kn_is_signed<T> && product >> 126;
    EXPECT(mad_sat(a, b, c), is_wide ? kn_int_max<T> : (T)saturated<T>((__int128)product + z));
    EXPECT(mul_hi(a, b), (T)(product >> bits));
    EXPECT(mad_hi(a, b, c), (T)(kn_unsigned<T>)((product >> bits) + (kn_unsigned<T>)c));
    EXPECT(clamp(a, min(b, c), max(b, c)), x < min(b, c) ? min(b, c) : x > max(b, c) ? max(b, c) : a);
    kn_unsigned<T> u = (kn_unsigned<T>)a;
    int n = (int)((kn_unsigned<T>)b % bits), zeros = 0, ones = 0;
    EXPECT(rotate(a, b), (T)(kn_unsigned<T>)(n ? (u << n) | (u >> (bits - n)) : u));
    for (int i = bits - 1; i >= 0 && !(u >> i & 1); i--)
        zeros++;
    for (int i = 0; i < bits; i++)
        ones += (int)(u >> i & 1);
    EXPECT(clz(a), zeros);
    EXPECT(popcount(a), ones);
    vec<T, 2> v = kn_make<vec<T, 2>>(b, a), w = kn_make<vec<T, 2>>(a, b);
    EXPECT(add_sat(v, w).y, (T)saturated<T>(x + y));
    EXPECT((v << w).x, (T)((kn_unsigned<T>)b << ((kn_unsigned<T>)a % bits)));
    EXPECT((v >> w).x, (T)(b >> ((kn_unsigned<T>)a % bits)));
    EXPECT((v < w).x, b < a ? -1 : 0);
    EXPECT((v == w).x, b == a ? -1 : 0);
}

template <class T> static void test_integers(void)
{
    const T values[] = {0,
                        1,
                        2,
                        3,
                        7,
                        100,
                        kn_int_max<T>,
                        (T)(kn_int_max<T> - 1),
                        (T)(kn_int_max<T> / 2 + 1),
                        kn_int_min<T>,
                        (T)(kn_int_min<T> + 1),
                        (T)-1,
                        (T)-2,
                        (T)-100};
    for (T a : values)
        for (T b : values)
            for (T c : values)
                test_pair(a, b, c);
    if (sizeof(T) == 1)
        for (int a = 0; a < 256; a++)
            for (int b = 0; b < 256; b++)
                test_pair((T)a, (T)b, (T)(a ^ b));
}

static void test_integer_words(void)
{
    EXPECT(upsample((char)-1, (uchar)2), (short)-254);
    EXPECT(upsample(0x12345678, 0x9abcdef0u), 0x123456789abcdef0L);
    EXPECT(mul24(-3, 5), -15);
    EXPECT(mad24(0xffffffu, 2u, 1u), 0x1ffffffu);
    EXPECT(kn_shl(1, 33), 2);
    EXPECT(kn_shl((char)1, 9), 512);
    EXPECT(kn_shr(-8, 33), -4);
    EXPECT(kn_shr(1ul << 40, 104), 1ul);
    int x = 3;
    EXPECT(kn_shl_assign(x, 34), 12);
}

// ---- conversions

template <class R> static int rounding_mode(void)
{
    return kn_same<R, kn_rtp>   ? FE_UPWARD
           : kn_same<R, kn_rtn> ? FE_DOWNWARD
           : kn_same<R, kn_rtz> ? FE_TOWARDZERO
                                : FE_TONEAREST;
}

template <class T, class R, class S> static void test_conversion(S s)
{
    std::fesetround(rounding_mode<R>());
    volatile S x = s;
    long double whole = rintl((long double)x);
    volatile float f = (float)x;
    volatile double d = (double)x;
    std::fesetround(FE_TONEAREST);
    if (s == s) {
        long double want = whole > kn_int_max<T>   ? kn_int_max<T>
                           : whole < kn_int_min<T> ? kn_int_min<T>
                                                   : whole;
        EXPECT((kn_convert<T, kn_sat, R>(s)), (T)want);
        if (want == whole)
            EXPECT((kn_convert<T, R>(s)), (T)want);
    } else {
        EXPECT((kn_convert<T, kn_sat, R>(s)), 0);
    }
    EXPECT((kn_convert<float, R>(s)), f);
    EXPECT((kn_convert<double, R>(s)), d);
}

template <class T, class S> static void test_roundings(S s)
{
    test_conversion<T, kn_rte>(s);
    test_conversion<T, kn_rtz>(s);
    test_conversion<T, kn_rtp>(s);
    test_conversion<T, kn_rtn>(s);
    if (s == s)
        EXPECT((kn_convert<T, kn_sat>(s)), (kn_convert<T, kn_sat, kn_rtz>(s)));
    EXPECT((kn_convert<float>(s)), (kn_convert<float, kn_rte>(s)));
}

template <class T> static void test_conversions_to(void)
{
    const double reals[] = {0,
                            0.5,
                            1.5,
                            2.5,
                            -0.5,
                            -1.5,
                            -2.5,
                            126.5,
                            127.5,
                            128,
                            -128.5,
                            -129,
                            254.5,
                            255.5,
                            256,
                            32767.5,
                            -32768.5,
                            65535.5,
                            2147483647.5,
                            -2147483648.5,
                            4294967295.5,
                            9.2233720368547748e18,
                            9.2233720368547758e18,
                            -9.2233720368547758e18,
                            -9.3e18,
                            1.8446744073709550e19,
                            1.85e19,
                            1e30,
                            -1e30,
                            0.1,
                            1e-46,
                            -1e-46,
                            3.5e38,
                            -3.5e38,
                            INFINITY,
                            -INFINITY,
                            NAN};
    for (double r : reals) {
        test_roundings<T>(r);
        test_roundings<T>((float)r);
    }
    for (int i = 0; i < 65536; i++) {
        EXPECT((kn_convert<T, kn_sat>((short)i)), (T)saturated<T>((short)i));
        EXPECT((kn_convert<T, kn_sat>((ushort)i)), (T)saturated<T>((ushort)i));
        EXPECT((kn_convert<T>((short)i)), (T)(short)i);
        EXPECT((kn_convert<T, kn_sat>((char)i)), (T)saturated<T>((char)i));
    }
    for (long x : {0L, 1L, -1L, 16777217L, -16777217L, 33554435L, 9007199254740993L, LONG_MAX, LONG_MIN,
                   LONG_MAX - 1}) {
        test_roundings<T>(x);
        test_roundings<T>((ulong)x);
        test_roundings<T>((int)x);
        test_roundings<T>((uint)x);
    }
}

// ---- half: what every pattern means, and the patterns around every number

static double half_value(int h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double sign = h & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction ? (double)NAN : sign * INFINITY;
    return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

template <class R> static void expect_half(double x, int want)
{
    half h;
    kn_vstore_half<1, R>(x, 0, &h);
    EXPECT(h.bits, want);
    if ((double)(float)x == x) {
        kn_vstore_half<1, R>((float)x, 0, &h);
        EXPECT(h.bits, want);
    }
}

// x between the neighbours a < b (magnitudes, as patterns), on the side of `middle`.
static void expect_halves(double x, int down, int up, int nearest)
{
    expect_half<kn_rtz>(x, down);
    expect_half<kn_rte>(x, nearest);
    expect_half<kn_default>(x, nearest);
    expect_half<kn_rtp>(x, up);
    expect_half<kn_rtn>(x, down);
    expect_half<kn_rtz>(-x, down | 0x8000);
    expect_half<kn_rte>(-x, nearest | 0x8000);
    expect_half<kn_rtp>(-x, down | 0x8000);
    expect_half<kn_rtn>(-x, up | 0x8000);
}

static void test_half(void)
{
    for (int h = 0; h < 65536; h++) {
        half in = {(ushort)h}, out[4], four[4] = {in, in, in, in};
        EXPECT(kn_vload_half<1>(0, &in), (float)half_value(h));
        EXPECT(kn_vload_half<4>(0, four).w, (float)half_value(h));
        kn_vstore_half<1>(kn_vload_half<1>(0, &in), 0, out);
        bool is_nan = (h & 0x7fff) > 0x7c00;
        EXPECT(out[0].bits, is_nan ? h | 0x200 : h);
        EXPECT(signbit(kn_vload_half<1>(0, &in)), h >> 15);
    }
    for (int h = 0; h < 0x7bff; h++) { // every pair of neighbours
        double low = half_value(h), high = half_value(h + 1), middle = (low + high) / 2;
        expect_halves(middle, h, h + 1, h & 1 ? h + 1 : h);
        expect_halves(std::nextafter(middle, 0), h, h + 1, h);
        expect_halves(std::nextafter(middle, 1e9), h, h + 1, h + 1);
        expect_halves(std::nextafterf((float)middle, 1e9f), h, h + 1, h + 1);
        expect_halves(std::nextafter(low, 1e9), h, h + 1, h);
    }
    expect_halves(65519.99, 0x7bff, 0x7c00, 0x7bff);
    expect_halves(65520, 0x7bff, 0x7c00, 0x7c00);
    expect_halves(1e300, 0x7bff, 0x7c00, 0x7c00);
    expect_halves(1e-300, 0, 1, 0);
    expect_half<kn_rtz>(INFINITY, 0x7c00);
}

// ---- relations

static void test_relations(void)
{
    float4 v = kn_make<float4>(NAN, 1, 2, INFINITY), w = kn_make<float4>(1, 1, 1, 1);
    EXPECT(isnan(NAN), 1);
    EXPECT(isnan(v).x, -1);
    EXPECT(isequal(1.0f, 1.0f), 1);
    EXPECT(isequal(v, w).y, -1);
    EXPECT(isnotequal(v, w).x, -1);
    EXPECT(isgreater(v, w).x, 0);
    EXPECT(isunordered(v, w).x, -1);
    EXPECT(isordered(1.0, 2.0), 1);
    EXPECT(isinf(v).w, -1);
    EXPECT(isnormal(1e-40f), 0);
    EXPECT(isfinite(v).z, -1);
    EXPECT(signbit(kn_make<double2>(-0.0, 0.0)).x, -1L);
    EXPECT(sizeof(signbit(kn_make<double2>(0))), 16);
    EXPECT(any(1), 0);
    EXPECT(any(kn_make<int2>(0, INT_MIN)), 1);
    EXPECT(all(kn_make<char4>(-1, -1, -1, 1)), 0);
    EXPECT(select(1, 2, 1), 2);
    EXPECT(select(kn_make<int2>(1), kn_make<int2>(2), kn_make<int2>(1, -1)).x, 1);
    EXPECT(select(kn_make<int2>(1), kn_make<int2>(2), kn_make<int2>(1, -1)).y, 2);
    EXPECT(select(w, v, kn_make<uint4>(0x80000000u)).z, 2.0f);
    EXPECT(bitselect(0x0f, 0xf0, 0x3c), 0x33);
    EXPECT(bitselect(1.0f, -1.0f, -0.0f), -1.0f);
    EXPECT(kn_ternary(
               kn_make<int4>(-1, 1, 0, INT_MIN), [&] { return w; }, [&] { return 0.0f; })
               .y,
           0.0f);
    EXPECT(kn_ternary(
               kn_make<int4>(-1, 1, 0, INT_MIN), [&] { return w; }, [&] { return 0.0f; })
               .w,
           1.0f);
    int calls = 0;
    EXPECT(kn_ternary(
               1, [&] { return 2; }, [&] { return ++calls; }),
           2);
    EXPECT(calls, 0);
    auto common = kn_ternary(
        1, [&] { return 'a'; }, [&] { return 1.0; });
    static_assert(kn_same<decltype(common), double>);
    EXPECT(common, 97.0);
}

// ---- vectors and selections

static void test_vectors(void)
{
    static_assert(sizeof(float3) == 16 && alignof(float3) == 16 && sizeof(double16) == 128 &&
                  alignof(double16) == 128);
    static_assert(std::is_trivially_copy_constructible<float4>::value &&
                  std::is_trivially_copy_assignable<float4>::value);
    static_assert(std::is_trivially_default_constructible<float4>::value);
    static_assert(kn_same<decltype(kn_make<uchar4>(1) < kn_make<uchar4>(2)), char4>);
    static_assert(kn_same<decltype(kn_make<double4>(1) == kn_make<double4>(2)), long4>);
    static_assert(kn_same<decltype(kn_make<uchar4>(1) + 1), uchar4>);
    float4 a = kn_make<float4>(1, 2, 3, 4);
    const float4 c = kn_make<float4>(kn_make<float2>(5, 6), kn_make<float2>(7, 8));
    a.xy = a.zw;
    EXPECT(a.x * 1000 + a.y * 100 + a.z * 10 + a.w, 3434.0f);
    a.xy = kn_rvalue(c.xy);
    EXPECT(a.x * 1000 + a.y * 100 + a.z * 10 + a.w, 5634.0f);
    a.wzyx = a;
    EXPECT(a.x * 1000 + a.y * 100 + a.z * 10 + a.w, 4365.0f);
    a.xy += a.zw * 2.0f;
    EXPECT(a.x * 1000 + a.y * 100 + a.z * 10 + a.w, 17365.0f);
    a.lo = 1;
    a.hi++;
    EXPECT(a.x * 1000 + a.y * 100 + a.z * 10 + a.w, 1176.0f);
    kn_pick<1, 0>(a.hi) = kn_rvalue(kn_make<float2>(8, 9));
    EXPECT(a.x * 1000 + a.y * 100 + a.z * 10 + a.w, 1198.0f);
    float8 e = kn_make<float8>(c, a);
    EXPECT(kn_rvalue(e.odd).z, 1.0f);
    EXPECT(c.wzyx.operator float4().y, 7.0f);
    EXPECT(shuffle(c, kn_make<uint8>(3, 2, 1, 0, 7, 0, 0, 0)).s4, 8.0f);
    EXPECT(shuffle2(c, a, kn_make<uint2>(4, 3)).x, 1.0f);
    EXPECT((!kn_make<int4>(0, 1, 2, 3)).x, -1);
    EXPECT((kn_make<int4>(0, 1, 2, 3) && 1).z, -1);
    EXPECT((-kn_make<char4>(-128)).x, -128);
    EXPECT(length(kn_make<float2>(3e30f, 4e30f)), 5e30f);
    EXPECT(length(kn_make<float2>(3e-30f, 4e-30f)), 5e-30f);
    EXPECT(normalize(kn_make<float3>(0)).x, 0.0f);
    EXPECT(cross(kn_make<float3>(1, 0, 0), kn_make<float3>(0, 1, 0)).z, 1.0f);
    EXPECT(dot(c, c), 174.0f);
    EXPECT(kn_as<float>(0x3f800000), 1.0f);
    EXPECT(kn_as<short2>(0x00020001).y, 2);
    EXPECT(smoothstep(0.0f, 1.0f, kn_make<float2>(0.5f, 2)).x, 0.5f);
    EXPECT(step(1.0f, kn_make<float2>(0.5f, 2)).y, 1.0f);
    EXPECT(mix(kn_make<float2>(0, 2), kn_make<float2>(1, 4), 0.5f).y, 3.0f);
    EXPECT(program::table[0].y, 2.0f);
    EXPECT(program::limits[4], 1.5f);
    volatile float4 v;
    v = c;
    a = v;
    EXPECT(a.w, 8.0f);
}

// ---- work-groups: ids, barriers, copies, local memory by offset

KN_KERNEL(reverse)
(int *out, const int *in, KN_LOCAL_PARAM(int, pad), KN_LOCAL_PARAM(int, tile), KN_ITEM_PARAM)
{
    int *t = KN_LOCAL_BIND(int, tile);
    size_t n = get_local_size(kn_me, 0), i = get_local_id(kn_me, 0);
    (void)pad;
    for (int round = 0; round < 3; round++) { // three reversals are one
        t[i] =
            round ? out[get_global_id(kn_me, 0) - get_global_offset(kn_me, 0)] : in[get_global_id(kn_me, 0)];
        barrier(kn_me, CLK_LOCAL_MEM_FENCE);
        out[get_global_id(kn_me, 0) - get_global_offset(kn_me, 0)] = t[n - 1 - i];
        barrier(kn_me, CLK_LOCAL_MEM_FENCE);
    }
}
KN_KERNEL(copies)(int *out, const int *in, int *count, KN_ITEM_PARAM)
{
    KN_LOCAL_VAR int tile[16];
    size_t group = get_group_id(kn_me, 0) + get_num_groups(kn_me, 0) * get_group_id(kn_me, 1);
    event_t e =
        async_work_group_strided_copy(kn_me, tile, in + group * 32, (size_t)16, (size_t)2, (event_t)0);
    wait_group_events(kn_me, 1, &e);
    e = async_work_group_copy(kn_me, out + group * 16, tile, (size_t)16, (event_t)0);
    wait_group_events(kn_me, 1, &e);
    e = async_work_group_strided_copy(kn_me, out + 1000 + group, tile, (size_t)16, (size_t)10, (event_t)0);
    wait_group_events(kn_me, 1, &e);
    atomic_inc(count);
    atomic_max(count + 1, (int)get_global_id(kn_me, 1));
    count[2] = (int)get_work_dim(kn_me);
}

static void test_groups(void)
{
    int in[200], out[2000], count[3] = {0};
    const size_t global[3] = {64, 1, 1}, local[3] = {16, 1, 1}, offset[3] = {4, 0, 0};
    const size_t global2[3] = {8, 4, 1}, local2[3] = {4, 2, 1};
    for (int i = 0; i < 200; i++)
        in[i] = i;
    shim_run([&](const kn_item &me) { koine_reverse(out, in, 0, 16, me); }, global, local, offset, 16 + 64);
    for (int i = 0; i < 64; i++)
        EXPECT(out[i], 4 + i / 16 * 16 + 15 - i % 16);
    shim_run([&](const kn_item &me) { koine_copies(out, in, count, me); }, global2, local2);
    for (int i = 0; i < 64; i++) {
        EXPECT(out[i], 2 * i);
        EXPECT(out[1000 + i / 16 + i % 16 * 10], 2 * i);
    }
    EXPECT(count[0], 32);
    EXPECT(count[1], 3);
    EXPECT(count[2], 2);
}

static void test_atomics(void)
{
    int i = 5;
    ulong u = 5;
    float f = 1;
    EXPECT(atomic_sub(&i, 7), 5);
    EXPECT(atomic_min(&i, -3), -2);
    EXPECT(atomic_xchg(&f, 2), 1.0f);
    EXPECT(f, 2.0f);
    EXPECT(atom_max(&u, 9), 5ul);
    EXPECT(atom_cmpxchg(&u, 9, 1), 9ul);
    EXPECT(atomic_dec(&i), -3);
    EXPECT(i, -4);
    EXPECT(u, 1ul);
}

int main(void)
{
    test_maths();
    test_powers();
    test_pointers();
    test_integers<char>();
    test_integers<uchar>();
    test_integers<short>();
    test_integers<ushort>();
    test_integers<int>();
    test_integers<uint>();
    test_integers<long>();
    test_integers<ulong>();
    test_integer_words();
    test_conversions_to<char>();
    test_conversions_to<uchar>();
    test_conversions_to<short>();
    test_conversions_to<ushort>();
    test_conversions_to<int>();
    test_conversions_to<uint>();
    test_conversions_to<long>();
    test_conversions_to<ulong>();
    test_half();
    test_relations();
    test_vectors();
    test_groups();
    test_atomics();
    std::printf("%ld checks, %ld failures\n", checks, failures);
    return failures != 0;
}
