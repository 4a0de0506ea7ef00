// SPDX-License-Identifier: Apache-2.0
// Vectors of 2, 3, 4, 8 and 16 elements: vec<T, N>, its components and component selections, and its
// operators.
//
// A vector is a trivial class: one array, seen also as components (x, s0, sA) and, through a union, as
// selections (xy, hi, wzyx). A selection has the whole vector's array and knows its indices: reading converts
// it to a vector, writing stores the components that it names.

namespace kn
{

// ---- index lists

template <int... I> struct kn_seq {
};
template <int N> struct kn_range_;
template <> struct kn_range_<1> {
    typedef kn_seq<0> type;
};
template <> struct kn_range_<2> {
    typedef kn_seq<0, 1> type;
};
template <> struct kn_range_<3> {
    typedef kn_seq<0, 1, 2> type;
};
template <> struct kn_range_<4> {
    typedef kn_seq<0, 1, 2, 3> type;
};
template <> struct kn_range_<8> {
    typedef kn_seq<0, 1, 2, 3, 4, 5, 6, 7> type;
};
template <> struct kn_range_<16> {
    typedef kn_seq<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15> type;
};
template <int N> using kn_range = typename kn_range_<N>::type;

struct kn_lanes {
}; // marks the constructor that takes the elements as they are

// ---- the vectors

template <class A> KN_FN constexpr auto kn_rvalue(const A &a);
template <class V, class... A> KN_FN constexpr V kn_make(const A &...a);

// The members of every width. Brace lists of elements and of shorter vectors, as C's initialisers have them;
// a scalar is copied to all elements; a volatile vector is read element by element.
#define KN_VECTOR(N)                                                                                         \
    typedef T kn_t;                                                                                          \
    vec() = default;                                                                                         \
    template <class... S> KN_FN constexpr vec(kn_lanes, S... s) : kn_s{(T)s...}                              \
    {                                                                                                        \
    }                                                                                                        \
    template <int... I> KN_FN constexpr vec(kn_seq<I...>, T s) : kn_s{((void)I, s)...}                       \
    {                                                                                                        \
    }                                                                                                        \
    template <class S, kn_when<kn_is_scalar<S>> = 0> KN_FN constexpr vec(S s) : vec(kn_range<N>(), (T)s)     \
    {                                                                                                        \
    }                                                                                                        \
    template <class A, class B, class... R, kn_when<kn_may_init<A> && kn_may_init<B>> = 0>                   \
    KN_FN constexpr vec(const A &a, const B &b, const R &...r) : vec(kn_make<vec>(a, b, r...))               \
    {                                                                                                        \
    }                                                                                                        \
    template <class S> KN_FN vec(const volatile vec<S, N> &v) : vec(kn_range<N>(), v, 0)                     \
    {                                                                                                        \
    }                                                                                                        \
    template <int... I> KN_FN vec(kn_seq<I...>, const volatile vec &v, int) : kn_s{v.kn_s[I]...}             \
    {                                                                                                        \
    }                                                                                                        \
    template <class S> KN_FN vec &operator=(const volatile vec<S, N> &v)                                     \
    {                                                                                                        \
        return *this = vec(v);                                                                               \
    }                                                                                                        \
    template <int = 0> KN_FN void operator=(const vec &v) volatile                                           \
    {                                                                                                        \
        for (int i = 0; i < N; i++)                                                                          \
            kn_s[i] = v.kn_s[i];                                                                             \
    }                                                                                                        \
    KN_FN constexpr T &operator[](size_t i)                                                                  \
    {                                                                                                        \
        return kn_s[i];                                                                                      \
    }                                                                                                        \
    KN_FN constexpr const T &operator[](size_t i) const                                                      \
    {                                                                                                        \
        return kn_s[i];                                                                                      \
    }

template <class S> struct kn_init_value;
template <class A> constexpr bool kn_may_init = kn_is_operand<A>;
template <class S> constexpr bool kn_may_init<kn_init_value<S>> = true;

#define KN_SWIZZLE(n, name, ...) kn_swizzle<T, n, __VA_ARGS__> name;

template <class T> struct alignas(2 * sizeof(T)) vec<T, 2> {
    union {
        T kn_s[2];
        struct {
            T x, y;
        };
        struct {
            T s0, s1;
        };
        KN_SWIZZLES_2
    };
    KN_VECTOR(2)
};

template <class T> struct alignas(4 * sizeof(T)) vec<T, 3> {
    union {
        T kn_s[4];
        struct {
            T x, y, z;
        };
        struct {
            T s0, s1, s2;
        };
        KN_SWIZZLES_3
    };
    KN_VECTOR(3)
};

template <class T> struct alignas(4 * sizeof(T)) vec<T, 4> {
    union {
        T kn_s[4];
        struct {
            T x, y, z, w;
        };
        struct {
            T s0, s1, s2, s3;
        };
        KN_SWIZZLES_4
    };
    KN_VECTOR(4)
};

template <class T> struct alignas(8 * sizeof(T)) vec<T, 8> {
    union {
        T kn_s[8];
        struct {
            T x, y, z, w;
        };
        struct {
            T s0, s1, s2, s3, s4, s5, s6, s7;
        };
        KN_SWIZZLES_8
    };
    KN_VECTOR(8)
};

template <class T> struct alignas(16 * sizeof(T)) vec<T, 16> {
    union {
        T kn_s[16];
        struct {
            T x, y, z, w;
        };
        struct {
            T s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf;
        };
        struct {
            T kn_low[10], sA, sB, sC, sD, sE, sF;
        };
        KN_SWIZZLES_16
    };
    KN_VECTOR(16)
};

#define KN_VECTOR_NAMES(T)                                                                                   \
    typedef vec<T, 2> T##2;                                                                                  \
    typedef vec<T, 3> T##3;                                                                                  \
    typedef vec<T, 4> T##4;                                                                                  \
    typedef vec<T, 8> T##8;                                                                                  \
    typedef vec<T, 16> T##16;
KN_VECTOR_NAMES(char)
KN_VECTOR_NAMES(uchar)
KN_VECTOR_NAMES(short)
KN_VECTOR_NAMES(ushort)
KN_VECTOR_NAMES(int)
KN_VECTOR_NAMES(uint)
KN_VECTOR_NAMES(long)
KN_VECTOR_NAMES(ulong)
KN_VECTOR_NAMES(float)
KN_VECTOR_NAMES(double)

// ---- selections

// The K-th of a list.
template <int K, int First, int... I> struct kn_nth {
    static constexpr int value = kn_nth<K - 1, I...>::value;
};
template <int First, int... I> struct kn_nth<0, First, I...> {
    static constexpr int value = First;
};

// Whether the indices count up from a multiple of their number: such a part of a vector is a vector in
// memory.
template <int... I> constexpr bool kn_is_part = false;
template <int A, int B> constexpr bool kn_is_part<A, B> = A % 2 == 0 && B == A + 1;
template <int A, int B, int C, int D>
constexpr bool kn_is_part<A, B, C, D> = A % 4 == 0 && B == A + 1 && C == A + 2 && D == A + 3;

// A selection's own copy assignment stays trivial, so that vectors do. It would copy the whole array and must not be
// called: the rewriter writes `a.xy = b.xy` with a constant b as `a.xy = kn_rvalue(b.xy)`.
template <class T, int N, int... I> struct kn_swizzle {
    typedef vec<T, sizeof...(I)> kn_vec;
    T kn_s[N == 3 ? 4 : N];

    // A selection returned by value stands alone, with only its elements' alignment.
    KN_FN constexpr operator kn_vec() const &&
    {
        return kn_vec(kn_lanes(), kn_s[I]...);
    }
    KN_FN operator kn_vec() const &
    {
        if constexpr (kn_is_part<I...>)
            return *reinterpret_cast<const kn_vec *>(&kn_s[kn_nth<0, I...>::value]);
        else
            return kn_vec(kn_lanes(), kn_s[I]...);
    }
    template <class U, kn_when<kn_is_operand<U>> = 0> KN_FN kn_swizzle &operator=(U &&u)
    {
        kn_set(kn_rvalue(u), kn_range<sizeof...(I)>());
        return *this;
    }

  private:
    template <int... J> KN_FN void kn_set(kn_vec v, kn_seq<J...>)
    {
        if constexpr (kn_is_part<I...>)
            *reinterpret_cast<kn_vec *>(&kn_s[kn_nth<0, I...>::value]) = v;
        else
            ((kn_s[I] = v.kn_s[J]), ...);
    }
    template <class, int> friend struct vec;
    kn_swizzle &operator=(const kn_swizzle &) = default;

  public:
    kn_swizzle() = default;
    kn_swizzle(const kn_swizzle &) = default;
};

// The value of anything: a selection becomes its vector, everything else stays as it is.
template <class A> KN_FN constexpr auto kn_rvalue(const A &a)
{
    return (kn_value<A>)a;
}

// Element I of an argument as a T; a scalar has its value everywhere.
template <class T, int I, class A> KN_FN constexpr T kn_lane(const A &a)
{
    return (T)a;
}
template <class T, int I, class S, int N> KN_FN constexpr T kn_lane(const vec<S, N> &a)
{
    return (T)a.kn_s[I];
}
template <class T, int I, class S, int N, int... J> KN_FN constexpr T kn_lane(const kn_swizzle<S, N, J...> &a)
{
    return (T)a.kn_s[kn_nth<I, J...>::value];
}

// Selections of selections as targets of assignments: kn_pick<1, 0>(v.hi) for v.hi.yx, kn_pick<2>(v.hi) for v.hi.z.
template <int... K, class T, int N, int... I>
KN_FN auto kn_pick_of(kn_swizzle<T, N, I...> &s) -> kn_swizzle<T, N, kn_nth<K, I...>::value...> &
{
    return reinterpret_cast<kn_swizzle<T, N, kn_nth<K, I...>::value...> &>(s);
}
template <int... K, class T, int N, int... I> KN_FN decltype(auto) kn_pick(kn_swizzle<T, N, I...> &s)
{
    if constexpr (sizeof...(K) == 1)
        return (s.kn_s[kn_nth<K, I...>::value], ...);
    else
        return kn_pick_of<K...>(s);
}

// ---- element by element

// f over the elements of the arguments, each taken as a T; the results as R.
template <class R, class T, int I, class F, class... A> KN_FN constexpr R kn_map_lane(F f, const A &...a)
{
    return (R)f(kn_lane<T, I>(a)...);
}
template <class R, class T, class F, int... I, class... A>
KN_FN constexpr vec<R, sizeof...(I)> kn_map_lanes(F f, kn_seq<I...>, const A &...a)
{
    return vec<R, sizeof...(I)>(kn_lanes(), kn_map_lane<R, T, I>(f, a...)...);
}
template <class R, class T, int N, class F, class... A>
KN_FN constexpr kn_wide<R, N> kn_map(F f, const A &...a)
{
    if constexpr (N == 1)
        return kn_map_lane<R, T, 0>(f, a...);
    else
        return kn_map_lanes<R, T>(f, kn_range<N>(), a...);
}

// The usual case: arguments and result have the common type of the arguments.
template <class F, class... A> KN_FN constexpr auto kn_map_gen(F f, const A &...a)
{
    return kn_map<kn_gen<A...>, kn_gen<A...>, kn_gen_width<A...>>(f, a...);
}

// f(index) for every index below N, unrolled.
template <int I> struct kn_index {
    static constexpr int value = I;
};
template <class F, int... I> KN_FN constexpr void kn_for_seq(F f, kn_seq<I...>)
{
    (f(kn_index<I>()), ...);
}
template <int N, class F> KN_FN constexpr void kn_for(F f)
{
    kn_for_seq(f, kn_range<N>());
}

// Component I of an lvalue that is a scalar or a vector.
template <int I, class T> KN_FN constexpr T &kn_lvalue(T &a)
{
    return a;
}
template <int I, class T, int N> KN_FN constexpr T &kn_lvalue(vec<T, N> &a)
{
    return a.kn_s[I];
}

// ---- operators: where at least one operand is a vector or a selection

template <class A, class B>
constexpr bool kn_is_pair = (kn_is_vector<A> || kn_is_vector<B>)&&kn_is_operand<A> &&kn_is_operand<B>;

#define KN_OPERATOR(op)                                                                                      \
    template <class A, class B, kn_when<kn_is_pair<A, B>> = 0>                                               \
    KN_FN constexpr auto operator op(const A &a, const B &b)                                                 \
    {                                                                                                        \
        return kn_map_gen([](auto x, auto y) { return x op y; }, a, b);                                      \
    }                                                                                                        \
    template <class A, class B, kn_when<kn_is_vector<A> && kn_is_operand<B>> = 0>                            \
    KN_FN constexpr A &operator op##=(A &a, const B &b)                                                      \
    {                                                                                                        \
        a = a op b;                                                                                          \
        return a;                                                                                            \
    }
KN_OPERATOR(+)
KN_OPERATOR(-)
KN_OPERATOR(*)
KN_OPERATOR(/)
KN_OPERATOR(%)
KN_OPERATOR(&)
KN_OPERATOR(|)
KN_OPERATOR(^)

#define KN_COMPARISON(op)                                                                                    \
    template <class A, class B, kn_when<kn_is_pair<A, B>> = 0>                                               \
    KN_FN constexpr auto operator op(const A &a, const B &b)                                                 \
    {                                                                                                        \
        typedef kn_gen<A, B> T;                                                                              \
        return kn_map<kn_signed<T>, T, kn_gen_width<A, B>>([](T x, T y) { return x op y ? -1 : 0; }, a, b);  \
    }
KN_COMPARISON(==)
KN_COMPARISON(!=)
KN_COMPARISON(<)
KN_COMPARISON(>)
KN_COMPARISON(<=)
KN_COMPARISON(>=)
KN_COMPARISON(&&)
KN_COMPARISON(||)

template <class A, kn_when<kn_is_vector<A>> = 0> KN_FN constexpr auto operator+(const A &a)
{
    return kn_rvalue(a);
}
template <class A, kn_when<kn_is_vector<A>> = 0> KN_FN constexpr auto operator-(const A &a)
{
    return kn_map_gen([](auto x) { return -x; }, a);
}
template <class A, kn_when<kn_is_vector<A>> = 0> KN_FN constexpr auto operator~(const A &a)
{
    return kn_map_gen([](auto x) { return ~x; }, a);
}
template <class A, kn_when<kn_is_vector<A>> = 0> KN_FN constexpr auto operator!(const A &a)
{
    typedef kn_element<A> T;
    return kn_map<kn_signed<T>, T, kn_width<A>>([](T x) { return x == 0 ? -1 : 0; }, a);
}

#define KN_STEP_OPERATOR(op, plus)                                                                           \
    template <class A, kn_when<kn_is_vector<A>> = 0> KN_FN constexpr A &operator op(A &a)                    \
    {                                                                                                        \
        a = a plus 1;                                                                                        \
        return a;                                                                                            \
    }                                                                                                        \
    template <class A, kn_when<kn_is_vector<A>> = 0> KN_FN constexpr auto operator op(A &a, int)             \
    {                                                                                                        \
        auto before = kn_rvalue(a);                                                                          \
        a = before plus 1;                                                                                   \
        return before;                                                                                       \
    }
KN_STEP_OPERATOR(++, +)
KN_STEP_OPERATOR(--, -)

// ---- shifts: by the count modulo the (promoted) width, as OpenCL C defines and C++ does not

template <class T> KN_FN constexpr T kn_shl_one(T x, T n)
{
    return (T)((kn_unsigned<T>)x << ((kn_unsigned<T>)n & (8 * sizeof(T) - 1)));
}
template <class T> KN_FN constexpr T kn_shr_one(T x, T n)
{
    return (T)(x >> ((kn_unsigned<T>)n & (8 * sizeof(T) - 1)));
}

#define KN_SHIFT(name, op)                                                                                   \
    template <class A, class B> KN_FN constexpr auto name(const A &a, const B &b)                            \
    {                                                                                                        \
        static_assert(!kn_is_real<kn_element<A>> && !kn_is_real<kn_element<B>>, "a shift takes integers");   \
        if constexpr (kn_is_vector<A>) {                                                                     \
            typedef kn_element<A> T;                                                                         \
            return kn_map<T, T, kn_width<A>>([](T x, T n) { return name##_one(x, n); }, a, b);               \
        } else {                                                                                             \
            return name##_one<decltype(+a)>(a, (decltype(+a))b);                                             \
        }                                                                                                    \
    }                                                                                                        \
    template <class A, class B> KN_FN constexpr A &name##_assign(A &a, const B &b)                           \
    {                                                                                                        \
        a = (kn_value<A>)name(a, b);                                                                         \
        return a;                                                                                            \
    }                                                                                                        \
    template <class A, class B, kn_when<kn_is_vector<A> && kn_is_operand<B>> = 0>                            \
    KN_FN constexpr auto operator op(const A &a, const B &b)                                                 \
    {                                                                                                        \
        return name(a, b);                                                                                   \
    }                                                                                                        \
    template <class A, class B, kn_when<kn_is_vector<A> && kn_is_operand<B>> = 0>                            \
    KN_FN constexpr A &operator op##=(A &a, const B &b)                                                      \
    {                                                                                                        \
        return name##_assign(a, b);                                                                          \
    }
KN_SHIFT(kn_shl, <<)
KN_SHIFT(kn_shr, >>)

} // namespace kn
