// SPDX-License-Identifier: Apache-2.0
// From the spectra of images' rows to those of their correlation's rows, one column at a time, all in local memory: the
// columns' spectra F and G, the product conj(F) G (F itself for G without CROSS), and back; only the wanted rows of the
// result are written. The rows below the images are zeros, which are not read.
//
// Launch: (ceil(columns / LINES) * LINES * ITEMS, frames) in groups of (LINES * ITEMS, 1); LINES * PITCH * sizeof(real2)
// bytes of local memory. first, second: [frame][row][column] of `height` rows; out: the same of `wanted` rows; rows are
// `pitch` numbers apart.
// Cost: reads every number of the images' spectra once, and writes the wanted rows.
// Tunables: CROSS (0: an image with itself), and those of lib/fft_line.clh; BUFFERS is 1.
#define ROWS_OUT 0

#include "../../lib/fft_line.clh"

#ifndef CROSS
#define CROSS 0
#endif

// Loads a column's numbers, RADIX_0 apart.
inline void load_column(__global const real2 *column, uint height, uint pitch, uint item, real2 *x)
{
#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_0); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_0; r++) {
            uint y = item + round * ITEMS + r * (POINTS / RADIX_0);

            x[round * RADIX_0 + r] = IS_INSIDE(item + round * ITEMS, RADIX_0) && y < height
                                         ? column[(ulong)y * pitch]
                                         : (real2)(0, 0);
        }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_fft_columns(__global const real2 *first, __global const real2 *second, __global real2 *out, uint columns,
                     uint height, uint wanted, uint pitch, __global const real2 *roots, uint at,
                     __local real2 *exchange)
{
    ulong frame = get_group_id(1);
    uint column = (uint)get_group_id(0) * LINES + LINE(0), item = ITEM(0);
    uint rows = column < columns ? height : 0;
    ulong start = frame * height * pitch + column;
    real2 x[HOLDS_MOST];

    load_column(first + start, rows, pitch, item, x);
    TRANSFORM_LINE(x)
    barrier(CLK_LOCAL_MEM_FENCE);
#if CROSS
    real2 f[HOLDS(RADIX_LAST)];

#pragma unroll
    for (uint i = 0; i < HOLDS(RADIX_LAST); i++)
        f[i] = x[i];
    load_column(second + start, rows, pitch, item, x);
    TRANSFORM_LINE(x)
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    // The inverse transform is the conjugate of the forward transform of the conjugate.
#pragma unroll
    for (uint i = 0; i < HOLDS(RADIX_LAST); i++) {
#if CROSS
        x[i] = multiply(f[i], (real2)(x[i].x, -x[i].y));
#else
        x[i] = (real2)(x[i].x * x[i].x + x[i].y * x[i].y, 0);
#endif
    }
#if STAGES > 1
    put(exchange + LINE(0) * PITCH, x, item, RADIX_LAST, POINTS / RADIX_LAST);
    barrier(CLK_LOCAL_MEM_FENCE);
    take(exchange + LINE(0) * PITCH, x, item, RADIX_0);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    TRANSFORM_LINE(x)

    __global real2 *to = out + frame * wanted * pitch + column;

#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_LAST); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_LAST; r++) {
            uint j = item + round * ITEMS, y = j + r * (POINTS / RADIX_LAST);
            real2 value = x[round * RADIX_LAST + r];

            if (IS_INSIDE(j, RADIX_LAST) && y < wanted && column < columns)
                to[(ulong)y * pitch] = (real2)(value.x, -value.y);
        }
}
