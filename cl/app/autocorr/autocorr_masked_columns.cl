// SPDX-License-Identifier: Apache-2.0
// From the number-theoretic spectra of images' rows to those of the rows of their sums over a mask's overlaps: one column
// at a time, all in local memory. With the mask's spectrum M and an image's, I, both modulo a prime,
//     sum over (x, y) in the mask of I(x + X0, y + Y0)
// has the spectrum M(-k) I(k). autocorr_masked_spectrum computes M(-k) once, and autocorr_masked_columns multiplies by it;
// the inverse transform is the forward transform read backwards. The rows below the images are zeros, which are not read.
//
// Launch: (ceil(columns / LINES) * LINES * ITEMS, images) in groups of (LINES * ITEMS, 1), with one image for the mask;
// LINES * PITCH * 4 bytes of local memory. images, rows: [image][row][column] of `height` rows; out: the same of 2 wanted -
// 1 rows, from Y0 = 1 - wanted on; spectrum[column][k].
// Cost: reads every number of the images' rows once, and the mask's spectrum; writes the wanted rows.
// Tunables: PRIME, and those of lib/fft_line.clh; BUFFERS is 1.
#include "ntt_column.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_masked_spectrum(__global const uint *rows, __global uint *spectrum, uint columns, uint height,
                         __global const uint *roots, uint at, __local uint *exchange)
{
    uint column = (uint)get_group_id(0) * LINES + LINE(0), item = ITEM(0), mirror = column == 0 ? 0 : columns - column;
    uint x[HOLDS_MOST];

    load_column(rows + column, column < columns ? height : 0, columns, item, x);
    TRANSFORM_LINE(x)

#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_LAST); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_LAST; r++) {
            uint j = item + round * ITEMS, k = j + r * (POINTS / RADIX_LAST);

            if (IS_INSIDE(j, RADIX_LAST) && column < columns)
                spectrum[(ulong)mirror * POINTS + (k == 0 ? 0 : POINTS - k)] = x[round * RADIX_LAST + r];
        }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_masked_columns(__global const uint *images, __global const uint *spectrum, __global uint *out, uint columns,
                        uint height, uint wanted, __global const uint *roots, uint at, __local uint *exchange)
{
    ulong image = get_group_id(1);
    uint column = (uint)get_group_id(0) * LINES + LINE(0), item = ITEM(0);
    __global const uint *mask = spectrum + (ulong)column * POINTS;
    __local uint *line = exchange + LINE(0) * PITCH;
    uint x[HOLDS_MOST];

    load_column(images + image * height * columns + column, column < columns ? height : 0, columns, item, x);
    TRANSFORM_LINE(x)
#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_LAST); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_LAST; r++) {
            uint j = item + round * ITEMS;

            if (IS_INSIDE(j, RADIX_LAST) && column < columns)
                x[round * RADIX_LAST + r] = multiply(x[round * RADIX_LAST + r], mask[j + r * (POINTS / RADIX_LAST)]);
        }
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
            // The result for Y0 is at -Y0.
            uint j = item + round * ITEMS, k = j + r * (POINTS / RADIX_LAST);
            int y0 = k < wanted ? -(int)k : POINTS - (int)k;

            if (IS_INSIDE(j, RADIX_LAST) && (uint)abs(y0) < wanted && column < columns)
                out[(image * (2 * wanted - 1) + (uint)(y0 + (int)wanted - 1)) * columns + column] = x[round * RADIX_LAST + r];
        }
}
