// SPDX-License-Identifier: Apache-2.0
// Merge sort's upper levels: each level is cut into pieces of equal size by bisection along the merge path
// (Odeh et al. 2012), a piece for each thread.
#include "merge_runs.h"

#include <stdint.h>

#include "base/threads.h"

// Below this a thread costs more than it saves.
enum { LEAST_PIECE = 1 << 14 };

struct pair {
    size_t begin, middle, end;
};

// Writes positions [at, until) of the result of merging from[begin..middle) with from[middle..end).
typedef void merge_function(const void *from, void *to, struct pair pair, size_t at, size_t until);

#define DEFINE_MERGE(name, type, a_before_b)                                                                 \
    static inline bool name##_less(type a, type b)                                                           \
    {                                                                                                        \
        return a_before_b;                                                                                   \
    }                                                                                                        \
                                                                                                             \
    static size_t name##_split(const type *x, struct pair p, size_t at)                                      \
    {                                                                                                        \
        size_t low = at - p.begin > p.end - p.middle ? at - (p.end - p.middle) : p.begin;                    \
        size_t high = at < p.middle ? at : p.middle;                                                         \
                                                                                                             \
        while (low < high) {                                                                                 \
            size_t half = low + (high - low) / 2;                                                            \
            if (name##_less(x[p.middle + (at - 1 - half)], x[half]))                                         \
                high = half;                                                                                 \
            else                                                                                             \
                low = half + 1;                                                                              \
        }                                                                                                    \
        return low;                                                                                          \
    }                                                                                                        \
                                                                                                             \
    static void name(const void *from, void *to, struct pair p, size_t at, size_t until)                     \
    {                                                                                                        \
        const type *x = from;                                                                                \
        type *y = to;                                                                                        \
        size_t a = name##_split(x, p, at), b = p.middle + (at - a);                                          \
                                                                                                             \
        while (at < until && a < p.middle && b < p.end) {                                                    \
            bool take_b = name##_less(x[b], x[a]);                                                           \
            y[at++] = x[take_b ? b : a];                                                                     \
            b += take_b;                                                                                     \
            a += !take_b;                                                                                    \
        }                                                                                                    \
        while (at < until)                                                                                   \
            y[at++] = a < p.middle ? x[a++] : x[b++];                                                        \
    }

// NaN comes after everything else, in either order.
#define DEFINE_INTEGERS(name, type)                                                                          \
    DEFINE_MERGE(ascending_##name, type, a < b)                                                              \
    DEFINE_MERGE(descending_##name, type, b < a)
#define DEFINE_REALS(name, type)                                                                             \
    DEFINE_MERGE(ascending_##name, type, a == a && !(b <= a))                                                \
    DEFINE_MERGE(descending_##name, type, a == a && !(a <= b))
DEFINE_INTEGERS(i8, int8_t)
DEFINE_INTEGERS(u8, uint8_t)
DEFINE_INTEGERS(i16, int16_t)
DEFINE_INTEGERS(u16, uint16_t)
DEFINE_INTEGERS(i32, int32_t)
DEFINE_INTEGERS(u32, uint32_t)
DEFINE_INTEGERS(i64, int64_t)
DEFINE_INTEGERS(u64, uint64_t)
DEFINE_REALS(f32, float)
DEFINE_REALS(f64, double)

static merge_function *const merges[][2] = {
    [KN_I8] = {ascending_i8, descending_i8},    [KN_U8] = {ascending_u8, descending_u8},
    [KN_I16] = {ascending_i16, descending_i16}, [KN_U16] = {ascending_u16, descending_u16},
    [KN_I32] = {ascending_i32, descending_i32}, [KN_U32] = {ascending_u32, descending_u32},
    [KN_I64] = {ascending_i64, descending_i64}, [KN_U64] = {ascending_u64, descending_u64},
    [KN_F32] = {ascending_f32, descending_f32}, [KN_F64] = {ascending_f64, descending_f64},
};

unsigned ki_merge_levels(size_t n, size_t run)
{
    unsigned levels = 0;

    for (size_t runs = n / run + (n % run != 0); runs > 1; runs = runs / 2 + runs % 2)
        levels++;
    return levels;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

struct level {
    merge_function *merge;
    const void *from;
    void *to;
    size_t n, run, pieces;
};

// One thread's share of a level, however many pairs it spans.
static void merge_piece(void *context, size_t i)
{
    const struct level *l = context;
    size_t share = l->n / l->pieces, rest = l->n % l->pieces;
    size_t at = share * i + least(rest, i), until = at + share + (i < rest);

    while (at < until) {
        size_t first = at / l->run / 2 * 2; // of the pair's two runs
        struct pair p = {first * l->run, 0, 0};
        p.middle = l->n - p.begin > l->run ? p.begin + l->run : l->n;
        p.end = l->n - p.middle > l->run ? p.middle + l->run : l->n;
        l->merge(l->from, l->to, p, at, least(until, p.end));
        at = least(until, p.end);
    }
}

static unsigned pieces_for(size_t n, unsigned threads)
{
    size_t most = n / LEAST_PIECE + 1;

    threads = ki_threads(threads);
    return threads < most ? threads : (unsigned)most;
}

void ki_merge_runs(void *even, void *odd, kn_type type, size_t n, size_t run, bool descending,
                   unsigned threads)
{
    merge_function *merge = merges[type][descending];
    unsigned pieces = pieces_for(n, threads);

    for (unsigned left = ki_merge_levels(n, run); left > 0; left--) {
        const void *from = left % 2 ? odd : even;
        void *to = left % 2 ? even : odd;
        ki_parallel(pieces, pieces, KI_STATIC, merge_piece, &(struct level){merge, from, to, n, run, pieces});
        run = run > n / 2 ? n : 2 * run;
    }
}
