// SPDX-License-Identifier: Apache-2.0
// Exact sums of pixels and of their squares over the overlaps of a rectangular image with itself, or with another one, for
// all offsets up to R: the tables of autocorr.clh, and the mean level of each image, rounded down.
//
// autocorr_prefixes adds up columns, strip by strip of STRIP rows: prefix s covers the rows above s * STRIP, the last
// prefix all of them. autocorr_windows handles DROP neighbouring j: the sum of a column without j rows is a prefix and a
// few rows; the sums along the columns give the rows of both tables.
//
// Launch, in groups of GROUP along the first dimension: autocorr_prefixes: (GROUP * ceil(columns / ACROSS), images);
// autocorr_windows: (GROUP * ceil((R + 1) / DROP), 2 sides, frames). The images begin with number `from`, the prefixes of
// the second ones at image second_prefixes. prefixes[image][s][x], with one s more than there are strips.
// Cost: reads every pixel once, and writes prefixes twice; then, for each DROP rows of the tables, a prefix and STRIP / 2 +
// DROP pixels a column; writes 64 (R + 1)^2 bytes a frame.
// Tunables: PIXEL_BITS, GROUP (a power of two, 16 or more), STRIP, DROP (16 GROUP DROP bytes of local memory).
#ifndef GROUP
#define GROUP 256
#endif
#ifndef STRIP
#define STRIP 32
#endif
#ifndef DROP
#define DROP 4
#endif

#include "autocorr.clh"
#include "../../shared/autocorr.h"

inline sums square_of(pixel p)
{
    return (sums)((ulong)p, (ulong)((uint)p * p));
}

// Rows that are loaded together.
#define AT_ONCE 16

inline sums sum_rows(__global const pixel *column, uint width, uint first, uint last)
{
    sums sum = (sums)(0, 0);

    for (; first < last; first += AT_ONCE) {
        pixel row[AT_ONCE];

#pragma unroll
        for (uint i = 0; i < AT_ONCE; i++)
            row[i] = first + i < last ? column[(ulong)(first + i) * width] : 0;
#pragma unroll
        for (uint i = 0; i < AT_ONCE; i++)
            sum += square_of(row[i]);
    }
    return sum;
}

// A work-item handles some strips of a column, one below the other; DOWN of them share the column.
#define ACROSS AUTOCORR_PREFIX_COLUMNS
#define DOWN (GROUP / ACROSS)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_prefixes(__global const pixel *pixels, __global sums *prefixes, uint width, uint height, uint from, uint to)
{
    __local sums total[GROUP];
    uint item = (uint)get_local_id(0), x = (uint)get_group_id(0) * ACROSS + item % ACROSS, part = item / ACROSS;
    uint strips = (height + STRIP - 1) / STRIP, each = (strips + DOWN - 1) / DOWN, first = part * each;
    uint last = min(first + each, strips);
    ulong image = get_group_id(1);
    __global const pixel *column = pixels + (from + image) * width * height + x;
    __global sums *to_column = prefixes + (to + image) * (strips + 1) * width + x;
    sums own = (sums)(0, 0), above = (sums)(0, 0);

    for (uint strip = first; strip < last && x < width; strip++) {
        own += sum_rows(column, width, strip * STRIP, min(strip * STRIP + STRIP, height));
        to_column[(ulong)(strip + 1) * width] = own;
    }
    total[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint other = item % ACROSS; other < part * ACROSS; other += ACROSS)
        above += total[other];
    if (part == 0 && x < width)
        to_column[0] = (sums)(0, 0);
    for (uint strip = first; strip < last && x < width && part > 0; strip++)
        to_column[(ulong)(strip + 1) * width] += above;
}

// The sum of a column's rows above y.
inline sums sum_above(__global const pixel *column, __global const sums *prefixes, uint width, uint y)
{
    return prefixes[(ulong)(y / STRIP) * width] + sum_rows(column, width, y / STRIP * STRIP, y);
}

// The sums of a column without j0 to j0 + DROP - 1 rows.
inline void sum_column(__global const pixel *column, __global const sums *prefixes, uint width, uint height, uint side,
                       uint j0, sums *sum)
{
    uint most = min(j0 + DROP - 1, height), strips = (height + STRIP - 1) / STRIP;

    sum[DROP - 1] = side == 0 ? sum_above(column, prefixes, width, height - most)
                              : prefixes[(ulong)strips * width] - sum_above(column, prefixes, width, most);
    for (uint d = DROP - 1; d-- > 0;) {
        uint j = j0 + d;

        sum[d] = sum[d + 1];
        if (j < height)
            sum[d] += square_of(column[(ulong)(side == 0 ? height - 1 - j : j) * width]);
    }
}

// In place, the sums up to and including each work-item's, for all DROP rows.
inline void scan(__local sums *room, sums *sum)
{
    uint item = (uint)get_local_id(0);

    for (uint d = 0; d < DROP; d++)
        room[d * GROUP + item] = sum[d];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < GROUP; step *= 2) {
#pragma unroll
        for (uint d = 0; d < DROP; d++)
            if (item >= step)
                sum[d] += room[d * GROUP + item - step];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint d = 0; d < DROP; d++)
            room[d * GROUP + item] = sum[d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_windows(__global const pixel *first, __global const pixel *second, __global const sums *prefixes,
                 __global sums *windows, __global uint *levels, uint width, uint height, uint reach, uint from, uint second_prefixes)
{
    __local sums room[DROP * GROUP];
    uint item = (uint)get_local_id(0), side = (uint)get_group_id(1), j0 = (uint)get_group_id(0) * DROP;
    ulong frame = get_group_id(2), table = (ulong)reach * reach, strips = (height + STRIP - 1) / STRIP;
    __global const pixel *image = (side ? second : first) + (from + frame) * width * height;
    __global const sums *above = prefixes + ((side ? second_prefixes : 0) + frame) * (strips + 1) * width;
    __global sums *last_dropped = windows + (4 * frame + 2 * side) * table, *first_alone = last_dropped + table;
    sums before[DROP];

    for (uint d = 0; d < DROP; d++)
        before[d] = (sums)(0, 0);
    for (uint tile = 0; tile < width; tile += GROUP) {
        uint x = tile + item;
        sums own[DROP], sum[DROP];

        for (uint d = 0; d < DROP; d++)
            own[d] = (sums)(0, 0);
        if (x < width)
            sum_column(image + x, above + x, width, height, side, j0, own);
        for (uint d = 0; d < DROP; d++)
            sum[d] = own[d];
        scan(room, sum);
        for (uint d = 0; d < DROP; d++) {
            sums until = before[d] + sum[d] - own[d];
            ulong row = (ulong)(j0 + d) * reach;

            before[d] += room[d * GROUP + GROUP - 1];
            if (j0 + d < reach && x < width) {
                if (x < reach)
                    first_alone[row + x] = until;
                if (width - x < reach)
                    last_dropped[row + width - x] = until;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint d = 0; d < DROP && j0 + d < reach; d++) {
        ulong row = (ulong)(j0 + d) * reach;

        if (item == 0)
            last_dropped[row] = before[d];
        for (uint k = width + item; k < reach; k += GROUP) {
            first_alone[row + k] = before[d];
            if (k > width)
                last_dropped[row + k] = (sums)(0, 0);
        }
    }
    if (j0 == 0 && item == 0)
        levels[2 * frame + side] = (uint)(before[0].x / ((ulong)width * height));
}
