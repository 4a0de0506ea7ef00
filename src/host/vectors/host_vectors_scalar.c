// SPDX-License-Identifier: Apache-2.0
// The loops of host_vectors_internal.h in plain C. Compiled for every width (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "host_vectors_internal.h"

static double add(void *to, const void *from, double factor, size_t count)
{
    const real *x = from;
    real *y = to;
    double squares = 0;

    for (size_t i = 0; i < count; i++) {
        y[i] += (real)factor * x[i];
        squares += (double)y[i] * (double)y[i];
    }
    return squares;
}

static void turn(void *to, const void *from, double factor, size_t count)
{
    const real *x = from;
    real *y = to;

    for (size_t i = 0; i < count; i++)
        y[i] = x[i] + (real)factor * y[i];
}

static double dot(const void *a, const void *b, size_t count)
{
    const real *x = a, *y = b;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (double)x[i] * (double)y[i];
    return sum;
}

const struct host_vectors_code SIMD_NAME(host_vectors_code) = {add, turn, dot};
