// SPDX-License-Identifier: Apache-2.0
// Number-theoretic spectra of the rows of images, or of their squares (`power` 2), modulo one prime. Beyond the image are
// zeros, which are not read.
//
// Launch: (ceil(height / LINES) * LINES * ITEMS, frames) in groups of (LINES * ITEMS, 1); LINES * PITCH * 4 bytes of local
// memory. The images begin with number `from`; spectra[frame][row][k], rows POINTS apart.
// Cost: reads every pixel and writes every number once.
// Tunables: PIXEL_BITS, PRIME, and those of lib/fft_line.clh; BUFFERS is 1.
#define ROWS_OUT 1

#include "autocorr.clh"
#include "ntt.clh"

#include "../../lib/fft_line.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_ntt_rows(__global const pixel *images, __global uint *spectra, uint width, uint height, uint from,
                  uint power, __global const uint *roots, uint at, __local uint *exchange)
{
    ulong frame = get_group_id(1);
    uint y = (uint)get_group_id(0) * LINES + LINE(1), item = ITEM(1);
    __global const pixel *row = images + ((from + frame) * height + y) * width;
    uint x[HOLDS_MOST];

#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_0); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_0; r++) {
            uint position = item + round * ITEMS + r * (POINTS / RADIX_0);
            bool is_there = IS_INSIDE(item + round * ITEMS, RADIX_0) && position < width && y < height;

            uint value = is_there ? row[position] : 0;

            x[round * RADIX_0 + r] = power == 2 ? value * value % MODULUS : value;
        }
    TRANSFORM_LINE(x)

    __global uint *spectrum = spectra + (frame * height + y) * POINTS;

#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_LAST); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_LAST; r++) {
            uint j = item + round * ITEMS;

            if (IS_INSIDE(j, RADIX_LAST) && y < height)
                spectrum[j + r * (POINTS / RADIX_LAST)] = x[round * RADIX_LAST + r];
        }
}
