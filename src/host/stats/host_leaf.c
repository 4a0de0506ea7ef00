// SPDX-License-Identifier: Apache-2.0
// Rows of a leaf of the fixed tree with vectors of doubles, AT_A_TIME of them side by side: as many as there
// are registers for; memory is prefetched AHEAD bytes before. Compiled for every instruction set with vectors
// (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "host_sums.h"

enum { AT_A_TIME = REGISTERS / 4, AHEAD = 1024 };

VECTOR_OPERATION void add_columns(const void *x, size_t count, const bool single, double shift,
                                  const bool wants_squares, size_t first, double *sums, double *squares)
{
    const reals centre = set_reals(shift);
    reals sum[AT_A_TIME], square[AT_A_TIME];

    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++)
    {
        sum[i] = load_reals(sums + first + i * LANES);
        square[i] = load_reals(squares + first + i * LANES);
    }
    for (size_t row = first; row < count; row += TREE_LANES) {
        _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++)
        {
            size_t at = row + i * LANES;
            fetch((const key *)((const char *)x + at * (single ? sizeof(float) : sizeof(double)) + AHEAD));
            reals d =
                (single ? load_floats((const float *)x + at) : load_reals((const double *)x + at)) - centre;
            sum[i] += d;
            if (wants_squares)
                square[i] = plus_product(square[i], d, d);
        }
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < AT_A_TIME; i++)
    {
        store_reals(sums + first + i * LANES, sum[i]);
        store_reals(squares + first + i * LANES, square[i]);
    }
}

VECTOR_CODE void SIMD_SET_NAME(host_leaf)(const void *x, size_t count, bool single, double shift,
                                          bool wants_squares, double sums[TREE_LANES],
                                          double squares[TREE_LANES])
{
    for (size_t first = 0; first < TREE_LANES; first += AT_A_TIME * LANES)
        if (single && wants_squares)
            add_columns(x, count, true, shift, true, first, sums, squares);
        else if (single)
            add_columns(x, count, true, shift, false, first, sums, squares);
        else if (wants_squares)
            add_columns(x, count, false, shift, true, first, sums, squares);
        else
            add_columns(x, count, false, shift, false, first, sums, squares);
}
