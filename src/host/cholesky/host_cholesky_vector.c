// SPDX-License-Identifier: Apache-2.0
// The loop of host_cholesky_internal.h with vectors. Compiled for every instruction set with vectors
// (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "host_cholesky_internal.h"

// Sums in half of the registers: rows, and vectors of a strip.
enum { VECTORS = CHOLESKY_STRIP / LANES, ROWS = REGISTERS / 2 / VECTORS };

VECTOR_CODE void SIMD_SET_NAME(cholesky_update)(const double *left, const double *right, size_t depth,
                                                double *to, size_t rows, size_t pitch, size_t to_pitch)
{
    for (size_t row = 0; row < rows; row += ROWS, left += ROWS * pitch, to += ROWS * to_pitch) {
        reals sums[ROWS][VECTORS];

#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 8
            for (int v = 0; v < VECTORS; v++)
                sums[r][v] = set_reals(0);
        for (size_t k = 0; k < depth; k++)
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 8
                for (int v = 0; v < VECTORS; v++)
                    sums[r][v] = plus_product(sums[r][v], set_reals(left[(size_t)r * pitch + k]),
                                              load_reals(right + k * CHOLESKY_STRIP + v * LANES));
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 8
            for (int v = 0; v < VECTORS; v++) {
                double *at = to + (size_t)r * to_pitch + v * LANES;

                store_reals(at, load_reals(at) - sums[r][v]);
            }
    }
}
