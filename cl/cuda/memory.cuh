// SPDX-License-Identifier: Apache-2.0
// vload and vstore (elements need only their own alignment), and their half forms.

namespace kn
{

template <int N, class T, int... I> KN_FN auto kn_vload_at(const T *p, kn_seq<I...>)
{
    return vec<T, N>(kn_lanes(), p[I]...);
}
template <int N, class T, class O> KN_FN auto kn_vload(O offset, const T *p)
{
    return kn_vload_at<N>(p + (size_t)offset * N, kn_range<N>());
}
template <int N, class T, class O> KN_FN auto kn_vload(O offset, const volatile T *p)
{
    return kn_vload<N>(offset, const_cast<const T *>(p));
}

template <int N, class A, class O, class T> KN_FN void kn_vstore(const A &a, O offset, T *p)
{
    auto v = kn_rvalue(a);
    p += (size_t)offset * N;
    kn_for<N>([&](auto i) { p[decltype(i)::value] = v.kn_s[decltype(i)::value]; });
}

// ---- half; the vloada and vstorea forms differ from the others for 3 elements, which take the place of 4

template <int N, int... I> KN_FN auto kn_vload_half_at(const half *p, kn_seq<I...>)
{
    if constexpr (N == 1)
        return kn_half_to_float(p->bits);
    else
        return vec<float, N>(kn_lanes(), kn_half_to_float(p[I].bits)...);
}
template <int N, class O> KN_FN auto kn_vload_half(O offset, const volatile half *p)
{
    return kn_vload_half_at<N>(const_cast<const half *>(p) + (size_t)offset * N, kn_range<N>());
}
template <int N, class O> KN_FN auto kn_vloada_half(O offset, const volatile half *p)
{
    constexpr int stride = N == 3 ? 4 : N;
    const half *q = const_cast<const half *>(p) + (size_t)offset * stride;
    if constexpr (N == 1) {
        return kn_half_to_float(q->bits);
    } else {
        vec<ushort, N> bits = *(const vec<ushort, N> *)q;
        return kn_map<float, ushort, N>([](ushort h) { return kn_half_to_float(h); }, bits);
    }
}

template <class R, int N, class A> KN_FN auto kn_half_bits(const A &a)
{
    typedef kn_real<A> T;
    return kn_map<ushort, T, N>([](T x) { return kn_half_from<R>(x); }, a);
}
template <int N, class R = kn_default, class A, class O>
KN_FN void kn_vstore_half(const A &a, O offset, volatile half *p)
{
    static_assert(kn_width<A> == N, "vstore_half: the value has another width");
    auto bits = kn_half_bits<R, N>(a);
    half *q = const_cast<half *>(p) + (size_t)offset * N;
    kn_for<N>([&](auto i) { q[decltype(i)::value].bits = kn_lvalue<decltype(i)::value>(bits); });
}
template <int N, class R = kn_default, class A, class O>
KN_FN void kn_vstorea_half(const A &a, O offset, volatile half *p)
{
    static_assert(kn_width<A> == N, "vstorea_half: the value has another width");
    if constexpr (N == 1)
        kn_vstore_half<1, R>(a, offset, p);
    else
        *(vec<ushort, N> *)(const_cast<half *>(p) + (size_t)offset * (N == 3 ? 4 : N)) =
            kn_half_bits<R, N>(a);
}

template <class T, class S> KN_FN void prefetch(const T *, S)
{
}

} // namespace kn
