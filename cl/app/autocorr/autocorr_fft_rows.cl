// SPDX-License-Identifier: Apache-2.0
// Spectra of the rows of images: pixels less the image's mean level, two rows in a complex transform (one is the real part,
// the other the imaginary part), separated by the symmetry of both: k = 0 to POINTS / 2 of each row. Beyond the image are
// zeros, which are not read.
//
// Launch: (ceil(height / (2 * LINES)) * LINES * ITEMS, frames) in groups of (LINES * ITEMS, 1); LINES * PITCH *
// sizeof(real2) bytes of local memory. The images begin with number `from`; spectra[frame][row][k], rows `pitch` apart.
// `level` is 0 for a frame's first image, 1 for its second one.
// Cost: reads every pixel and writes every number once.
// Tunables: PIXEL_BITS, and those of lib/fft_line.clh; BUFFERS is 1.
#define ROWS_OUT 1

#include "autocorr.clh"
#include "../../lib/fft_line.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_fft_rows(__global const pixel *images, __global const uint *levels, __global real2 *spectra, uint width,
                  uint height, uint pitch, uint from, uint level, __global const real2 *roots, uint at,
                  __local real2 *exchange)
{
    ulong frame = get_group_id(1);
    uint first = 2 * ((uint)get_group_id(0) * LINES + LINE(1)), item = ITEM(1);
    int mean = (int)levels[2 * frame + level];
    __global const pixel *row = images + ((from + frame) * height + first) * width;
    real2 x[HOLDS_MOST];

#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_0); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_0; r++) {
            uint position = item + round * ITEMS + r * (POINTS / RADIX_0);
            real2 value = (real2)(0, 0);

            if (IS_INSIDE(item + round * ITEMS, RADIX_0) && position < width) {
                if (first < height)
                    value.x = (real)((int)row[position] - mean);
                if (first + 1 < height)
                    value.y = (real)((int)row[position + width] - mean);
            }
            x[round * RADIX_0 + r] = value;
        }
    TRANSFORM_LINE(x)
    // In order, because both k and POINTS - k are needed.
    barrier(CLK_LOCAL_MEM_FENCE);
    put(exchange + LINE(1) * PITCH, x, item, RADIX_LAST, POINTS / RADIX_LAST);
    barrier(CLK_LOCAL_MEM_FENCE);

    __local const real2 *line = exchange + LINE(1) * PITCH;
    __global real2 *spectrum = spectra + (frame * height + first) * pitch;

    for (uint k = item; k <= POINTS / 2; k += ITEMS) {
        uint mirror = k == 0 ? 0 : POINTS - k;
        real2 a = line[SLOT(k)], b = line[SLOT(mirror)];

        if (first < height)
            spectrum[k] = (real2)(a.x + b.x, a.y - b.y) * (real)0.5f;
        if (first + 1 < height)
            spectrum[k + pitch] = (real2)(a.y + b.y, b.x - a.x) * (real)0.5f;
    }
}
