// SPDX-License-Identifier: Apache-2.0
// Integer built-ins (OpenCL C 1.2, table 6.10): each computed as if without overflow, element by element.

namespace kn
{

#define KN_INTEGER_1(name)                                                                                   \
    template <class A> KN_FN auto name(const A &a)                                                           \
    {                                                                                                        \
        return kn_map_gen([](auto x) { return kn_##name##_one(x); }, a);                                     \
    }
#define KN_INTEGER_2(name)                                                                                   \
    template <class A, class B> KN_FN auto name(const A &a, const B &b)                                      \
    {                                                                                                        \
        return kn_map_gen([](auto x, auto y) { return kn_##name##_one(x, y); }, a, b);                       \
    }
#define KN_INTEGER_3(name)                                                                                   \
    template <class A, class B, class C> KN_FN auto name(const A &a, const B &b, const C &c)                 \
    {                                                                                                        \
        return kn_map_gen([](auto x, auto y, auto z) { return kn_##name##_one(x, y, z); }, a, b, c);         \
    }

// abs and abs_diff give the unsigned type.
template <class T> KN_FN kn_unsigned<T> kn_abs_one(T x)
{
    return kn_is_negative(x) ? (kn_unsigned<T>)(0 - (kn_unsigned<T>)x) : (kn_unsigned<T>)x;
}
template <class A> KN_FN auto abs(const A &a)
{
    typedef kn_gen<A> T;
    return kn_map<kn_unsigned<T>, T, kn_width<A>>([](T x) { return kn_abs_one(x); }, a);
}
template <class A, class B> KN_FN auto abs_diff(const A &a, const B &b)
{
    typedef kn_gen<A, B> T;
    typedef kn_unsigned<T> U;
    return kn_map<U, T, kn_gen_width<A, B>>(
        [](T x, T y) { return x > y ? (U)((U)x - (U)y) : (U)((U)y - (U)x); }, a, b);
}

// The end of T's range on x's side of 0.
template <class T> KN_FN T kn_int_end(T x)
{
    return kn_is_negative(x) ? kn_int_min<T> : kn_int_max<T>;
}

template <class T> KN_FN T kn_add_sat_one(T x, T y)
{
    T sum = (T)((kn_unsigned<T>)x + (kn_unsigned<T>)y);
    if (kn_is_signed<T>)
        return kn_is_negative((T)((x ^ sum) & (y ^ sum))) ? kn_int_end(x) : sum;
    return sum < x ? kn_int_max<T> : sum;
}
KN_INTEGER_2(add_sat)

template <class T> KN_FN T kn_sub_sat_one(T x, T y)
{
    T difference = (T)((kn_unsigned<T>)x - (kn_unsigned<T>)y);
    if (kn_is_signed<T>)
        return kn_is_negative((T)((x ^ y) & (x ^ difference))) ? kn_int_end(x) : difference;
    return x < y ? (T)0 : difference;
}
KN_INTEGER_2(sub_sat)

// Twice the common bits plus the differing bits is the sum. (NVRTC 13.0 gives one more for (x >> 1) + (y >> 1) + ((x | y) &
// 1) if y is 0 and x is a negated 64-bit word.)
template <class T> KN_FN T kn_hadd_one(T x, T y)
{
    return (T)((x & y) + ((x ^ y) >> 1));
}
KN_INTEGER_2(hadd)

template <class T> KN_FN T kn_rhadd_one(T x, T y)
{
    return (T)((x | y) - ((x ^ y) >> 1));
}
KN_INTEGER_2(rhadd)

KN_FN int kn_bit_count(ulong x)
{
#if KN_ON_DEVICE
    return ::__popcll(x);
#else
    return __builtin_popcountl(x);
#endif
}

template <class T> KN_FN T kn_clz_one(T x)
{
#if KN_ON_DEVICE
    if (sizeof(T) <= 4)
        return (T)(::__clz((int)(kn_unsigned<T>)x) - (32 - 8 * (int)sizeof(T)));
#endif
    return (T)(kn_leading_zeros((kn_unsigned<T>)x) - (64 - 8 * (int)sizeof(T)));
}
KN_INTEGER_1(clz)

template <class T> KN_FN T kn_popcount_one(T x)
{
#if KN_ON_DEVICE
    if (sizeof(T) <= 4)
        return (T)::__popc((kn_unsigned<T>)x);
#endif
    return (T)kn_bit_count((kn_unsigned<T>)x);
}
KN_INTEGER_1(popcount)

// OpenCL C 2.0's: the number of bits below the lowest set bit; the width for 0.
template <class T> KN_FN T kn_ctz_one(T x)
{
    return kn_popcount_one((T)(~x & (T)((kn_unsigned<T>)x - 1)));
}
KN_INTEGER_1(ctz)

template <class T> KN_FN T kn_mul_hi_one(T x, T y)
{
    if constexpr (sizeof(T) < 8) {
        return (T)(((kn_wider<T>)x * (kn_wider<T>)y) >> (8 * sizeof(T)));
    } else {
#if KN_ON_DEVICE
        if (kn_is_signed<T>)
            return (T)::__mul64hi((long long)x, (long long)y);
        return (T)::__umul64hi((unsigned long long)x, (unsigned long long)y);
#else
        typedef kn_choose<kn_is_signed<T>, __int128, unsigned __int128> wide;
        return (T)(((wide)x * (wide)y) >> 64);
#endif
    }
}
KN_INTEGER_2(mul_hi)

template <class T> KN_FN T kn_mad_hi_one(T x, T y, T z)
{
    return (T)((kn_unsigned<T>)kn_mul_hi_one(x, y) + (kn_unsigned<T>)z);
}
KN_INTEGER_3(mad_hi)

template <class T> KN_FN T kn_mad_sat_one(T x, T y, T z)
{
    if constexpr (sizeof(T) < 8) {
        typedef kn_wider<T> W;
        W product = (W)((W)x * (W)y);
        if (sizeof(T) == 4 && !kn_is_signed<T>) { // only here could the sum exceed 64 bits, and it does not
            ulong sum = (ulong)product + (ulong)z;
            return sum > (ulong)kn_int_max<T> ? kn_int_max<T> : (T)sum;
        }
        long sum = (long)product + (long)z;
        return sum > (long)kn_int_max<T> ? kn_int_max<T> : sum < (long)kn_int_min<T> ? kn_int_min<T> : (T)sum;
    } else {
        T low = (T)((ulong)x * (ulong)y);
        T high = kn_mul_hi_one(x, y);
        T sum = (T)((ulong)low + (ulong)z);
        if (kn_is_signed<T>) { // the sign of z and the carry of the low words go into the high word
            T top =
                (T)((ulong)high + (ulong)(kn_is_negative(z) ? -1L : 0L) + ((ulong)sum < (ulong)low ? 1 : 0));
            return top == (kn_is_negative(sum) ? (T)-1 : (T)0) ? sum : kn_int_end(top);
        }
        return high || sum < low ? kn_int_max<T> : sum;
    }
}
KN_INTEGER_3(mad_sat)

template <class T> KN_FN T kn_rotate_one(T x, T n)
{
    typedef kn_unsigned<T> U;
    constexpr uint width = 8 * sizeof(T);
    uint left = (uint)((U)n & (width - 1));
    return (T)(U)(((U)x << left) | ((U)x >> ((width - left) & (width - 1))));
}
KN_INTEGER_2(rotate)

// Operands have 24 bits; results for larger ones are implementation-defined.
template <class T> KN_FN T kn_mul24_one(T x, T y)
{
#if KN_ON_DEVICE
    if (kn_is_signed<T>)
        return (T)::__mul24((int)x, (int)y);
    return (T)::__umul24((uint)x, (uint)y);
#else
    return kn_is_signed<T> ? (T)((uint)((int)((uint)x << 8) >> 8) * (uint)((int)((uint)y << 8) >> 8))
                           : (T)(((uint)x & 0xffffff) * ((uint)y & 0xffffff));
#endif
}
KN_INTEGER_2(mul24)

template <class T> KN_FN T kn_mad24_one(T x, T y, T z)
{
    return (T)((uint)kn_mul24_one(x, y) + (uint)z);
}
KN_INTEGER_3(mad24)

template <class A, class B> KN_FN auto upsample(const A &high, const B &low)
{
    typedef kn_gen<A> T;
    typedef kn_unsigned<T> U;
    typedef kn_wider<T> W;
    return kn_map<W, T, kn_width<A>>(
        [](T h, T l) { return (W)(((kn_unsigned<W>)(U)h << (8 * sizeof(T))) | (U)l); }, high, low);
}

} // namespace kn
