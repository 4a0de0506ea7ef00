// SPDX-License-Identifier: Apache-2.0
// The loops of host_internal.h with vectors. Compiled for every instruction set that has them and every width
// of numbers (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "host_internal.h"

VECTOR_CODE static double csr(const struct sparse_lines *lines, size_t first, size_t last, const void *from,
                              void *to)
{
    const real *values = lines->values, *x = from;
    real *y = to;
    double squares = 0;

    for (size_t row = first; row < last; row++) {
        size_t i = lines->starts[row], end = lines->starts[row + 1];
        reals sums = set_reals(0);
        real sum;

        for (; end - i >= LANES; i += LANES)
            sums = plus_product(sums, load_reals(values + i), gather_reals(x, lines->indices + i));
        if (i < end)
            sums = plus_product(sums, load_first_reals(values + i, end - i),
                                gather_first_reals(x, lines->indices + i, end - i));
        y[row] = sum = total_of_reals(sums);
        squares += (double)sum * (double)sum;
    }
    return squares;
}

enum { PARTS = SPARSE_LANES / LANES, SIDE_BY_SIDE = PARTS < 4 ? 4 : 1, LONG = 64 * SPARSE_LANES };

// `count` lines at once: the elements of x that their rows read are close together, because the columns of a
// row ascend, and stay in the first-level cache. Faster for lines of at least LONG values.
VECTOR_OPERATION doubles sell_lines(const struct sparse_lines *lines, size_t line, const size_t count,
                                    const real *x, real *y, doubles squares)
{
    const uint64_t *starts = lines->starts + line;
    const real *values = lines->values;
    reals sums[SIDE_BY_SIDE][PARTS];
    size_t common = SIZE_MAX;

    for (size_t k = 0; k < count; k++) {
        common = starts[k + 1] - starts[k] < common ? starts[k + 1] - starts[k] : common;
        _Pragma("GCC unroll 8") for (size_t part = 0; part < PARTS; part++) sums[k][part] = set_reals(0);
    }
    for (size_t i = 0; i < common; i += SPARSE_LANES)
        _Pragma("GCC unroll 8") for (size_t k = 0; k < count; k++)
            _Pragma("GCC unroll 8") for (size_t part = 0; part < PARTS; part++)
        {
            size_t at = starts[k] + i + part * LANES;

            sums[k][part] =
                plus_product(sums[k][part], load_reals(values + at), gather_reals(x, lines->indices + at));
        }
    _Pragma("GCC unroll 8") for (size_t k = 0; k < count; k++)
    {
        for (size_t i = starts[k] + common; i < starts[k + 1]; i += SPARSE_LANES)
            _Pragma("GCC unroll 8") for (size_t part = 0; part < PARTS; part++) sums[k][part] =
                plus_product(sums[k][part], load_reals(values + i + part * LANES),
                             gather_reals(x, lines->indices + i + part * LANES));
        _Pragma("GCC unroll 8") for (size_t part = 0; part < PARTS; part++)
        {
            store_reals(y + (line + k) * SPARSE_LANES + part * LANES, sums[k][part]);
            squares = plus_products(squares, sums[k][part], sums[k][part]);
        }
    }
    return squares;
}

VECTOR_CODE static double sell(const struct sparse_lines *lines, size_t first, size_t last, const void *from,
                               void *to)
{
    doubles squares = no_doubles();
    size_t line = first;

    while (line < last)
        if (last - line >= SIDE_BY_SIDE && lines->starts[line + 1] - lines->starts[line] >= LONG) {
            squares = sell_lines(lines, line, SIDE_BY_SIDE, from, to, squares);
            line += SIDE_BY_SIDE;
        } else {
            squares = sell_lines(lines, line++, 1, from, to, squares);
        }
    return total_of_doubles(squares);
}

const struct sparse_code SIMD_NAME(sparse) = {SIMD_TITLE, csr, sell};
