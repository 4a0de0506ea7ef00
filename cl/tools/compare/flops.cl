// SPDX-License-Identifier: Apache-2.0
// How fast the device multiplies and adds: eight chains of fma a work-item, none of which waits for another.
//
// Chain c of element e (e = WIDTH * item + lane) begins at ((e mod 16) + c) / 32 and takes TRIPS steps x = a * x + b;
// out[e] is the sum of its chains, ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)).
// Launch: a work-item for every WIDTH elements.
// Cost: 8 * TRIPS fma an element; writes one number each.
// Tunables: TRIPS, WIDTH (1, or 4 to 16 for devices that want explicit vectors), REAL_BITS.
#ifndef TRIPS
#define TRIPS 1024
#endif
#ifndef WIDTH
#define WIDTH 1
#endif

#include "../../lib/real.clh"

#if WIDTH == 16
typedef real16 reals;
#define LANES ((reals)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#elif WIDTH == 4
typedef real4 reals;
#define LANES ((reals)(0, 1, 2, 3))
#else
typedef real reals;
#define LANES ((reals)0)
#endif

__kernel void fma_chains(real a, real b, __global reals *out)
{
    size_t item = get_global_id(0);
    reals factor = (reals)(a);
    reals term = (reals)(b);
    reals start = LANES + (reals)((real)(item * WIDTH % 16));
    reals unit = (reals)(0.03125f);
    reals x0 = start * unit;
    reals x1 = (start + (reals)1) * unit;
    reals x2 = (start + (reals)2) * unit;
    reals x3 = (start + (reals)3) * unit;
    reals x4 = (start + (reals)4) * unit;
    reals x5 = (start + (reals)5) * unit;
    reals x6 = (start + (reals)6) * unit;
    reals x7 = (start + (reals)7) * unit;

#pragma unroll 8
    for (uint trip = 0; trip < TRIPS; trip++) {
        x0 = fma(factor, x0, term);
        x1 = fma(factor, x1, term);
        x2 = fma(factor, x2, term);
        x3 = fma(factor, x3, term);
        x4 = fma(factor, x4, term);
        x5 = fma(factor, x5, term);
        x6 = fma(factor, x6, term);
        x7 = fma(factor, x7, term);
    }
    out[item] = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));
}
