// SPDX-License-Identifier: Apache-2.0
// OpenCL C's scalar type names, and what the prelude asks about a type: its kind, its element, its width.

namespace kn
{

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef decltype(sizeof(0)) size_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef struct kn_event *event_t;
static_assert(sizeof(long) == 8, "OpenCL C's long has 64 bits: this compiler's has not");

// Storage only, as in OpenCL C without cl_khr_fp16: read with vload_half, written with vstore_half.
struct half {
    ushort bits;
};

template <class T, int N> struct vec;
template <class T, int N, int... I> struct kn_swizzle;

// b++ and b-- of a bool.
template <class B> KN_FN constexpr bool kn_step_bool(B &b, int step)
{
    bool before = b;
    b = before + step != 0;
    return before;
}

// What a char or a short was before a step: kn_before(c += 1, 1) is c++ with wrap-around.
template <class T> KN_FN constexpr T kn_before(T after, int step)
{
    return (T)(after - step);
}

// An array that can be assigned: a compound literal's.
template <class T, long N> struct kn_array {
    T kn_v[N];
};
// Initialisation written as an assignment: arrays too.
template <class T> KN_FN constexpr void kn_copy(T &to, const T &from)
{
    to = from;
}
template <class T, size_t N> KN_FN constexpr void kn_copy(T (&to)[N], const T (&from)[N])
{
    for (size_t i = 0; i < N; i++)
        kn_copy(to[i], from[i]);
}

// ---- choosing types

template <bool C, class A, class B> struct kn_choose_ {
    typedef A type;
};
template <class A, class B> struct kn_choose_<false, A, B> {
    typedef B type;
};
template <bool C, class A, class B> using kn_choose = typename kn_choose_<C, A, B>::type;

template <bool C> struct kn_when_ {
};
template <> struct kn_when_<true> {
    typedef int type;
};
template <bool C> using kn_when = typename kn_when_<C>::type;

template <class A, class B> constexpr bool kn_same = false;
template <class A> constexpr bool kn_same<A, A> = true;

template <class T> struct kn_bare_ {
    typedef T type;
};
template <class T> struct kn_bare_<const T> {
    typedef T type;
};
template <class T> struct kn_bare_<volatile T> {
    typedef T type;
};
template <class T> struct kn_bare_<const volatile T> {
    typedef T type;
};
template <class T> struct kn_bare_<T &> : kn_bare_<T> {
};
template <class T> struct kn_bare_<T &&> : kn_bare_<T> {
};
template <class T> using kn_bare = typename kn_bare_<T>::type;

// ---- kinds of scalars

enum kn_kinds { kn_no_number, kn_signed_number, kn_unsigned_number, kn_real_number };

template <class T> constexpr int kn_kind = __is_enum(T) ? kn_signed_number : kn_no_number;
template <> constexpr int kn_kind<bool> = kn_signed_number; // a comparison's result: int in OpenCL C
template <> constexpr int kn_kind<char> = kn_signed_number;
template <> constexpr int kn_kind<signed char> = kn_signed_number;
template <> constexpr int kn_kind<short> = kn_signed_number;
template <> constexpr int kn_kind<int> = kn_signed_number;
template <> constexpr int kn_kind<long> = kn_signed_number;
template <> constexpr int kn_kind<long long> = kn_signed_number;
template <> constexpr int kn_kind<uchar> = kn_unsigned_number;
template <> constexpr int kn_kind<ushort> = kn_unsigned_number;
template <> constexpr int kn_kind<uint> = kn_unsigned_number;
template <> constexpr int kn_kind<ulong> = kn_unsigned_number;
template <> constexpr int kn_kind<unsigned long long> = kn_unsigned_number;
template <> constexpr int kn_kind<float> = kn_real_number;
template <> constexpr int kn_kind<double> = kn_real_number;

template <class T> constexpr bool kn_is_scalar = kn_kind<kn_bare<T>> != kn_no_number;
template <class T> constexpr bool kn_is_real = kn_kind<T> == kn_real_number;
template <class T> constexpr bool kn_is_signed = kn_kind<T> == kn_signed_number;

template <class T> constexpr bool kn_is_pointer = false;
template <class T> constexpr bool kn_is_pointer<T *> = true;
template <> constexpr bool kn_is_pointer<decltype(nullptr)> = true;

template <int Bytes> struct kn_int_of_;
template <> struct kn_int_of_<1> {
    typedef char of_signed;
    typedef uchar of_unsigned;
    typedef short wider_signed;
    typedef ushort wider_unsigned;
};
template <> struct kn_int_of_<2> {
    typedef short of_signed;
    typedef ushort of_unsigned;
    typedef int wider_signed;
    typedef uint wider_unsigned;
};
template <> struct kn_int_of_<4> {
    typedef int of_signed;
    typedef uint of_unsigned;
    typedef long wider_signed;
    typedef ulong wider_unsigned;
};
template <> struct kn_int_of_<8> {
    typedef long of_signed;
    typedef ulong of_unsigned;
};
template <class T>
using kn_signed = typename kn_int_of_<sizeof(T)>::of_signed; // also the type of a comparison
template <class T> using kn_unsigned = typename kn_int_of_<sizeof(T)>::of_unsigned;
template <class T>
using kn_wider = kn_choose<kn_is_signed<T>, typename kn_int_of_<sizeof(T)>::wider_signed,
                           typename kn_int_of_<sizeof(T)>::wider_unsigned>;

template <class T>
constexpr T kn_int_max = kn_is_signed<T> ? (T)((kn_unsigned<T>)~(kn_unsigned<T>)0 >> 1) : (T) ~(T)0;
template <class T> constexpr T kn_int_min = kn_is_signed<T> ? (T)(-kn_int_max<T> - 1) : (T)0;

template <class T> KN_FN constexpr bool kn_is_negative(T x)
{
    if constexpr (kn_kind<T> == kn_unsigned_number)
        return false;
    else
        return x < 0;
}

// ---- elements and widths: of scalars, vectors and component selections

template <class T> struct kn_shape_ {
    typedef kn_choose<kn_same<T, bool> || __is_enum(T), int, T> element;
    static constexpr int width = 1;
    static constexpr bool is_vector = false;
};
template <class T, int N> struct kn_shape_<vec<T, N>> {
    typedef T element;
    static constexpr int width = N;
    static constexpr bool is_vector = true;
};
template <class T, int N, int... I> struct kn_shape_<kn_swizzle<T, N, I...>> {
    typedef T element;
    static constexpr int width = sizeof...(I);
    static constexpr bool is_vector = true;
};
template <class A> using kn_element = typename kn_shape_<kn_bare<A>>::element;
template <class A> constexpr int kn_width = kn_shape_<kn_bare<A>>::width;
template <class A> constexpr bool kn_is_vector = kn_shape_<kn_bare<A>>::is_vector;
template <class A> constexpr bool kn_is_operand = kn_is_vector<A> || kn_is_scalar<A>;

// vec<T, N>, but T itself for N = 1.
template <class T, int N> struct kn_wide_ {
    typedef vec<T, N> type;
};
template <class T> struct kn_wide_<T, 1> {
    typedef T type;
};
template <class T, int N> using kn_wide = typename kn_wide_<T, N>::type;

// What an argument is as a value: a component selection is its vector, bool and enum are int.
template <class A> struct kn_value_ {
    typedef A type;
};
template <class T, int N, int... I> struct kn_value_<kn_swizzle<T, N, I...>> {
    typedef vec<T, sizeof...(I)> type;
};
template <class A> using kn_value = typename kn_value_<kn_bare<A>>::type;

// The common type of a built-in's arguments (OpenCL's gentype): the first vector among them; else the one
// type they have, or C's usual conversions.
template <class A, class B> struct kn_sum_ {
    typedef decltype(A() + B()) type;
};
template <class A> struct kn_sum_<A, A> {
    typedef A type;
};
template <class A, class B, bool V, bool W> struct kn_join_ {
    typedef kn_value<A> type;
};
template <class A, class B> struct kn_join_<A, B, false, true> {
    typedef kn_value<B> type;
};
template <class A, class B> struct kn_join_<A, B, false, false> : kn_sum_<kn_element<A>, kn_element<B>> {
};

template <class... A> struct kn_gen_;
template <class A> struct kn_gen_<A> {
    typedef kn_element<A> type;
    static constexpr int width = kn_width<A>;
};
template <class A, class B, class... R>
struct kn_gen_<A, B, R...> : kn_gen_<typename kn_join_<A, B, kn_is_vector<A>, kn_is_vector<B>>::type, R...> {
};
template <class... A> using kn_gen = typename kn_gen_<A...>::type;
template <class... A> constexpr int kn_gen_width = kn_gen_<A...>::width;

// The same for maths: integers are taken as float.
template <class... A> using kn_real = kn_choose<kn_is_real<kn_gen<A...>>, kn_gen<A...>, float>;

} // namespace kn
