// SPDX-License-Identifier: Apache-2.0
// Sums of pixels and of their squares over the overlaps of a rectangular image with itself, or with another one, for all
// offsets up to R, exact: the tables of lib/autocorr.clh, and the mean level of each image, rounded down.
//
// autocorr_strips adds up columns in strips of STRIP rows. autocorr_windows takes DROP neighbouring j: a column's sum
// without j rows is that of whole strips and of a few rows; the sums along the columns give both tables' rows.
//
// Launch: autocorr_strips: (columns, rounded up to whole groups of GROUP; strips; images), autocorr_windows:
// (GROUP * ceil((R + 1) / DROP), 2 sides, frames) in groups of (GROUP, 1, 1).
// The images are those from number `from` on, the strips of the second ones begin at number second_strips.
// Cost: reads every pixel once; then, for each DROP rows of the tables, height / STRIP sums and up to STRIP + DROP
// pixels a column; writes 64 (R + 1)^2 bytes a frame.
// Tunables: PIXEL_BITS, GROUP (a power of two), STRIP, DROP (16 GROUP DROP bytes of local memory).
#ifndef GROUP
#define GROUP 128
#endif
#ifndef STRIP
#define STRIP 32
#endif
#ifndef DROP
#define DROP 4
#endif

#include "lib/autocorr.clh"

inline sums square_of(pixel p)
{
    return (sums)((ulong)p, (ulong)((uint)p * p));
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_strips(__global const pixel *pixels, __global sums *strips, uint width, uint height, uint from,
                uint to)
{
    uint x = (uint)get_global_id(0), first = (uint)get_group_id(1) * STRIP;
    uint last = min(first + STRIP, height);
    __global const pixel *image = pixels + (from + get_global_id(2)) * width * height;
    sums sum = (sums)(0, 0);

    if (x >= width)
        return;
    for (uint y = first; y < last; y++)
        sum += square_of(image[(ulong)y * width + x]);
    strips[((to + get_global_id(2)) * get_num_groups(1) + get_group_id(1)) * width + x] = sum;
}

// Of a column's rows from `first` to before `last`, whole strips together.
inline sums sum_rows(__global const pixel *column, __global const sums *strips, uint width, uint first, uint last)
{
    sums sum = (sums)(0, 0);
    uint y = first;

    for (; y < last && y % STRIP != 0; y++)
        sum += square_of(column[(ulong)y * width]);
    for (; y + STRIP <= last; y += STRIP)
        sum += strips[(ulong)(y / STRIP) * width];
    for (; y < last; y++)
        sum += square_of(column[(ulong)y * width]);
    return sum;
}

// Of a column, without j0 to j0 + DROP - 1 rows.
inline void sum_column(__global const pixel *column, __global const sums *strips, uint width, uint height, uint side,
                       uint j0, sums *sum)
{
    uint most = min(j0 + DROP - 1, height), last = height - most;

    sum[DROP - 1] = side == 0 ? sum_rows(column, strips, width, 0, last) : sum_rows(column, strips, width, most, height);
    for (uint d = DROP - 1; d-- > 0;) {
        uint j = j0 + d;

        sum[d] = sum[d + 1];
        if (j < height)
            sum[d] += square_of(column[(ulong)(side == 0 ? height - 1 - j : j) * width]);
    }
}

// In place, the sums up to and with each work-item's, of all DROP rows.
inline void scan(__local sums *room, sums *sum)
{
    uint item = (uint)get_local_id(0);

    for (uint d = 0; d < DROP; d++)
        room[d * GROUP + item] = sum[d];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < GROUP; step *= 2) {
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
autocorr_windows(__global const pixel *first, __global const pixel *second, __global const sums *strips,
                 __global sums *windows, __global uint *levels, uint width, uint height, uint reach, uint from, uint second_strips)
{
    __local sums room[DROP * GROUP];
    uint item = (uint)get_local_id(0), side = (uint)get_group_id(1), j0 = (uint)get_group_id(0) * DROP;
    ulong frame = get_group_id(2), table = (ulong)reach * reach, strip_count = (height + STRIP - 1) / STRIP;
    __global const pixel *image = (side ? second : first) + (from + frame) * width * height;
    __global const sums *below = strips + ((side ? second_strips : 0) + frame) * strip_count * width;
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
            sum_column(image + x, below + x, width, height, side, j0, own);
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
