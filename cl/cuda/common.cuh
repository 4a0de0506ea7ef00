// SPDX-License-Identifier: Apache-2.0
// Common built-ins (table 6.12), and min, max and clamp of integers with them; shuffle, shuffle2 and
// kn_component.

namespace kn
{

#define KN_COMMON_1(name, x, ...)                                                                            \
    template <class A> KN_FN auto name(const A &a)                                                           \
    {                                                                                                        \
        typedef kn_real<A> T;                                                                                \
        return kn_map<T, T, kn_width<A>>([](T x) -> T { return __VA_ARGS__; }, a);                           \
    }
#define KN_COMMON_2(name, x, y, ...)                                                                         \
    template <class A, class B> KN_FN auto name(const A &a, const B &b)                                      \
    {                                                                                                        \
        typedef kn_real<A, B> T;                                                                             \
        return kn_map<T, T, kn_gen_width<A, B>>([](T x, T y) -> T { return __VA_ARGS__; }, a, b);            \
    }
#define KN_COMMON_3(name, x, y, z, ...)                                                                      \
    template <class A, class B, class C> KN_FN auto name(const A &a, const B &b, const C &c)                 \
    {                                                                                                        \
        typedef kn_real<A, B, C> T;                                                                          \
        return kn_map<T, T, kn_gen_width<A, B, C>>([](T x, T y, T z) -> T { return __VA_ARGS__; }, a, b, c); \
    }

template <class A, class B> KN_FN auto max(const A &a, const B &b)
{
    return kn_map_gen([](auto x, auto y) { return x < y ? y : x; }, a, b);
}
template <class A, class B> KN_FN auto min(const A &a, const B &b)
{
    return kn_map_gen([](auto x, auto y) { return y < x ? y : x; }, a, b);
}
template <class A, class B, class C> KN_FN auto clamp(const A &a, const B &low, const C &high)
{
    return kn_map_gen([](auto x, auto l, auto h) { return x < l ? l : h < x ? h : x; }, a, low, high);
}

KN_COMMON_1(degrees, x, x *(T)57.295779513082320876798154814105170)
KN_COMMON_1(radians, x, x *(T)0.017453292519943295769236907684886127)
KN_COMMON_1(sign, x, x > 0 ? (T)1 : x < 0 ? (T)-1 : x == 0 ? x : (T)0)
KN_COMMON_2(step, edge, x, x < edge ? (T)0 : (T)1)
KN_COMMON_3(mix, x, y, a, x + (y - x) * a)

template <class T> KN_FN T kn_smoothstep_one(T low, T high, T x)
{
    T t = (x - low) / (high - low);
    t = t < 0 ? (T)0 : t > 1 ? (T)1 : t;
    return t * t * ((T)3 - (T)2 * t);
}
KN_COMMON_3(smoothstep, low, high, x, kn_smoothstep_one(low, high, x))

// ---- shuffles: the mask's elements count modulo the width

template <class A, class M> KN_FN auto shuffle(const A &a, const M &mask)
{
    typedef kn_element<M> I;
    auto v = kn_rvalue(a);
    return kn_map<kn_element<A>, I, kn_width<M>>([&](I i) { return v.kn_s[i & (kn_width<A> - 1)]; }, mask);
}
template <class A, class B, class M> KN_FN auto shuffle2(const A &a, const B &b, const M &mask)
{
    typedef kn_element<M> I;
    constexpr int width = kn_width<A>;
    auto v = kn_rvalue(a);
    auto w = kn_rvalue(b);
    return kn_map<kn_element<A>, I, kn_width<M>>(
        [&](I i) { return i & width ? w.kn_s[i & (width - 1)] : v.kn_s[i & (width - 1)]; }, mask);
}

// printf returns 0, or -1 if it failed; CUDA's and C's count.
KN_FN int kn_printed(int n)
{
    return n < 0 ? -1 : 0;
}
// printf's vector arguments, one component at a time.
template <class A> KN_FN auto kn_component(const A &a, int i)
{
    return kn_rvalue(a).kn_s[i];
}

} // namespace kn
