// SPDX-License-Identifier: Apache-2.0
// One pass of a discrete Fourier transform: POINTS numbers along each of `lines` lines, sum_j x[j] exp(-+2 pi i jk/n).
// Stockham's autosort in mixed radix (Govindaraju et al. 2008): RADIX_0 * RADIX_1 * ... = POINTS. Each work-item keeps
// its points in registers; they change owners between two radices through local memory.
//
// Line l is inner l % inner, split l / inner % split, and outer is the rest. Its point p has the position p * side.point +
// split * side.split in a long line, and is element inner * side.inner + outer * side.outer + position * side.stride.
// Positions from side.count on are read as zeros and not stored. With TWIDDLE, the results are multiplied by exp(-+2 pi i
// split * k / (POINTS * split's count)), as the first half of a longer transform needs; the second half then stores
// transposed.
//
// Launch: ceil(lines / LINES) groups of LINES * ITEMS work-items, BUFFERS * LINES * PITCH * sizeof(real2) bytes of local memory.
// Cost: reads and writes every number once.
// Tunables: REAL_BITS, POINTS, RADIX_0 to RADIX_5 (1: none), ITEMS (work-items a line), LINES (lines a group), BUFFERS (2:
// an exchange takes one barrier and twice the local memory), ROWS_IN, ROWS_OUT (1: neighbours in a line are neighbours in
// memory, so neighbouring work-items handle them; 0: neighbouring lines are), SWAP_IN, SWAP_OUT (swap real and imaginary
// parts: both together give the unscaled inverse transform), LOAD (0: complex, 1: real from SAMPLE, 2: complex, the first
// half of a Hermitian line), STORE (0: complex, 1: the real part), INNER, SPLIT (0: that counter is always 0), TWIDDLE,
// WIDE (64-bit indices), SHORT_IN, SHORT_OUT (1: positions from side.count on are missing), SCALED (0: scale is 1),
// TABLE_IN, TABLE_OUT (multiply by roots[table + position]: chirps).
#ifndef ROWS_IN
#define ROWS_IN 1
#endif
#ifndef ROWS_OUT
#define ROWS_OUT ROWS_IN
#endif
#ifndef SWAP_IN
#define SWAP_IN 0
#endif
#ifndef SWAP_OUT
#define SWAP_OUT 0
#endif
#ifndef LOAD
#define LOAD 0
#endif
#ifndef STORE
#define STORE 0
#endif
#ifndef INNER
#define INNER 1
#endif
#ifndef SPLIT
#define SPLIT 0
#endif
#ifndef TWIDDLE
#define TWIDDLE 0
#endif
#ifndef WIDE
#define WIDE 0
#endif
#ifndef SHORT_IN
#define SHORT_IN 0
#endif
#ifndef SHORT_OUT
#define SHORT_OUT 0
#endif
#ifndef SCALED
#define SCALED 0
#endif
#ifndef TABLE_IN
#define TABLE_IN 0
#endif
#ifndef TABLE_OUT
#define TABLE_OUT 0
#endif

#include "../../lib/fft_line.clh"

#ifndef SAMPLE
#define SAMPLE real
#endif
#if LOAD == 1
typedef SAMPLE source;
#else
typedef real2 source;
#endif
#if STORE == 1
typedef real result;
#else
typedef real2 result;
#endif
#if WIDE
typedef ulong index;
#else
typedef uint index;
#endif

typedef struct {
    ulong inner, outer, stride, point, split, count;
} side;

// Where the numbers of a line are: position p at base + p * stride.
typedef struct {
    index base, stride, first, step, count;
} line_layout;

inline line_layout lay_out_line(side from, uint line, uint inner, uint split)
{
    line_layout layout;
    uint rest = line;

    layout.base = 0;
    layout.first = 0;
    layout.step = 1;
#if INNER
    layout.base = line % inner * (index)from.inner;
    rest = line / inner;
#endif
#if SPLIT
    layout.first = rest % split * (index)from.split;
    layout.step = (index)from.point;
    rest = rest / split;
#endif
    layout.base += rest * (index)from.outer;
    layout.stride = (index)from.stride;
    layout.count = (index)from.count;
    return layout;
}

inline uint split_of(uint line, uint inner, uint split)
{
#if INNER
    line /= inner;
#endif
    return line % split;
}

inline real2 swap_parts(real2 a)
{
    return (real2)(a.y, a.x);
}

