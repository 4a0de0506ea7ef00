// SPDX-License-Identifier: Apache-2.0
// The loop of host_cholesky_own.h with AVX-512.
#include "host_cholesky_own.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

// Sums in registers: rows, and vectors of a strip.
enum { WIDE = 8, ROWS = 8, VECTORS = CHOLESKY_STRIP / WIDE };

__attribute__((target("avx512f"))) void cholesky_update_avx512(const double *left, const double *right,
                                                               size_t depth, double *to, size_t rows,
                                                               size_t pitch, size_t to_pitch)
{
    for (size_t row = 0; row < rows; row += ROWS, left += ROWS * pitch, to += ROWS * to_pitch) {
        __m512d sums[ROWS][VECTORS];

#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 8
            for (int v = 0; v < VECTORS; v++)
                sums[r][v] = _mm512_setzero_pd();
        for (size_t k = 0; k < depth; k++)
#pragma GCC unroll 8
            for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 8
                for (int v = 0; v < VECTORS; v++)
                    sums[r][v] =
                        _mm512_fmadd_pd(_mm512_set1_pd(left[(size_t)r * pitch + k]),
                                        _mm512_loadu_pd(right + k * CHOLESKY_STRIP + v * WIDE), sums[r][v]);
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 8
            for (int v = 0; v < VECTORS; v++) {
                double *at = to + (size_t)r * to_pitch + v * WIDE;

                _mm512_storeu_pd(at, _mm512_sub_pd(_mm512_loadu_pd(at), sums[r][v]));
            }
    }
}
#endif
