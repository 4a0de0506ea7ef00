// SPDX-License-Identifier: Apache-2.0
// Geometric built-ins (table 6.13) on scalars and vectors of 2, 3 and 4 elements.

namespace kn
{

template <class T, class A, class B, int... I> KN_FN T kn_dot(const A &a, const B &b, kn_seq<I...>)
{
    return ((kn_lane<T, I>(a) * kn_lane<T, I>(b)) + ...);
}
template <class A, class B> KN_FN auto dot(const A &a, const B &b)
{
    return kn_dot<kn_real<A, B>>(a, b, kn_range<kn_gen_width<A, B>>());
}

// The fourth element, if there is one, is 0.
template <class A, class B> KN_FN auto cross(const A &a, const B &b)
{
    typedef kn_real<A, B> T;
    T ax = kn_lane<T, 0>(a), ay = kn_lane<T, 1>(a), az = kn_lane<T, 2>(a);
    T bx = kn_lane<T, 0>(b), by = kn_lane<T, 1>(b), bz = kn_lane<T, 2>(b);
    vec<T, kn_gen_width<A, B>> r(kn_lanes(), ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
    return r;
}

// The factor that keeps squares in range: used only where they leave it.
template <class T> KN_FN T kn_scale_for(T sum)
{
    const T far = sizeof(T) == 4 ? (T)0x1.0p+96f : (T)0x1.0p+700;
    return sum > 1 ? 1 / far : far;
}
template <class T> KN_FN bool kn_sum_is_safe(T sum)
{
    const T tiny = sizeof(T) == 4 ? (T)0x1.0p-100f : (T)0x1.0p-960;
    return sum >= tiny && sum < (T)INFINITY;
}

template <class A> KN_FN auto length(const A &a)
{
    typedef kn_real<A> T;
    if constexpr (kn_width<A> == 1) {
        return kn_fabs_one((T)a);
    } else {
        T sum = dot(a, a);
        if (kn_sum_is_safe(sum))
            return kn_sqrt_one(sum);
        T scale = kn_scale_for(sum);
        auto scaled = a * scale;
        return kn_sqrt_one(dot(scaled, scaled)) / scale;
    }
}
template <class A, class B> KN_FN auto distance(const A &a, const B &b)
{
    return length(a - b);
}

template <class A> KN_FN auto normalize(const A &a)
{
    typedef kn_real<A> T;
    if constexpr (kn_width<A> == 1) {
        return sign((T)a);
    } else {
        kn_value<A> v = a;
        T sum = dot(v, v);
        if (!kn_sum_is_safe(sum)) {
            if (any(isinf(v)))
                v = kn_map<T, T, kn_width<A>>([](T x) { return kn_copysign_one(isinf(x) ? (T)1 : (T)0, x); },
                                              v);
            else
                v = v * kn_scale_for(sum);
            sum = dot(v, v);
        }
        return sum == 0 ? v : v / kn_sqrt_one(sum);
    }
}

template <class A> KN_FN auto fast_length(const A &a)
{
    return half_sqrt(dot(a, a));
}
template <class A, class B> KN_FN auto fast_distance(const A &a, const B &b)
{
    return fast_length(a - b);
}
template <class A> KN_FN auto fast_normalize(const A &a)
{
    auto v = kn_rvalue(a);
    auto sum = dot(v, v);
    return sum == 0 ? v : v * half_rsqrt(sum);
}

} // namespace kn
