// SPDX-License-Identifier: Apache-2.0
// Atomics, 32 bits (atomic_) and 64 bits (atom_, also the older names of the 32-bit ones), on global and
// local memory: a pointer knows its space. Each returns the value before.

namespace kn
{

#if KN_ON_DEVICE
// CUDA's overloads know int, unsigned and unsigned long long; where signs matter, long long too.
template <class T>
using kn_atomic_word =
    kn_choose<sizeof(T) == 4, T, kn_choose<kn_is_signed<T>, long long, unsigned long long>>;
template <class T> using kn_atomic_bits = kn_choose<sizeof(T) == 4, uint, unsigned long long>;

template <class W, class T> KN_FN W *kn_word(volatile T *p)
{
    return (W *)const_cast<T *>(p);
}
#define KN_ATOMIC_OPERATION(name, function, word, value)                                                     \
    template <class T> KN_FN T kn_atomic_##name(volatile T *p, T x)                                          \
    {                                                                                                        \
        typedef word<T> W;                                                                                   \
        return (T)::function(kn_word<W>(p), (W)(value));                                                     \
    }
KN_ATOMIC_OPERATION(add, atomicAdd, kn_atomic_bits, x)
KN_ATOMIC_OPERATION(sub, atomicAdd, kn_atomic_bits, 0 - (W)x)
KN_ATOMIC_OPERATION(and, atomicAnd, kn_atomic_bits, x)
KN_ATOMIC_OPERATION(or, atomicOr, kn_atomic_bits, x)
KN_ATOMIC_OPERATION(xor, atomicXor, kn_atomic_bits, x)
KN_ATOMIC_OPERATION(min, atomicMin, kn_atomic_word, x)
KN_ATOMIC_OPERATION(max, atomicMax, kn_atomic_word, x)

template <class T> KN_FN T kn_atomic_xchg(volatile T *p, T x)
{
    typedef kn_atomic_bits<T> W;
    return kn_bits<T>(::atomicExch(kn_word<W>(p), kn_bits<W>(x)));
}
template <class T> KN_FN T kn_atomic_cmpxchg(volatile T *p, T expected, T x)
{
    typedef kn_atomic_bits<T> W;
    return (T)::atomicCAS(kn_word<W>(p), (W)expected, (W)x);
}
#else
// One thread runs a work-group's items in turn.
template <class T> KN_FN T kn_atomic_xchg(volatile T *p, T x)
{
    T before = *p;
    *p = x;
    return before;
}
template <class T> KN_FN T kn_atomic_cmpxchg(volatile T *p, T expected, T x)
{
    return kn_atomic_xchg(p, (T)(*p == expected ? x : *p));
}
#define KN_ATOMIC_OPERATION(name, value)                                                                     \
    template <class T> KN_FN T kn_atomic_##name(volatile T *p, T x)                                          \
    {                                                                                                        \
        [[maybe_unused]] typedef kn_unsigned<T> U;                                                           \
        T before = *p;                                                                                       \
        *p = (T)(value);                                                                                     \
        return before;                                                                                       \
    }
KN_ATOMIC_OPERATION(add, (U)before + (U)x)
KN_ATOMIC_OPERATION(sub, (U)before - (U)x)
KN_ATOMIC_OPERATION(and, before &x)
KN_ATOMIC_OPERATION(or, before | x)
KN_ATOMIC_OPERATION(xor, before ^ x)
KN_ATOMIC_OPERATION(min, x < before ? x : before)
KN_ATOMIC_OPERATION(max, before < x ? x : before)
#endif

#define KN_ATOMIC(name)                                                                                      \
    template <class T, class V> KN_FN T atomic_##name(volatile T *p, V x)                                    \
    {                                                                                                        \
        return kn_atomic_##name(p, (T)x);                                                                    \
    }                                                                                                        \
    template <class T, class V> KN_FN T atom_##name(volatile T *p, V x)                                      \
    {                                                                                                        \
        return kn_atomic_##name(p, (T)x);                                                                    \
    }
KN_ATOMIC(add)
KN_ATOMIC(sub)
KN_ATOMIC(and)
KN_ATOMIC(or)
KN_ATOMIC(xor)
KN_ATOMIC(min)
KN_ATOMIC(max)
KN_ATOMIC(xchg)

#define KN_ATOMIC_STEP(name, operation)                                                                      \
    template <class T> KN_FN T name(volatile T *p)                                                           \
    {                                                                                                        \
        return kn_atomic_##operation(p, (T)1);                                                               \
    }
KN_ATOMIC_STEP(atomic_inc, add)
KN_ATOMIC_STEP(atomic_dec, sub)
KN_ATOMIC_STEP(atom_inc, add)
KN_ATOMIC_STEP(atom_dec, sub)

template <class T, class E, class V> KN_FN T atomic_cmpxchg(volatile T *p, E expected, V x)
{
    return kn_atomic_cmpxchg(p, (T)expected, (T)x);
}
template <class T, class E, class V> KN_FN T atom_cmpxchg(volatile T *p, E expected, V x)
{
    return kn_atomic_cmpxchg(p, (T)expected, (T)x);
}

} // namespace kn