inline real2 load(__global const source *in, line_layout line, index position, __global const real2 *table, uint length)
{
    real2 value = (real2)(0, 0);

    if (SHORT_IN && position >= line.count)
        return value;
#if LOAD == 2
    bool mirrored = position > length / 2;
    value = in[line.base + (mirrored ? length - position : position) * line.stride];
    if (mirrored)
        value.y = -value.y;
#elif LOAD == 1
    value.x = (real)in[line.base + position * line.stride];
#else
    value = in[line.base + position * line.stride];
#endif
#if SWAP_IN
    value = swap_parts(value);
#endif
#if TABLE_IN
    value = multiply(value, table[position]);
#endif
    return value;
}

inline void store(__global result *out, line_layout line, index position, real2 value, real scale,
                  __global const real2 *table)
{
    if (SHORT_OUT && position >= line.count)
        return;
#if SCALED
    value *= scale;
#endif
#if TABLE_OUT
    value = multiply(value, table[position]);
#endif
#if SWAP_OUT
    value = swap_parts(value);
#endif
#if STORE == 1
    out[line.base + position * line.stride] = value.x;
#else
    out[line.base + position * line.stride] = value;
#endif
}

// Loads the numbers of a work-item, which are RADIX_0 apart.
inline __attribute__((always_inline)) void load_line(__global const source *in, line_layout line, uint item, real2 *x, __global const real2 *table,
                      uint length)
{
#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_0); round++) {
        uint j = item + round * ITEMS;
        if (IS_INSIDE(j, RADIX_0)) {
#pragma unroll
            for (uint r = 0; r < RADIX_0; r++)
                x[round * RADIX_0 + r] = load(in, line, line.first + (j + r * (POINTS / RADIX_0)) * line.step, table, length);
        }
    }
}

// Stores the transforms of a work-item. `split` is the line's number in the matrix of the long line, `high` and `low` its
// roots of unity.
inline __attribute__((always_inline)) void store_line(__global result *out, line_layout line, uint item, const real2 *x, real scale,
                       __global const real2 *table, uint split, __global const real2 *low, uint log2_low)
{
#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_LAST); round++) {
        uint j = item + round * ITEMS;
        if (IS_INSIDE(j, RADIX_LAST)) {
#pragma unroll
            for (uint r = 0; r < RADIX_LAST; r++) {
                uint k = j + r * (POINTS / RADIX_LAST);
                real2 value = x[round * RADIX_LAST + r];
#if TWIDDLE
                uint turns = split * k, size = 1u << log2_low;
                value = multiply(value, multiply(low[turns & (size - 1)], low[size + (turns >> log2_low)]));
#endif
                store(out, line, line.first + k * line.step, value, scale, table);
            }
        }
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
fft_pass(__global const source *in, __global result *out, side from, side to, uint lines, uint inner, uint split,
         uint length, __global const real2 *roots, uint at, uint table_in, uint table_out, uint long_roots,
         uint log2_low, real scale, __local real2 *exchange)
{
    uint first = (uint)get_group_id(0) * LINES;

#if STAGES > 1
    {
        real2 x[HOLDS(RADIX_0)];
        if (first + LINE(ROWS_IN) < lines)
            load_line(in, lay_out_line(from, first + LINE(ROWS_IN), inner, split), ITEM(ROWS_IN), x, roots + table_in, length);
        transform(x, ITEM(ROWS_IN), RADIX_0, 1, roots);
        put(exchange + LINE(ROWS_IN) * PITCH, x, ITEM(ROWS_IN), RADIX_0, 1);
    }
    // Other work-items will write what this one has read.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#endif
    MIDDLE_STAGES

    uint line = first + LINE(ROWS_OUT);
    real2 x[HOLDS(RADIX_LAST)];
#if STAGES > 1
    take(exchange + LAST_BUFFER * LINES * PITCH + LINE(ROWS_OUT) * PITCH, x, ITEM(ROWS_OUT), RADIX_LAST);
    transform(x, ITEM(ROWS_OUT), RADIX_LAST, POINTS / RADIX_LAST, roots + at);
#else
    if (line < lines)
        load_line(in, lay_out_line(from, line, inner, split), ITEM(ROWS_OUT), x, roots + table_in, length);
    transform(x, ITEM(ROWS_OUT), RADIX_0, 1, roots);
#endif
    if (line < lines)
        store_line(out, lay_out_line(to, line, inner, split), ITEM(ROWS_OUT), x, scale, roots + table_out,
                   split_of(line, inner, split), roots + long_roots, log2_low);
}
