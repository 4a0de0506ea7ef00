// SPDX-License-Identifier: Apache-2.0
// Relational built-ins (table 6.14). A test gives 1 for true on scalars and -1 on vectors; any, all and
// select look at the most significant bit, select of scalars at the whole condition.

namespace kn
{

template <class A, class B> KN_FN constexpr auto kn_test_result()
{
    if constexpr (kn_gen_width<A, B> == 1)
        return (int)0;
    else
        return (kn_signed<kn_real<A, B>>)0;
}

#define KN_TEST_2(name, ...)                                                                                 \
    template <class A, class B> KN_FN auto name(const A &a, const B &b)                                      \
    {                                                                                                        \
        typedef kn_real<A, B> T;                                                                             \
        constexpr int width = kn_gen_width<A, B>;                                                            \
        typedef decltype(kn_test_result<A, B>()) R;                                                          \
        return kn_map<R, T, width>([](T x, T y) { return (__VA_ARGS__) ? (width == 1 ? 1 : -1) : 0; }, a,    \
                                   b);                                                                       \
    }
#define KN_TEST_1(name, ...)                                                                                 \
    template <class A> KN_FN auto name(const A &a)                                                           \
    {                                                                                                        \
        typedef kn_real<A> T;                                                                                \
        constexpr int width = kn_width<A>;                                                                   \
        typedef decltype(kn_test_result<A, A>()) R;                                                          \
        return kn_map<R, T, width>([](T x) { return (__VA_ARGS__) ? (width == 1 ? 1 : -1) : 0; }, a);        \
    }

// Classes by bits, so that relaxed maths cannot fold them away.
template <class T> struct kn_format;
template <> struct kn_format<float> {
    static constexpr uint infinity = 0x7f800000;
    static constexpr uint smallest = 0x00800000; // the smallest normal number
};
template <> struct kn_format<double> {
    static constexpr ulong infinity = 0x7ff0000000000000UL;
    static constexpr ulong smallest = 0x0010000000000000UL;
};
template <class T> KN_FN kn_unsigned<T> kn_magnitude(T x)
{
    return kn_bits<kn_unsigned<T>>(x) & (kn_unsigned<T>)kn_int_max<kn_signed<T>>;
}

KN_TEST_2(isequal, x == y)
KN_TEST_2(isnotequal, !(x == y))
KN_TEST_2(isgreater, x > y)
KN_TEST_2(isgreaterequal, x >= y)
KN_TEST_2(isless, x < y)
KN_TEST_2(islessequal, x <= y)
KN_TEST_2(islessgreater, x<y || x> y)
KN_TEST_2(isordered, kn_magnitude(x) <= kn_format<T>::infinity && kn_magnitude(y) <= kn_format<T>::infinity)
KN_TEST_2(isunordered, kn_magnitude(x) > kn_format<T>::infinity || kn_magnitude(y) > kn_format<T>::infinity)
KN_TEST_1(isnan, kn_magnitude(x) > kn_format<T>::infinity)
KN_TEST_1(isinf, kn_magnitude(x) == kn_format<T>::infinity)
KN_TEST_1(isfinite, kn_magnitude(x) < kn_format<T>::infinity)
KN_TEST_1(isnormal, kn_magnitude(x) < kn_format<T>::infinity && kn_magnitude(x) >= kn_format<T>::smallest)
KN_TEST_1(signbit, kn_bits<kn_signed<T>>(x) < 0)

template <class A> KN_FN int any(const A &a)
{
    typedef kn_signed<kn_gen<A>> I;
    I bits = 0;
    kn_for<kn_width<A>>([&](auto i) { bits = (I)(bits | kn_lane<I, decltype(i)::value>(a)); });
    return bits < 0;
}
template <class A> KN_FN int all(const A &a)
{
    typedef kn_signed<kn_gen<A>> I;
    I bits = -1;
    kn_for<kn_width<A>>([&](auto i) { bits = (I)(bits & kn_lane<I, decltype(i)::value>(a)); });
    return bits < 0;
}

template <class A, class B, class C> KN_FN auto bitselect(const A &a, const B &b, const C &c)
{
    typedef kn_unsigned<kn_gen<A, B, C>> U;
    return kn_map_gen(
        [](auto x, auto y, auto z) {
            typedef decltype(x) T;
            return kn_bits<T>((U)((kn_bits<U>(x) & ~kn_bits<U>(z)) | (kn_bits<U>(y) & kn_bits<U>(z))));
        },
        a, b, c);
}

template <class A, class B, class C, int... I>
KN_FN auto kn_select(const A &a, const B &b, const C &c, kn_seq<I...>)
{
    typedef kn_gen<A, B> T;
    typedef kn_signed<kn_gen<C>> K;
    return vec<T, sizeof...(I)>(kn_lanes(),
                                kn_either<T>(kn_lane<K, I>(c) < 0, kn_lane<T, I>(b), kn_lane<T, I>(a))...);
}
template <class A, class B, class C> KN_FN auto select(const A &a, const B &b, const C &c)
{
    if constexpr (kn_is_vector<C>)
        return kn_select(a, b, c, kn_range<kn_width<C>>());
    else
        return c ? (kn_wide<kn_gen<A, B>, kn_gen_width<A, B>>)kn_rvalue(b)
                 : (kn_wide<kn_gen<A, B>, kn_gen_width<A, B>>)kn_rvalue(a);
}

} // namespace kn
