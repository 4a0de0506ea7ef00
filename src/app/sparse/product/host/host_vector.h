// SPDX-License-Identifier: Apache-2.0
// The loops of host_own.h with vectors of WIDE lanes. Included after a file's own words: number, reals, set,
// load, store, multiply_add, gather(x, indices), gather_some and load_some, which leave lanes from `count` on
// 0, total (the sum of a vector's lanes), and doubles with wide_zero, wide_product (acc + a * b in double, of
// all lanes) and wide_total.

VECTOR_CODE static double csr(const struct sparse_lines *lines, size_t first, size_t last, const void *from,
                              void *to)
{
    const number *values = lines->values, *x = from;
    number *y = to;
    double squares = 0;

    for (size_t row = first; row < last; row++) {
        size_t i = lines->starts[row], end = lines->starts[row + 1];
        reals sums = set(0);
        number sum;

        for (; end - i >= WIDE; i += WIDE)
            sums = multiply_add(load(values + i), gather(x, lines->indices + i), sums);
        if (i < end)
            sums = multiply_add(load_some(values + i, end - i), gather_some(x, lines->indices + i, end - i),
                                sums);
        y[row] = sum = total(sums);
        squares += (double)sum * (double)sum;
    }
    return squares;
}

enum { PARTS = SPARSE_LANES / WIDE, SIDE_BY_SIDE = PARTS < 4 ? 4 : 1, LONG = 64 * SPARSE_LANES };

// `count` lines at once: what their rows read of x lies close together, as rows' columns ascend, and stays in
// the first-level cache. That pays from LONG values of a line on.
VECTOR_WORD doubles sell_lines(const struct sparse_lines *lines, size_t line, const size_t count,
                               const number *x, number *y, doubles squares)
{
    const uint64_t *starts = lines->starts + line;
    const number *values = lines->values;
    reals sums[SIDE_BY_SIDE][PARTS];
    size_t common = SIZE_MAX;

    for (size_t k = 0; k < count; k++) {
        common = starts[k + 1] - starts[k] < common ? starts[k + 1] - starts[k] : common;
        _Pragma("GCC unroll 8") for (size_t part = 0; part < PARTS; part++) sums[k][part] = set(0);
    }
    for (size_t i = 0; i < common; i += SPARSE_LANES)
        _Pragma("GCC unroll 8") for (size_t k = 0; k < count; k++)
            _Pragma("GCC unroll 8") for (size_t part = 0; part < PARTS; part++)
        {
            size_t at = starts[k] + i + part * WIDE;

            sums[k][part] = multiply_add(load(values + at), gather(x, lines->indices + at), sums[k][part]);
        }
    _Pragma("GCC unroll 8") for (size_t k = 0; k < count; k++)
    {
        for (size_t i = starts[k] + common; i < starts[k + 1]; i += SPARSE_LANES)
            _Pragma("GCC unroll 8") for (size_t part = 0; part < PARTS; part++) sums[k][part] = multiply_add(
                load(values + i + part * WIDE), gather(x, lines->indices + i + part * WIDE), sums[k][part]);
        _Pragma("GCC unroll 8") for (size_t part = 0; part < PARTS; part++)
        {
            store(y + (line + k) * SPARSE_LANES + part * WIDE, sums[k][part]);
            squares = wide_product(sums[k][part], sums[k][part], squares);
        }
    }
    return squares;
}

VECTOR_CODE static double sell(const struct sparse_lines *lines, size_t first, size_t last, const void *from,
                               void *to)
{
    doubles squares = wide_zero();
    size_t line = first;

    while (line < last)
        if (last - line >= SIDE_BY_SIDE && lines->starts[line + 1] - lines->starts[line] >= LONG) {
            squares = sell_lines(lines, line, SIDE_BY_SIDE, from, to, squares);
            line += SIDE_BY_SIDE;
        } else {
            squares = sell_lines(lines, line++, 1, from, to, squares);
        }
    return wide_total(squares);
}

VECTOR_CODE static double add(void *to, const void *from, double factor, size_t count)
{
    const number *x = from;
    number *y = to;
    doubles squares = wide_zero();
    double rest = 0;
    size_t i = 0;

    for (; count - i >= WIDE; i += WIDE) {
        reals sum = multiply_add(set((number)factor), load(x + i), load(y + i));

        store(y + i, sum);
        squares = wide_product(sum, sum, squares);
    }
    for (; i < count; i++) {
        y[i] += (number)factor * x[i];
        rest += (double)y[i] * (double)y[i];
    }
    return wide_total(squares) + rest;
}

VECTOR_CODE static void turn(void *to, const void *from, double factor, size_t count)
{
    const number *x = from;
    number *y = to;
    size_t i = 0;

    for (; count - i >= WIDE; i += WIDE)
        store(y + i, multiply_add(set((number)factor), load(y + i), load(x + i)));
    for (; i < count; i++)
        y[i] = x[i] + (number)factor * y[i];
}

VECTOR_CODE static double dot(const void *a, const void *b, size_t count)
{
    const number *x = a, *y = b;
    doubles sums = wide_zero();
    double rest = 0;
    size_t i = 0;

    for (; count - i >= WIDE; i += WIDE)
        sums = wide_product(load(x + i), load(y + i), sums);
    for (; i < count; i++)
        rest += (double)x[i] * (double)y[i];
    return wide_total(sums) + rest;
}
