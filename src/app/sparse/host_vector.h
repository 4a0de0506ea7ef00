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

VECTOR_CODE static double sell(const struct sparse_lines *lines, size_t first, size_t last, const void *from,
                               void *to)
{
    enum { PARTS = SPARSE_LANES / WIDE };
    const number *values = lines->values, *x = from;
    number *y = to;
    doubles squares = wide_zero();

    for (size_t line = first; line < last; line++) {
        reals sums[PARTS];

        _Pragma("GCC unroll 8") for (size_t part = 0; part < PARTS; part++) sums[part] = set(0);
        for (size_t i = lines->starts[line]; i < lines->starts[line + 1]; i += SPARSE_LANES)
            _Pragma("GCC unroll 8") for (size_t part = 0; part < PARTS; part++) sums[part] = multiply_add(
                load(values + i + part * WIDE), gather(x, lines->indices + i + part * WIDE), sums[part]);
        _Pragma("GCC unroll 8") for (size_t part = 0; part < PARTS; part++)
        {
            store(y + line * SPARSE_LANES + part * WIDE, sums[part]);
            squares = wide_product(sums[part], sums[part], squares);
        }
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
