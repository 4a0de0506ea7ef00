// SPDX-License-Identifier: Apache-2.0
// From the number-theoretic spectra of images' rows to those of their correlation's rows, one column at a time, all in
// local memory: F(-k) G(k), where G is the second image's spectrum and -k is reversed in both directions, and back. The
// inverse transform is the forward transform read backwards; only the wanted rows are written. The rows below the images
// are zeros, which are not read.
//
// Launch: (ceil(columns / LINES) * LINES * ITEMS, frames) in groups of (LINES * ITEMS, 1); LINES * PITCH * 4 bytes of local
// memory. first, second: [frame][row][column] of `height` rows; out: the same of `wanted` rows.
// Cost: reads every number of the images' spectra once (of one image's, twice), and writes the wanted rows.
// Tunables: PRIME, and those of lib/fft_line.clh; BUFFERS is 1.
#include "ntt_column.clh"

// Multiplies by number -k of the line, for k RADIX_LAST apart.
inline void multiply_mirrored(__local const uint *line, uint item, uint *x)
{
#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_LAST); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_LAST; r++) {
            uint j = item + round * ITEMS, k = j + r * (POINTS / RADIX_LAST), mirror = k == 0 ? 0 : POINTS - k;

            if (IS_INSIDE(j, RADIX_LAST))
                x[round * RADIX_LAST + r] = multiply(x[round * RADIX_LAST + r], line[SLOT(mirror)]);
        }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_ntt_columns(__global const uint *first, __global const uint *second, __global uint *out, uint columns,
                     uint height, uint wanted, __global const uint *roots, uint at, __local uint *exchange)
{
    ulong frame = get_group_id(1);
    uint column = (uint)get_group_id(0) * LINES + LINE(0), item = ITEM(0);
    uint rows = column < columns ? height : 0, mirror = column == 0 ? 0 : columns - column;
    __local uint *line = exchange + LINE(0) * PITCH;
    uint x[HOLDS_MOST], f[HOLDS(RADIX_LAST)];

    load_column(first + frame * height * columns + mirror, rows, columns, item, x);
    TRANSFORM_LINE(x)
#pragma unroll
    for (uint i = 0; i < HOLDS(RADIX_LAST); i++)
        f[i] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    load_column(second + frame * height * columns + column, rows, columns, item, x);
    TRANSFORM_LINE(x)
    barrier(CLK_LOCAL_MEM_FENCE);
    put(line, f, item, RADIX_LAST, POINTS / RADIX_LAST);
    barrier(CLK_LOCAL_MEM_FENCE);
    multiply_mirrored(line, item, x);
    barrier(CLK_LOCAL_MEM_FENCE);
    put(line, x, item, RADIX_LAST, POINTS / RADIX_LAST);
    barrier(CLK_LOCAL_MEM_FENCE);
    take(line, x, item, RADIX_0);
    barrier(CLK_LOCAL_MEM_FENCE);
    TRANSFORM_LINE(x)

#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_LAST); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_LAST; r++) {
            uint j = item + round * ITEMS, k = j + r * (POINTS / RADIX_LAST), y = k == 0 ? 0 : POINTS - k;

            if (IS_INSIDE(j, RADIX_LAST) && y < wanted && column < columns)
                out[(frame * wanted + y) * columns + column] = x[round * RADIX_LAST + r];
        }
}
