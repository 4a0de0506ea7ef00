// SPDX-License-Identifier: Apache-2.0
// From the spectra of a correlation's rows (autocorr_fft_columns.cl) to its sums as integers. A complex transform holds two
// rows. With D = sum (I - m)(I' - m'), rounded, and the exact sums over the overlap,
//     sum I I' = D + m' S1 + m S2 - n m m',
// which is not negative; a negative result of single precision is replaced by 0.
//
// Launch: (ceil(wanted / (2 * LINES)) * LINES * ITEMS, frames) in groups of (LINES * ITEMS, 1); LINES * PITCH *
// sizeof(real2) bytes of local memory. `sums` is written from frame `to` on; offsets of `across` columns or more, which
// have no overlap, are left alone, and so are rows from `wanted` on.
// Cost: reads every number twice (the second time from a cache), writes (2 R + 1) wanted sums a frame.
// Tunables: those of lib/fft_line.clh; BUFFERS is 1.
#define ROWS_OUT 1

#include "autocorr.clh"
#include "../../lib/fft_line.clh"

inline ulong put_back(real d, __global const sums *tables, ulong m1, ulong m2, uint width, uint height, int x0, uint y0,
                      uint reach)
{
    ulong s1 = window(tables, 0, x0, y0, reach).x, s2 = window(tables, 1, x0, y0, reach).x;

    ulong sum = (ulong)convert_long_rte(d) + m2 * s1 + m1 * s2 - pairs(width, height, x0, y0) * m1 * m2;

    return (long)sum < 0 ? 0 : sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_fft_back(__global const real2 *spectra, __global const sums *windows, __global const uint *levels,
                  __global ulong *products, uint width, uint height, uint reach, uint across, uint wanted, uint pitch,
                  uint to, real scale, __global const real2 *roots, uint at, __local real2 *exchange)
{
    ulong frame = get_group_id(1);
    uint y = 2 * ((uint)get_group_id(0) * LINES + LINE(1)), item = ITEM(1);
    __global const real2 *row = spectra + (frame * wanted + y) * pitch;
    real2 x[HOLDS_MOST];

#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_0); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_0; r++) {
            uint k = item + round * ITEMS + r * (POINTS / RADIX_0), position = k > POINTS / 2 ? POINTS - k : k;
            bool is_inside = IS_INSIDE(item + round * ITEMS, RADIX_0);
            real2 a = is_inside && y < wanted ? row[position] : (real2)(0, 0);
            real2 b = is_inside && y + 1 < wanted ? row[position + pitch] : (real2)(0, 0);
            real sign = k > POINTS / 2 ? -1 : 1;

            // a + i b, or that of their conjugates; real and imaginary parts are swapped for the way back.
            x[round * RADIX_0 + r] = (real2)(sign * a.y + b.x, a.x - sign * b.y);
        }
    TRANSFORM_LINE(x)

    __global const sums *tables = windows + 4 * frame * reach * reach;
    __global ulong *sums_of_row = products + ((to + frame) * reach + y) * (2 * reach - 1) + reach - 1;
    ulong m1 = levels[2 * frame], m2 = levels[2 * frame + 1];

#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_LAST); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_LAST; r++) {
            uint j = item + round * ITEMS, position = j + r * (POINTS / RADIX_LAST);
            int x0 = position < across ? (int)position : (int)position - POINTS;
            real2 value = x[round * RADIX_LAST + r] * scale;

            if (!IS_INSIDE(j, RADIX_LAST) || (uint)abs(x0) >= across)
                continue;
            if (y < wanted)
                sums_of_row[x0] = put_back(value.y, tables, m1, m2, width, height, x0, y, reach);
            if (y + 1 < wanted)
                sums_of_row[x0 + (int)(2 * reach - 1)] =
                    put_back(value.x, tables, m1, m2, width, height, x0, y + 1, reach);
        }
}
