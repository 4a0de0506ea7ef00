// SPDX-License-Identifier: Apache-2.0
// Maths built-ins (table 6.8) for float and double, on top of the compiler's own functions of the global
// namespace.
//
// What the guide of CUDA 11 states for them (mathematical functions, maximum ULP error) against OpenCL's
// section 7.4, in float: division 2 of 2.5, sqrt 1 of 3 (with --prec-div=false --prec-sqrt=false), exp exp2
// exp10 log10 2 of 3, log log2 1 of 3, log1p 1 of 2, cbrt 1 of 2, sin cos sincos 2 of 4, sinpi cospi 2 of 4,
// tan 4 of 5, sinh 3 and cosh 2 of 4, tanh 2 of 5, acos 3 of 4, asin 4 of 4, atan 2 of 5, atan2 3 of 6, asinh
// 3 of 4, acosh 4 of 4, atanh 3 of 5, hypot 3 of 4, pow 8 and tgamma 11 of 16, erf 2 and erfc 4 of 16, rsqrt
// 2 of 2; lgamma has no bound in OpenCL; in double all are 2 or less, but erfc 4 and tgamma 8 of 16. NVIDIA
// counts from the correctly rounded result, OpenCL from the true one, up to half a unit further: for acosh,
// asin and rsqrt of a float the guide alone is no proof, and tests/conformance/maths/test_maths on the GPU is the
// judge.

