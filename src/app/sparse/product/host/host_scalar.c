// SPDX-License-Identifier: Apache-2.0
// The loops of host_internal.h in plain C. Compiled for every width of numbers (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "host_internal.h"

static double csr(const struct sparse_lines *lines, size_t first, size_t last, const void *from, void *to)
{
    const real *values = lines->values, *x = from;
    real *y = to;
    double squares = 0;

    for (size_t row = first; row < last; row++) {
        real sum = 0;

        for (size_t i = lines->starts[row]; i < lines->starts[row + 1]; i++)
            sum += values[i] * x[lines->indices[i]];
        y[row] = sum;
        squares += (double)sum * (double)sum;
    }
    return squares;
}

static double sell(const struct sparse_lines *lines, size_t first, size_t last, const void *from, void *to)
{
    const real *values = lines->values, *x = from;
    real *y = to;
    double squares = 0;

    for (size_t line = first; line < last; line++) {
        real sums[SPARSE_LANES] = {0};

        for (size_t i = lines->starts[line]; i < lines->starts[line + 1]; i += SPARSE_LANES)
            for (size_t lane = 0; lane < SPARSE_LANES; lane++)
                sums[lane] += values[i + lane] * x[lines->indices[i + lane]];
        for (size_t lane = 0; lane < SPARSE_LANES; lane++) {
            y[line * SPARSE_LANES + lane] = sums[lane];
            squares += (double)sums[lane] * (double)sums[lane];
        }
    }
    return squares;
}

const struct sparse_code SIMD_NAME(sparse) = {SIMD_TITLE, csr, sell};
