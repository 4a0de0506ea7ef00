// SPDX-License-Identifier: Apache-2.0
// Changing types: convert_T (saturation, rounding), as_T, casts, vector literals, initialisers, the ternary
// operator.

namespace kn
{

struct kn_sat {
};
struct kn_rte {
};
struct kn_rtz {
};
struct kn_rtp {
};
struct kn_rtn {
};
struct kn_default {
};

// ---- bits

// For scalars, also in constants.
template <class R, class A> KN_FN constexpr R kn_bits(A a)
{
    return __builtin_bit_cast(R, a);
}

template <class R, class A> KN_FN R kn_as(const A &a)
{
    auto from = kn_rvalue(a);
    if constexpr (kn_same<decltype(from), bool>) {
        return kn_as<R>((int)from); // a comparison, an int in C
    } else {
        static_assert(sizeof(R) == sizeof from, "as_type: the sizes differ");
        R r;
        ::memcpy((void *)&r, (const void *)&from, sizeof r);
        return r;
    }
}

// The next number up (direction 1) or down (-1); x is not NaN.
template <class F> KN_FN F kn_next(F x, int direction)
{
    typedef kn_signed<F> I;
    I bits = kn_bits<I>(x);
    if (x == 0)
        return kn_bits<F>((I)(direction > 0 ? 1 : kn_int_min<I> + 1));
    return kn_bits<F>((I)(bits + ((bits < 0) == (direction > 0) ? -1 : 1)));
}

KN_FN int kn_leading_zeros(ulong x)
{
#if KN_ON_DEVICE
    return ::__clzll((long long)x);
#else
    return x ? __builtin_clzl(x) : 64;
#endif
}

// ---- real to integer, rounding

#if KN_ON_DEVICE
// The hardware saturates, and turns NaN into 0 if neither side has 64 bits.
#define KN_REAL_TO_INTEGER(from, name, to, type)                                                             \
    KN_FN type kn_to_##to(from x, kn_rte)                                                                    \
    {                                                                                                        \
        return ::__##name##2##to##_rn(x);                                                                    \
    }                                                                                                        \
    KN_FN type kn_to_##to(from x, kn_rtp)                                                                    \
    {                                                                                                        \
        return ::__##name##2##to##_ru(x);                                                                    \
    }                                                                                                        \
    KN_FN type kn_to_##to(from x, kn_rtn)                                                                    \
    {                                                                                                        \
        return ::__##name##2##to##_rd(x);                                                                    \
    }                                                                                                        \
    KN_FN type kn_to_##to(from x, kn_rtz)                                                                    \
    {                                                                                                        \
        return ::__##name##2##to##_rz(x);                                                                    \
    }
KN_REAL_TO_INTEGER(float, float, int, int)
KN_REAL_TO_INTEGER(float, float, uint, uint)
KN_REAL_TO_INTEGER(float, float, ll, long)
KN_REAL_TO_INTEGER(float, float, ull, ulong)
KN_REAL_TO_INTEGER(double, double, int, int)
KN_REAL_TO_INTEGER(double, double, uint, uint)
KN_REAL_TO_INTEGER(double, double, ll, long)
KN_REAL_TO_INTEGER(double, double, ull, ulong)

template <class T, bool Sat, class R, class S> KN_FN T kn_convert_from_real(S x)
{
    typedef kn_choose<kn_same<R, kn_default>, kn_rtz, R> rounding;
    if (sizeof(T) == 8 || sizeof(S) == 8)
        x = x != x ? (S)0 : x;
    if constexpr (sizeof(T) == 8 && kn_is_signed<T>) {
        return (T)kn_to_ll(x, rounding());
    } else if constexpr (sizeof(T) == 8) {
        return (T)kn_to_ull(x, rounding());
    } else if constexpr (sizeof(T) == 4 && !kn_is_signed<T>) {
        return (T)kn_to_uint(x, rounding());
    } else {
        int i = kn_to_int(x, rounding());
        if (Sat && sizeof(T) < 4)
            i = ::max(::min(i, (int)kn_int_max<T>), (int)kn_int_min<T>);
        return (T)i;
    }
}
#else
inline double kn_round_as(double x, kn_rte)
{
    return ::rint(x);
}
inline double kn_round_as(double x, kn_rtp)
{
    return ::ceil(x);
}
inline double kn_round_as(double x, kn_rtn)
{
    return ::floor(x);
}
inline double kn_round_as(double x, kn_rtz)
{
    return ::trunc(x);
}
inline double kn_round_as(double x, kn_default)
{
    return ::trunc(x);
}

// Out of range without _sat the result is implementation-defined: the low 32 or 64 bits that the device would give.
template <class T, bool Sat, class R, class S> KN_FN T kn_convert_from_real(S x)
{
    if constexpr (!Sat && sizeof(T) < 4) {
        return (T)kn_convert_from_real<int, true, R>(x);
    } else {
        const double end = (double)(kn_unsigned<T>)(kn_int_max<T> / 2 + 1) * 2; // one more than the largest
        double y = kn_round_as((double)x, R());
        if (y != y)
            return 0;
        if (y >= end)
            return kn_int_max<T>;
        if (y <= (kn_is_signed<T> ? -end : 0.0))
            return kn_int_min<T>;
        return (T)y;
    }
}
#endif

// 1, -1 or 0: the direction in which an inexact result below (low) or above (high) the exact one has to move.
template <class R> KN_FN int kn_direction(bool negative, bool low, bool high)
{
    if (kn_same<R, kn_rtp>)
        return low ? 1 : 0;
    if (kn_same<R, kn_rtn>)
        return high ? -1 : 0;
    if (kn_same<R, kn_rtz>)
        return negative ? (low ? 1 : 0) : (high ? -1 : 0);
    return 0;
}

// ---- one element

// Integer to integer.
template <class T, bool Sat, class S> KN_FN T kn_convert_integer(S x)
{
    if (Sat) {
        if (kn_is_negative(x)) {
            if (!kn_is_signed<T>)
                return 0;
            if ((long)x < (long)kn_int_min<T>)
                return kn_int_min<T>;
        } else if ((ulong)x > (ulong)kn_int_max<T>) {
            return kn_int_max<T>;
        }
    }
    return (T)x;
}

// Integer to real: magnitudes that do not fit the significand are cut to it and rounded by hand.
template <class T, class R, class S> KN_FN T kn_convert_to_real(S x)
{
    if (kn_same<R, kn_default> || kn_same<R, kn_rte>)
        return (T)x;
    constexpr int digits = sizeof(T) == 4 ? 24 : 53;
    bool negative = kn_is_negative(x);
    ulong magnitude = negative ? 0 - (ulong)x : (ulong)x;
    int drop = 64 - kn_leading_zeros(magnitude) - digits;
    if (drop <= 0)
        return (T)x;
    ulong kept = magnitude >> drop;
    bool inexact = (kept << drop) != magnitude;
    bool away = negative ? kn_same<R, kn_rtn> : kn_same<R, kn_rtp>;
    T r = (T)(kept + (inexact && away ? 1 : 0)) * (T)((ulong)1 << drop);
    return negative ? -r : r;
}

// Real to real.
template <class T, class R, class S> KN_FN T kn_convert_real(S x)
{
    T r = (T)x;
    if (sizeof(T) >= sizeof(S) || kn_same<R, kn_default> || kn_same<R, kn_rte>)
        return r;
    int direction = kn_direction<R>(x < 0, (S)r<x, (S)r> x);
    return direction ? kn_next(r, direction) : r;
}

template <class T, bool Sat, class R, class S> KN_FN T kn_convert_one(S x)
{
    if constexpr (kn_is_real<T> && kn_is_real<S>)
        return kn_convert_real<T, R>(x);
    else if constexpr (kn_is_real<T>)
        return kn_convert_to_real<T, R>(x);
    else if constexpr (kn_is_real<S>)
        return kn_convert_from_real<T, Sat, R>(x);
    else
        return kn_convert_integer<T, Sat>(x);
}

// ---- kn_convert<uchar4, kn_sat, kn_rte>(x)

template <class... Tags> struct kn_tags {
    static constexpr bool sat = false;
    typedef kn_default rounding;
};
template <class R> struct kn_tags<R> {
    static constexpr bool sat = false;
    typedef R rounding;
};
template <> struct kn_tags<kn_sat> {
    static constexpr bool sat = true;
    typedef kn_default rounding;
};
template <class R> struct kn_tags<kn_sat, R> {
    static constexpr bool sat = true;
    typedef R rounding;
};

template <class V, class... Tags, class A> KN_FN V kn_convert(const A &a)
{
    typedef kn_element<V> T;
    typedef kn_element<A> S;
    typedef kn_tags<Tags...> tags;
    static_assert(kn_width<V> == kn_width<A>, "convert: the widths differ");
    return kn_map<T, S, kn_width<V>>(
        [](S x) { return kn_convert_one<T, tags::sat, typename tags::rounding>(x); }, a);
}

// ---- literals and casts

template <int At, class V> KN_FN constexpr void kn_fill(V &)
{
}
template <int At, class V, class A, class... R> KN_FN constexpr void kn_fill(V &v, const A &a, const R &...r);

template <int At, class V, class A, int... I> KN_FN constexpr void kn_put(V &v, const A &a, kn_seq<I...>)
{
    ((v.kn_s[At + I] = kn_lane<typename V::kn_t, I>(a)), ...);
}
template <int At, class V, class A, class... R> KN_FN constexpr void kn_fill(V &v, const A &a, const R &...r)
{
    static_assert(At + kn_width<A> <= kn_width<V>, "a vector literal has more components than its type");
    kn_put<At>(v, a, kn_range<kn_width<A>>());
    kn_fill<At + kn_width<A>>(v, r...);
}

template <class V, class... A> KN_FN constexpr V kn_make(const A &...a)
{
    if constexpr (sizeof...(A) == 1 && (kn_is_scalar<A> && ...)) {
        return V((typename V::kn_t)a...);
    } else if constexpr (sizeof...(A) == kn_width<V> && (kn_is_scalar<A> && ...)) {
        return V(kn_lanes(), (typename V::kn_t)a...);
    } else {
        V v = V(kn_lanes(), (typename V::kn_t)0);
        kn_fill<0>(v, a...);
        return v;
    }
}

template <class V, class A> KN_FN constexpr V kn_cast(const A &a)
{
    if constexpr (kn_is_vector<V> && kn_is_vector<A>) {
        typedef kn_element<V> T;
        static_assert(kn_width<V> == kn_width<A>, "a cast between vectors of different widths");
        return kn_map<T, T, kn_width<V>>([](T x) { return x; }, a);
    } else {
        return (V)kn_rvalue(a);
    }
}

// ---- initialisers: kn_init(x) becomes whatever its context wants, narrowing as C does

template <class S> struct kn_init_value {
    S kn_x;

    template <class T, kn_when<kn_is_operand<T> && kn_is_operand<S>> = 0> KN_FN constexpr operator T() const
    {
        return kn_cast<T>(kn_x);
    }
    template <class T, kn_when<sizeof(T *) && !kn_is_vector<S> && !kn_is_real<S>> = 0>
    KN_FN constexpr operator T *() const
    {
        if constexpr (kn_is_scalar<S>)
            return kn_x == 0 ? (T *)nullptr : (T *)(uintptr_t)kn_x;
        else
            return (T *)kn_x;
    }
    template <class T, kn_when<kn_same<T, S> && !kn_is_operand<S>> = 0, int = 0>
    KN_FN constexpr operator T() const
    {
        return kn_x;
    }
};

template <class A> KN_FN constexpr auto kn_init(const A &a)
{
    return kn_init_value<kn_value<A>>{a};
}
template <class T, int I, class S> KN_FN constexpr T kn_lane(const kn_init_value<S> &a)
{
    return kn_lane<T, I>(a.kn_x);
}
template <class S> struct kn_shape_<kn_init_value<S>> : kn_shape_<S> {
};

// ---- c ? a : b: element by element where c is a vector, lazy where it is a scalar

// The type of both arms: C's usual conversions; a scalar beside a vector takes its type; 0 is a pointer beside a pointer.
template <class A, class B, bool Vector, bool Null> struct kn_arms_ {
    typedef kn_bare<decltype(true ? *(A *)nullptr : *(B *)nullptr)> type;
};
template <class A> struct kn_arms_<A, A, false, false> {
    typedef A type;
};
template <class A, class B> struct kn_arms_<A, B, true, false> {
    typedef vec<kn_gen<A, B>, kn_gen_width<A, B>> type;
};
template <class A, class B> struct kn_arms_<A, B, false, true> {
    typedef kn_choose<kn_is_pointer<A>, A, B> type;
};
template <class A, class B>
using kn_arms = typename kn_arms_<A, B, !kn_same<A, B> && (kn_is_vector<A> || kn_is_vector<B>),
                                  kn_is_pointer<A> != kn_is_pointer<B>>::type;

template <class R, class A> KN_FN constexpr R kn_arm(A a)
{
    if constexpr (kn_is_pointer<R> && kn_is_scalar<A>)
        return (R)(uintptr_t)a;
    else
        return (R)a;
}

template <class T> KN_FN constexpr T kn_either(bool c, T a, T b)
{
    return c ? a : b;
}

template <class C, class R, class A, class B, int... I>
KN_FN constexpr R kn_ternary_lanes(const C &c, const A &a, const B &b, kn_seq<I...>)
{
    typedef kn_element<R> T;
    return R(kn_lanes(), kn_either(kn_lane<kn_element<C>, I>(c) < 0, kn_lane<T, I>(a), kn_lane<T, I>(b))...);
}

template <class C, class FA, class FB> KN_FN constexpr auto kn_ternary(const C &c, FA fa, FB fb)
{
    typedef kn_value<decltype(fa())> A;
    typedef kn_value<decltype(fb())> B;
    if constexpr (kn_is_vector<C>) {
        typedef vec<kn_gen<A, B>, kn_width<C>> R;
        return kn_ternary_lanes<C, R>(c, (A)fa(), (B)fb(), kn_range<kn_width<C>>());
    } else if constexpr (kn_same<A, void> || kn_same<B, void>) {
        c ? (void)fa() : (void)fb();
    } else {
        typedef kn_arms<A, B> R;
        return c ? kn_arm<R>((A)fa()) : kn_arm<R>((B)fb());
    }
}

} // namespace kn