namespace kn
{

// name(x): f is the float function, d the double one.
#define KN_MATH_1(name, f, d)                                                                                \
    KN_FN float kn_##name##_one(float x)                                                                     \
    {                                                                                                        \
        return f(x);                                                                                         \
    }                                                                                                        \
    KN_FN double kn_##name##_one(double x)                                                                   \
    {                                                                                                        \
        return d(x);                                                                                         \
    }                                                                                                        \
    template <class A> KN_FN auto name(const A &a)                                                           \
    {                                                                                                        \
        typedef kn_real<A> T;                                                                                \
        return kn_map<T, T, kn_width<A>>([](T x) { return kn_##name##_one(x); }, a);                         \
    }
#define KN_MATH_2(name, f, d)                                                                                \
    KN_FN float kn_##name##_one(float x, float y)                                                            \
    {                                                                                                        \
        return f(x, y);                                                                                      \
    }                                                                                                        \
    KN_FN double kn_##name##_one(double x, double y)                                                         \
    {                                                                                                        \
        return d(x, y);                                                                                      \
    }                                                                                                        \
    KN_COMMON_2(name, x, y, kn_##name##_one(x, y))

KN_MATH_1(acos, ::acosf, ::acos)
KN_MATH_1(acosh, ::acoshf, ::acosh)
KN_MATH_1(asin, ::asinf, ::asin)
KN_MATH_1(asinh, ::asinhf, ::asinh)
KN_MATH_1(atan, ::atanf, ::atan)
KN_MATH_1(atanh, ::atanhf, ::atanh)
KN_MATH_1(cbrt, ::cbrtf, ::cbrt)
KN_MATH_1(ceil, ::ceilf, ::ceil)
KN_MATH_1(cos, ::cosf, ::cos)
KN_MATH_1(cosh, ::coshf, ::cosh)
KN_MATH_1(erf, ::erff, ::erf)
KN_MATH_1(erfc, ::erfcf, ::erfc)
KN_MATH_1(exp, ::expf, ::exp)
KN_MATH_1(exp2, ::exp2f, ::exp2)
KN_MATH_1(exp10, ::exp10f, ::exp10)
KN_MATH_1(expm1, ::expm1f, ::expm1)
KN_MATH_1(fabs, ::fabsf, ::fabs)
KN_MATH_1(floor, ::floorf, ::floor)
KN_MATH_1(lgamma, ::lgammaf, ::lgamma)
KN_MATH_1(log, ::logf, ::log)
KN_MATH_1(log2, ::log2f, ::log2)
KN_MATH_1(log10, ::log10f, ::log10)
KN_MATH_1(log1p, ::log1pf, ::log1p)
KN_MATH_1(logb, ::logbf, ::logb)
KN_MATH_1(rint, ::rintf, ::rint)
KN_MATH_1(round, ::roundf, ::round)
KN_MATH_1(rsqrt, ::rsqrtf, ::rsqrt)
KN_MATH_1(sin, ::sinf, ::sin)
KN_MATH_1(sinh, ::sinhf, ::sinh)
KN_MATH_1(sqrt, ::sqrtf, ::sqrt)
KN_MATH_1(tan, ::tanf, ::tan)
KN_MATH_1(tanh, ::tanhf, ::tanh)
KN_MATH_1(tgamma, ::tgammaf, ::tgamma)
KN_MATH_1(trunc, ::truncf, ::trunc)

KN_MATH_2(atan2, ::atan2f, ::atan2)
KN_MATH_2(copysign, ::copysignf, ::copysign)
KN_MATH_2(fdim, ::fdimf, ::fdim)
KN_MATH_2(fmax, ::fmaxf, ::fmax)
KN_MATH_2(fmin, ::fminf, ::fmin)
KN_MATH_2(fmod, ::fmodf, ::fmod)
KN_MATH_2(hypot, ::hypotf, ::hypot)
KN_MATH_2(nextafter, ::nextafterf, ::nextafter)
KN_MATH_2(pow, ::powf, ::pow)
KN_MATH_2(remainder, ::remainderf, ::remainder)

// ---- functions that C lacks

KN_FN float kn_sinpi_inside(float x)
{
    return ::sinpif(x);
}
KN_FN double kn_sinpi_inside(double x)
{
    return ::sinpi(x);
}
KN_FN float kn_cospi_inside(float x)
{
    return ::cospif(x);
}
KN_FN double kn_cospi_inside(double x)
{
    return ::cospi(x);
}

// The zeros have the signs of 7.5.1, whatever CUDA gives them.
KN_COMMON_1(sinpi, x, x == kn_trunc_one(x) ? x * 0 : kn_sinpi_inside(x))
KN_COMMON_1(cospi, x, kn_cospi_inside(x) + 0)

// In double: within 2.5 units in the last place of the function (CUDA's 2 and its rounding) times 1.28 (what
// a unit grows by in the division), 0.6 of 1/pi and 0.5 of the product: 4.3, where 5 and 6 are allowed. In
// float that would be too much: there they are what double gives, rounded once.
KN_COMMON_1(acospi, x, (T)(::acos((double)x) * 0.318309886183790671537767526745028724))
KN_COMMON_1(asinpi, x, (T)(::asin((double)x) * 0.318309886183790671537767526745028724))
KN_COMMON_1(atanpi, x, (T)(::atan((double)x) * 0.318309886183790671537767526745028724))
KN_COMMON_2(atan2pi, y, x, (T)(::atan2((double)y, (double)x) * 0.318309886183790671537767526745028724))

// From u, the distance to the nearest multiple of 1/2, which is exact, and tan(pi u), or its inverse, in two
// parts: t is within 2.5 units, at most 5 of the inverse, and only the last step rounds: 5.5, where 6 are
// allowed.
KN_FN double kn_tanpi_of(double x)
{
    double offset = x - ::rint(x), u = ::fabs(offset) > 0.25 ? 0.5 - ::fabs(offset) : ::fabs(offset);
    if (offset == 0)
        return x * 0.5 == ::rint(x * 0.5) ? ::copysign(0.0, x) : ::copysign(0.0, -x);
    if (u == 0)
        return ::copysign((double)INFINITY, offset);
    double angle = u * M_PI;
    double t = ::tan(angle), missing = ::fma(u, M_PI, -angle) + u * 1.2246467991473532e-16;
    double rest = missing * ::fma(t, t, 1.0), inverse = 1 / t;
    if (::fabs(offset) > 0.25)
        t = ::fma(inverse, ::fma(-inverse, t, 1.0) - inverse * rest, inverse);
    else
        t += rest;
    return ::copysign(t, offset);
}
KN_COMMON_1(tanpi, x, (T)kn_tanpi_of((double)x))

KN_FN float kn_fma_one(float x, float y, float z)
{
    return ::fmaf(x, y, z);
}
KN_FN double kn_fma_one(double x, double y, double z)
{
    return ::fma(x, y, z);
}
KN_COMMON_3(fma, x, y, z, kn_fma_one(x, y, z))
KN_COMMON_3(mad, x, y, z, x *y + z)

KN_COMMON_2(maxmag, x, y,
            kn_fabs_one(x) > kn_fabs_one(y)   ? x
            : kn_fabs_one(y) > kn_fabs_one(x) ? y
                                              : kn_fmax_one(x, y))
KN_COMMON_2(minmag, x, y,
            kn_fabs_one(x) < kn_fabs_one(y)   ? x
            : kn_fabs_one(y) < kn_fabs_one(x) ? y
                                              : kn_fmin_one(x, y))

template <class A> KN_FN auto nan(const A &a)
{
    typedef kn_unsigned<kn_gen<A>> U;
    typedef kn_choose<sizeof(U) == 8, double, float> T;
    constexpr U quiet = sizeof(U) == 8 ? (U)0x7ff8000000000000UL : (U)0x7fc00000;
    constexpr U payload = sizeof(U) == 8 ? (U)0x0007ffffffffffffUL : (U)0x003fffff;
    return kn_map<T, U, kn_width<A>>([](U x) { return kn_bits<T>((U)((x & payload) | quiet)); }, a);
}

// ---- powers

// A power beyond 2^24 may not be representable as a float.
KN_FN float kn_pown_one(float x, int n)
{
    if (n >= -(1 << 24) && n <= 1 << 24)
        return ::powf(x, (float)n);
    return (float)::pow((double)x, (double)n);
}
KN_FN double kn_pown_one(double x, int n)
{
    return ::pow(x, (double)n);
}

// x to the power 1/n: 1/n is not exact, and its error is corrected to first order.
template <class T> KN_FN T kn_rootn_one(T x, int n)
{
    T magnitude = kn_fabs_one(x);
    if (n == 0 || (x < 0 && n % 2 == 0))
        return (T)NAN;
    T power = (T)1 / (T)n;
    T missing = kn_fma_one(-power, (T)n, (T)1) / (T)n;
    T root = kn_pow_one(magnitude, power);
    if (root > 0 && root < (T)INFINITY && magnitude < (T)INFINITY)
        root = kn_fma_one(root, missing * kn_log_one(magnitude), root);
    return n % 2 ? kn_copysign_one(root, x) : root;
}

// pow for x >= 0, defined as exp2(y * log2(x)): so NaN where that is NaN.
template <class T> KN_FN T kn_powr_one(T x, T y)
{
    const T infinity = (T)INFINITY;
    if (x < 0 || x != x || y != y)
        return (T)NAN;
    if (y == 0 && (x == 0 || x == infinity))
        return (T)NAN;
    if (x == 1 && kn_fabs_one(y) == infinity)
        return (T)NAN;
    return kn_pow_one(kn_fabs_one(x), y);
}
KN_COMMON_2(powr, x, y, kn_powr_one(x, y))

// ---- an int beside a real: ldexp(v, 3), pown(v, n)

KN_FN float kn_ldexp_one(float x, int n)
{
    return ::ldexpf(x, n);
}
KN_FN double kn_ldexp_one(double x, int n)
{
    return ::ldexp(x, n);
}

#define KN_MATH_INT(name)                                                                                    \
    template <class T, class A, class B, int... I>                                                           \
    KN_FN auto kn_##name##_lanes(const A &a, const B &b, kn_seq<I...>)                                       \
    {                                                                                                        \
        return vec<T, sizeof...(I)>(kn_lanes(), kn_##name##_one(kn_lane<T, I>(a), kn_lane<int, I>(b))...);   \
    }                                                                                                        \
    template <class A, class B> KN_FN auto name(const A &a, const B &b)                                      \
    {                                                                                                        \
        if constexpr (kn_is_vector<A>)                                                                       \
            return kn_##name##_lanes<kn_real<A>>(a, b, kn_range<kn_width<A>>());                             \
        else                                                                                                 \
            return kn_##name##_one((kn_real<A>)a, (int)b);                                                   \
    }
KN_MATH_INT(ldexp)
KN_MATH_INT(pown)
KN_MATH_INT(rootn)

KN_FN int kn_ilogb_one(float x)
{
    return isfinite(x) ? ::ilogbf(x) : 2147483647;
}
KN_FN int kn_ilogb_one(double x)
{
    return isfinite(x) ? ::ilogb(x) : 2147483647;
}
template <class A> KN_FN auto ilogb(const A &a)
{
    typedef kn_real<A> T;
    return kn_map<int, T, kn_width<A>>([](T x) { return x == 0 ? -2147483647 - 1 : kn_ilogb_one(x); }, a);
}

// ---- a second result through a pointer, in any address space

KN_FN float kn_fract_one(float x, float &whole)
{
    whole = ::floorf(x);
    return isinf(x) || x == 0 ? ::copysignf(0.0f, x) : isnan(x) ? x : ::fminf(x - whole, 0x1.fffffep-1f);
}
KN_FN double kn_fract_one(double x, double &whole)
{
    whole = ::floor(x);
    return isinf(x) || x == 0 ? ::copysign(0.0, x) : isnan(x) ? x : ::fmin(x - whole, 0x1.fffffffffffffp-1);
}
KN_FN float kn_modf_one(float x, float &whole)
{
    float w;
    float rest = ::modff(x, &w);
    whole = w;
    return rest;
}
KN_FN double kn_modf_one(double x, double &whole)
{
    double w;
    double rest = ::modf(x, &w);
    whole = w;
    return rest;
}
KN_FN float kn_sincos_one(float x, float &cosine)
{
    float s, c;
    ::sincosf(x, &s, &c);
    cosine = c;
    return s;
}
KN_FN double kn_sincos_one(double x, double &cosine)
{
    double s, c;
    ::sincos(x, &s, &c);
    cosine = c;
    return s;
}
KN_FN float kn_frexp_one(float x, int &exponent)
{
    int e = 0;
    float m = ::frexpf(x, &e);
    exponent = isfinite(x) ? e : 0;
    return m;
}
KN_FN double kn_frexp_one(double x, int &exponent)
{
    int e = 0;
    double m = ::frexp(x, &e);
    exponent = isfinite(x) ? e : 0;
    return m;
}
// Gamma is negative between the odd negative integers and the even ones below them; at its poles it has no
// sign.
template <class T> KN_FN T kn_lgamma_r_one(T x, int &sign)
{
    T below = kn_floor_one(x);
    sign = x > 0 ? 1 : x == below ? 0 : x < 0 && kn_fmod_one(below, (T)2) != 0 ? -1 : 1;
    return kn_lgamma_one(x);
}
// The lowest seven bits of the quotient, where C has three. A remainder modulo 128 y loses none of them, and is small
// enough for the quotient to come out as an integer less an error far below a half; where 128 y overflows, the whole
// quotient is that small.
template <class T> KN_FN T kn_remquo_one(T x, T y, int &quotient)
{
    T magnitude = kn_fabs_one(y), most = 128 * magnitude;
    quotient = 0;
    if (isfinite(x) && isfinite(y) && y != 0) {
        T rest = isinf(most) ? kn_fabs_one(x) : kn_fmod_one(kn_fabs_one(x), most);
        int n = (int)kn_rint_one(rest / magnitude - kn_remainder_one(rest, magnitude) / magnitude) & 127;
        quotient = signbit(x) != signbit(y) ? -n : n;
    }
    return kn_remainder_one(x, y);
}

#define KN_MATH_OUT(name)                                                                                    \
    template <class A, class P> KN_FN auto name(const A &a, P *p)                                            \
    {                                                                                                        \
        typedef kn_real<A> T;                                                                                \
        kn_wide<T, kn_width<A>> r;                                                                           \
        kn_value<P> out;                                                                                     \
        kn_for<kn_width<A>>([&](auto i) {                                                                    \
            constexpr int I = decltype(i)::value;                                                            \
            kn_lvalue<I>(r) = kn_##name##_one(kn_lane<T, I>(a), kn_lvalue<I>(out));                          \
        });                                                                                                  \
        *p = out;                                                                                            \
        return r;                                                                                            \
    }
KN_MATH_OUT(fract)
KN_MATH_OUT(modf)
KN_MATH_OUT(sincos)
KN_MATH_OUT(frexp)
KN_MATH_OUT(lgamma_r)

template <class A, class B, class P> KN_FN auto remquo(const A &a, const B &b, P *p)
{
    typedef kn_real<A, B> T;
    kn_wide<T, kn_gen_width<A, B>> r;
    kn_value<P> out;
    kn_for<kn_gen_width<A, B>>([&](auto i) {
        constexpr int I = decltype(i)::value;
        kn_lvalue<I>(r) = kn_remquo_one(kn_lane<T, I>(a), kn_lane<T, I>(b), kn_lvalue<I>(out));
    });
    *p = out;
    return r;
}

} // namespace kn
