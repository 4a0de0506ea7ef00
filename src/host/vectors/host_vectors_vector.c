// SPDX-License-Identifier: Apache-2.0
// The loops of host_vectors_internal.h with vectors. Compiled for every instruction set that has them and
// every width (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "host_vectors_internal.h"

VECTOR_CODE static double add(void *to, const void *from, double factor, size_t count)
{
    const real *x = from;
    real *y = to;
    doubles squares = no_doubles();
    double rest = 0;
    size_t i = 0;

    for (; count - i >= LANES; i += LANES) {
        reals sum = plus_product(load_reals(y + i), set_reals((real)factor), load_reals(x + i));

        store_reals(y + i, sum);
        squares = plus_products(squares, sum, sum);
    }
    for (; i < count; i++) {
        y[i] += (real)factor * x[i];
        rest += (double)y[i] * (double)y[i];
    }
    return total_of_doubles(squares) + rest;
}

VECTOR_CODE static void turn(void *to, const void *from, double factor, size_t count)
{
    const real *x = from;
    real *y = to;
    size_t i = 0;

    for (; count - i >= LANES; i += LANES)
        store_reals(y + i, plus_product(load_reals(x + i), set_reals((real)factor), load_reals(y + i)));
    for (; i < count; i++)
        y[i] = x[i] + (real)factor * y[i];
}

VECTOR_CODE static double dot(const void *a, const void *b, size_t count)
{
    const real *x = a, *y = b;
    doubles sums = no_doubles();
    double rest = 0;
    size_t i = 0;

    for (; count - i >= LANES; i += LANES)
        sums = plus_products(sums, load_reals(x + i), load_reals(y + i));
    for (; i < count; i++)
        rest += (double)x[i] * (double)y[i];
    return total_of_doubles(sums) + rest;
}

const struct host_vectors_code SIMD_NAME(host_vectors_code) = {add, turn, dot};
