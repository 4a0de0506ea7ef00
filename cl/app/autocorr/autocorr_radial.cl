// SPDX-License-Identifier: Apache-2.0
// The azimuthal average of normalized correlations, ring by ring: an offset at the distance r has the weight 1 - |r - k| in
// ring k. The differences of a normalization are formed in integers of 128 bits, without cancellation. A group computes a
// ring; its work-items share the offsets of each sector, and are added up in a fixed order: no atomics, and the same bits
// on each run.
//
// Launch: (SECTORS * LANES * (R + 1), frames) in groups of (SECTORS * LANES, 1). The offsets of a sector of a ring, by
// their number in a frame's sums, are members[starts[SECTORS * ring + sector]] and following; the sums begin with frame
// `from`. rings[frame][ring]: radius, value, error, weight, count, sums by sector, weights by sector (radial.h).
// Cost: reads each sum twice, and its entries in the tables of autocorr.clh.
// Tunables: NORMALIZATION (0: pearson, 1: energy, 2: lu2009, 3: geo, 4: zero, 5: unbiased, 6: symavg), LANES, REAL_BITS,
// MASKED (1: the tables are those of a mask; those of the second images begin at image second_tables).
#ifndef NORMALIZATION
#define NORMALIZATION 0
#endif
#ifndef LANES
#define LANES 16
#endif
#ifndef MASKED
#define MASKED 0
#endif

#include "autocorr.clh"
#include "../../lib/real.clh"
#include "../../shared/autocorr.h"

#define SECTORS AUTOCORR_SECTORS
#define GROUP (SECTORS * LANES)
#define NUMBERS AUTOCORR_RING_NUMBERS

// Two's complement.
typedef struct {
    ulong low, high;
} wide;

inline wide times(ulong a, ulong b)
{
    wide c = {a * b, mul_hi(a, b)};

    return c;
}

inline wide times_wide(wide a, ulong b)
{
    wide c = {a.low * b, mul_hi(a.low, b) + a.high * b};

    return c;
}

inline wide plus(wide a, wide b)
{
    wide c = {a.low + b.low, a.high + b.high + (a.low + b.low < a.low)};

    return c;
}

inline wide minus(wide a, wide b)
{
    wide c = {a.low - b.low, a.high - b.high - (a.low < b.low)};

    return c;
}

inline real real_of(wide a)
{
    wide zero = {0, 0};
    bool negative = (long)a.high < 0;
    wide size = negative ? minus(zero, a) : a;
    real value = (real)size.high * (real)18446744073709551616.0f + (real)size.low;

    return negative ? -value : value;
}

// a / sqrt(b c), or NaN where b or c is 0.
inline real ratio(wide a, wide b, wide c)
{
    if ((b.low | b.high) == 0 || (c.low | c.high) == 0)
        return (real)NAN;
    return real_of(a) / (sqrt(real_of(b)) * sqrt(real_of(c)));
}

// n times the sum of squares about the mean.
inline wide spread(ulong n, sums w)
{
    return minus(times(n, w.y), times(w.x, w.x));
}

// N^2 sum (I - m)(I' - m') = N^2 C - N T2 S1 - N T1 S2 + n T1 T2.
inline real zero_padded(ulong product, ulong n, sums first, sums second, ulong n_whole, sums first_whole,
                        sums second_whole)
{
    wide sum = times_wide(times(n_whole, product), n_whole);

    sum = minus(sum, times_wide(times(second_whole.x, first.x), n_whole));
    sum = minus(sum, times_wide(times(first_whole.x, second.x), n_whole));
    sum = plus(sum, times_wide(times(first_whole.x, second_whole.x), n));
    return ratio(sum, spread(n_whole, first_whole), spread(n_whole, second_whole)) / (real)n_whole;
}

inline real normalized(ulong product, ulong n, sums first, sums second, ulong n_whole, sums first_whole,
                       sums second_whole)
{
#if NORMALIZATION == 0
    return ratio(minus(times(n, product), times(first.x, second.x)), spread(n, first), spread(n, second));
#elif NORMALIZATION == 1
    return ratio(times(product, 1), times(first_whole.y, 1), times(second_whole.y, 1));
#elif NORMALIZATION == 2
    return ratio(times(product, 1), times(second.y, 1), times(second.y, 1));
#elif NORMALIZATION == 3
    return ratio(times(product, 1), times(first.y, 1), times(second.y, 1));
#elif NORMALIZATION == 4
    return zero_padded(product, n, first, second, n_whole, first_whole, second_whole);
#elif NORMALIZATION == 5
    real value = zero_padded(product, n, first, second, n_whole, first_whole, second_whole);

    return n == 0 ? (real)NAN : value * (real)n_whole / (real)n;
#else
    if (first.x == 0 || second.x == 0)
        return (real)NAN;
    return real_of(times(n, product)) / real_of(times(first.x, second.x));
#endif
}

