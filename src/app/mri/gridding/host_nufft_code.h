// SPDX-License-Identifier: Apache-2.0
// The inner loops of the host's NUFFT (host_nufft.h): spread the samples of a tile into its cells or read
// them from these, in double or single precision.
#ifndef KN_APP_MRI_GRIDDING_HOST_NUFFT_CODE_H
#define KN_APP_MRI_GRIDDING_HOST_NUFFT_CODE_H

#include <complex.h>
#include <stddef.h>
#include <stdint.h>

#include "host/simd/levels.h"

enum {
    NUFFT_WIDTH = 16,                // the widest window
    NUFFT_NUMBERS = 2 * NUFFT_WIDTH, // numbers in a row of its cells
    NUFFT_LANES = 16                 // lanes of the widest vector
};

// A window along an axis: for each of its cells a polynomial in the sample's offset.
struct nufft_window {
    unsigned span, terms; // cells; coefficients
    // [terms][NUFFT_NUMBERS], by rising powers. Along x, each cell's number is stored twice, for the real and
    // the imaginary part; 0 beyond the last cell.
    const void *powers;
};

// All numbers are floats or doubles, except the caller's.
struct nufft_tile {
    const struct nufft_window *windows; // along x, y and z
    size_t count;                       // number of samples
    const uint32_t *samples, *places;   // indices in the caller's arrays; of the first number in `cells`
    const void *offsets[3];             // from -1 to 1
    void *cells;                        // pairs; a row has NUFFT_LANES numbers more than the tile's
    size_t row, plane;                  // distance between rows and between planes, in numbers
    // Input of the adjoint, each may be NULL for 1; and output of the forward sum.
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
