// SPDX-License-Identifier: Apache-2.0
// From the number-theoretic spectra of a correlation's rows to its sums. Modulo the first prime, the remainder of each sum
// is stored; modulo the second one, both remainders are combined (Chinese remainder theorem) to the sum, which is below the
// primes' product, 2^61.8.
//
// Launch: (ceil(wanted / LINES) * LINES * ITEMS, frames) in groups of (LINES * ITEMS, 1); LINES * PITCH * 4 bytes of local
// memory. A frame has `rows` rows of 2 R + 1 offsets in `products`, and an offset has `step` numbers, of which the sum is
// number `part`. Frames from `to` on are written, from row `above` on; offsets of `across` columns or more, which have no
// overlap, are left alone. `scale` undoes the factors of the transforms and of the product.
// Cost: reads every number once; writes (2 R + 1) wanted sums a frame, and with the second prime reads them first.
// Tunables: PRIME, and those of lib/fft_line.clh; BUFFERS is 1.
#define ROWS_OUT 1

#include "ntt.clh"

#include "../../lib/fft_line.clh"

#define FIRST_INVERSE 1409286102u // modulo the second prime, in Montgomery form

inline ulong put_together(ulong rest, uint value)
{
#if PRIME == 0
    return value;
#else
    return rest + (ulong)NTT_PRIME_0 * multiply(subtract(value, (uint)rest), FIRST_INVERSE);
#endif
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
autocorr_ntt_back(__global const uint *spectra, __global ulong *products, uint reach, uint across, uint wanted, uint to,
                  uint rows, uint above, uint step, uint part, uint scale, __global const uint *roots, uint at,
                  __local uint *exchange)
{
    ulong frame = get_group_id(1);
    uint y = (uint)get_group_id(0) * LINES + LINE(1), item = ITEM(1);
    __global const uint *row = spectra + (frame * wanted + y) * POINTS;
    uint x[HOLDS_MOST];

#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_0); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_0; r++) {
            uint j = item + round * ITEMS;

            x[round * RADIX_0 + r] = IS_INSIDE(j, RADIX_0) && y < wanted ? row[j + r * (POINTS / RADIX_0)] : 0;
        }
    TRANSFORM_LINE(x)

    ulong middle = ((to + frame) * rows + above + y) * (2 * reach - 1) + reach - 1;
    __global ulong *sums_of_row = products + middle * step + part;

#pragma unroll
    for (uint round = 0; round < ROUNDS(RADIX_LAST); round++)
#pragma unroll
        for (uint r = 0; r < RADIX_LAST; r++) {
            // The number at -x0, because the inverse transform is the forward transform read backwards.
            uint j = item + round * ITEMS, position = j + r * (POINTS / RADIX_LAST);
            int x0 = position < across ? -(int)position : POINTS - (int)position;
            long place = (long)x0 * (long)step;

            if (IS_INSIDE(j, RADIX_LAST) && (uint)abs(x0) < across && y < wanted)
                sums_of_row[place] = put_together(sums_of_row[place], multiply(x[round * RADIX_LAST + r], scale));
        }
}
