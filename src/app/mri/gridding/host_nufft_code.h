// SPDX-License-Identifier: Apache-2.0
// The inner loops of the host's NUFFT (host_nufft.h): the samples of a tile, spread into its cells or read
// from them, in double precision or in single.
#ifndef KN_APP_MRI_GRIDDING_HOST_NUFFT_CODE_H
#define KN_APP_MRI_GRIDDING_HOST_NUFFT_CODE_H

#include <complex.h>
#include <stddef.h>
#include <stdint.h>

#include "host/simd/levels.h"

enum {
    NUFFT_WIDTH = 16,                // of a window at most
    NUFFT_NUMBERS = 2 * NUFFT_WIDTH, // of a row of its cells
    NUFFT_LANES = 16                 // of the widest vector
};

// A window along an axis: for each of its cells a polynomial in the sample's offset.
struct nufft_window {
    unsigned span, terms; // cells; coefficients
    // [terms][NUFFT_NUMBERS], of rising powers: along x each cell's twice, as real and imaginary parts take
    // it; beyond the last cell 0.
    const void *powers;
};

// Numbers are floats or doubles, but for the caller's.
struct nufft_tile {
    const struct nufft_window *windows; // along x, y and z
    size_t count;                       // samples
    const uint32_t *samples, *places;   // in the caller's arrays; of the window's first number in `cells`
    const void *offsets[3];             // from -1 to 1
    void *cells;                        // pairs; a row has NUFFT_LANES numbers more than the tile's
    size_t row, plane;                  // numbers from a row or plane to the next
    // Of the adjoint, any of them NULL for 1; and what the forward sum gives.
    const double complex *data, *basis;
    const double *weights;
    double complex *values;
};

struct nufft_code {
    void (*spread)(const struct nufft_tile *tile); // adds to the cells
    void (*read)(const struct nufft_tile *tile);
};

HOST_DECLARE_LEVELS(const struct nufft_code, nufft_code);

#endif
