// SPDX-License-Identifier: Apache-2.0
// What clang's OpenCL C has and C++ lacks: a ?: b, arithmetic on void *, __builtin_shufflevector.

namespace kn
{

template <class C, class F> KN_FN auto kn_elvis(const C &c, F otherwise)
{
    kn_value<C> v = c;
    return kn_ternary(
        v, [&] { return v; }, otherwise);
}

// ---- a void * moves by bytes

template <class T, class N> KN_FN T *kn_bytes_on(T *p, N n)
{
    return (T *)((const volatile char *)p + n);
}
template <class T, class N> KN_FN auto kn_bytes_back(T *p, N n)
{
    if constexpr (kn_is_pointer<N>)
        return (ptrdiff_t)((const volatile char *)p - (const volatile char *)n);
    else
        return (T *)((const volatile char *)p - n);
}
template <class A, class N> KN_FN kn_bare<A> kn_step_before(A &a, N n)
{
    a = kn_bytes_on((kn_bare<A>)a, n);
    return a;
}
template <class A, class N> KN_FN kn_bare<A> kn_step_after(A &a, N n)
{
    kn_bare<A> before = a;
    kn_step_before(a, n);
    return before;
}

// ---- the elements of two vectors in a row, by number; -1 may be any

template <int I, class A, class B> KN_FN auto kn_pick(const A &a, const B &b)
{
    if constexpr (I < kn_width<A>)
        return kn_lane<kn_element<A>, (I < 0 ? 0 : I)>(a);
    else
        return kn_lane<kn_element<A>, I - kn_width<A>>(b);
}
template <int... I, class A, class B> KN_FN auto kn_shufflevector(const A &a, const B &b)
{
    return kn_make<kn_wide<kn_element<A>, sizeof...(I)>>(kn_pick<I>(a, b)...);
}

} // namespace kn
