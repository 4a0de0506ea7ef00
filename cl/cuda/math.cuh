// SPDX-License-Identifier: Apache-2.0
// Maths built-ins (table 6.8) for float and double, on top of the compiler's own functions of the global
// namespace.

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
KN_MATH_1(cospi, ::cospif, ::cospi)
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
KN_MATH_1(sinpi, ::sinpif, ::sinpi)
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

// ---- what C has not

KN_COMMON_1(acospi, x, kn_acos_one(x) * (T)0.318309886183790671537767526745028724)
KN_COMMON_1(asinpi, x, kn_asin_one(x) * (T)0.318309886183790671537767526745028724)
KN_COMMON_1(atanpi, x, kn_atan_one(x) * (T)0.318309886183790671537767526745028724)
KN_COMMON_2(atan2pi, y, x, kn_atan2_one(y, x) * (T)0.318309886183790671537767526745028724)
KN_COMMON_1(tanpi, x, kn_sinpi_one(x) / kn_cospi_one(x))

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

// A power beyond 2^24 is no float: it is split into two that are.
KN_FN float kn_pown_one(float x, int n)
{
    int low = n % 256;
    if (n >= -(1 << 24) && n <= 1 << 24)
        return ::powf(x, (float)n);
    return ::powf(x, (float)(n - low)) * ::powf(x, (float)low);
}
KN_FN double kn_pown_one(double x, int n)
{
    return ::pow(x, (double)n);
}

// x to the power 1/n: 1/n is not exact, and what it lacks is made good to first order.
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

// pow for x >= 0, defined as exp2(y * log2(x)): so NaN where that has none.
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
    return isinf(x) ? ::copysignf(0.0f, x) : isnan(x) ? x : ::fminf(x - whole, 0x1.fffffep-1f);
}
KN_FN double kn_fract_one(double x, double &whole)
{
    whole = ::floor(x);
    return isinf(x) ? ::copysign(0.0, x) : isnan(x) ? x : ::fmin(x - whole, 0x1.fffffffffffffp-1);
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
// Gamma is negative between the odd negative integers and the even ones below them.
template <class T> KN_FN T kn_lgamma_r_one(T x, int &sign)
{
    T below = kn_floor_one(x);
    sign = x < 0 && below != x && kn_fmod_one(below, (T)2) != 0 ? -1 : x == 0 && signbit(x) ? -1 : 1;
    return kn_lgamma_one(x);
}
KN_FN float kn_remquo_one(float x, float y, int &quotient)
{
    int q = 0;
    float r = ::remquof(x, y, &q);
    quotient = q;
    return r;
}
KN_FN double kn_remquo_one(double x, double y, int &quotient)
{
    int q = 0;
    double r = ::remquo(x, y, &q);
    quotient = q;
    return r;
}

#define KN_MATH_OUT(name)                                                                                    \
    template <class A, class P> KN_FN auto name(const A &a, P *p)                                            \
    {                                                                                                        \
        typedef kn_real<A> T;                                                                                \
        kn_wide<T, kn_width<A>> r;                                                                           \
        kn_value<P> out;                                                                                     \
        kn_for<kn_width<A>>([&](auto i) {                                                                    \
            constexpr int I = decltype(i)::value;                                                            \
            kn_place<I>(r) = kn_##name##_one(kn_lane<T, I>(a), kn_place<I>(out));                            \
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
        kn_place<I>(r) = kn_remquo_one(kn_lane<T, I>(a), kn_lane<T, I>(b), kn_place<I>(out));
    });
    *p = out;
    return r;
}

} // namespace kn