// What work-items add up: weight times value, weight, weight times squared value, squared weight, weight times distance,
// number of offsets.
typedef struct {
    real value, weight, square, weight_square, distance, count;
} share;

inline share add_shares(share a, share b)
{
    a.value += b.value;
    a.weight += b.weight;
    a.square += b.square;
    a.weight_square += b.weight_square;
    a.distance += b.distance;
    a.count += b.count;
    return a;
}

inline void store_ring(__global real *to, share sum, uint ring)
{
    bool empty = sum.weight == 0;
    real value = sum.value / sum.weight, variance = sum.square / sum.weight - value * value;

    to[0] = empty ? (real)ring : sum.distance / sum.weight;
    to[1] = empty ? (real)NAN : value;
    to[2] = empty ? (real)NAN : sqrt(fmax(variance, (real)0) * sum.weight_square) / sum.weight;
    to[3] = sum.weight;
    to[4] = sum.count;
}

// The number of pairs of an offset, and the sums of its windows.
typedef struct {
    ulong n;
    sums first, second;
} overlap;

// A frame's tables.
typedef struct {
    __global const sums *first, *second;
    __global const ulong *pairs; // with a mask
    uint width, height, reach;
} tables;

inline overlap overlap_of(const tables *t, int x0, uint y0)
{
#if MASKED
    ulong there = masked_place(x0, (int)y0, t->reach), back = masked_place(-x0, -(int)y0, t->reach);
    overlap o = {t->pairs[there], t->first[back], t->second[there]};
#else
    overlap o = {pairs(t->width, t->height, x0, y0), window(t->first, 0, x0, y0, t->reach),
                 window(t->first, 1, x0, y0, t->reach)};
#endif

    return o;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_radial(__global const ulong *products, __global const sums *windows, __global const uint *starts,
                __global const uint *members, __global real *rings, uint width, uint height, uint reach, uint from
#if MASKED
                ,
                __global const ulong *pairs_of_mask, uint second_tables
#endif
)
{
    __local share room[GROUP];
    uint item = (uint)get_local_id(0), sector = item / LANES, ring = (uint)get_group_id(0);
    ulong frame = get_group_id(1);
#if MASKED
    ulong table = (ulong)(2 * reach - 1) * (2 * reach - 1);
    tables t = {windows + frame * table, windows + (second_tables + frame) * table, pairs_of_mask, width, height, reach};
#else
    tables t = {windows + 4 * frame * reach * reach, 0, 0, width, height, reach};
#endif
    __global const ulong *of_frame = products + (from + frame) * reach * (2 * reach - 1);
    __global real *to = rings + (frame * reach + ring) * NUMBERS;
    overlap whole = overlap_of(&t, 0, 0);
    uint i = starts[SECTORS * ring + sector] + item % LANES, last = starts[SECTORS * ring + sector + 1];
    uint next = i < last ? members[i] : 0;
    share sum = {0, 0, 0, 0, 0, 0};

    while (i < last) {
        uint offset = next, y0 = offset / (2 * reach - 1);
        i += LANES;
        if (i < last) // loaded before it is needed
            next = members[i];
        int x0 = (int)(offset % (2 * reach - 1)) - (int)(reach - 1);
        overlap there = overlap_of(&t, x0, y0);
        real value = normalized(of_frame[offset], there.n, there.first, there.second, whole.n, whole.first, whole.second);
        long square = (long)x0 * x0 + (long)y0 * y0;
        real r = sqrt((real)square);
        // r - k, without cancellation.
        real from_ring = ring == 0 ? r : (real)(square - (long)ring * ring) / (r + (real)ring);
        real weight = ((real)1 - fabs(from_ring)) * (y0 == 0 ? 1 : 2);
        share own = {weight * value, weight, weight * value * value, weight * weight, weight * r, 1};

        if (!isnan(value))
            sum = add_shares(sum, own);
    }
    room[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item % LANES == 0) {
        for (uint lane = 1; lane < LANES; lane++)
            sum = add_shares(sum, room[item + lane]);
        room[item] = sum;
        to[5 + sector] = sum.value;
        to[5 + SECTORS + sector] = sum.weight;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        for (uint other = 1; other < SECTORS; other++)
            sum = add_shares(sum, room[other * LANES]);
        store_ring(to, sum, ring);
    }
}
