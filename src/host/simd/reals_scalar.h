// SPDX-License-Identifier: Apache-2.0
// The operations of reals_avx512.h in plain C: vectors of one lane.
#ifndef KN_HOST_SIMD_REALS_SCALAR_H
#define KN_HOST_SIMD_REALS_SCALAR_H

#include <math.h>
#include <string.h>

#include "keys_scalar.h"

#if KEY_BITS == 64
typedef double real;
#else
typedef float real;
#endif
typedef real reals;
typedef bool marks;
typedef key tally;
#define REALS_OF(v) reals_of(v)
#define BITS_OF(v)  bits_of(v)

VECTOR_OPERATION reals reals_of(vector v)
{
    reals value;

    memcpy(&value, &v, sizeof value);
    return value;
}

VECTOR_OPERATION vector bits_of(reals value)
{
    key v;

    memcpy(&v, &value, sizeof v);
    return v;
}

VECTOR_OPERATION reals set_reals(real value)
{
    return value;
}

VECTOR_OPERATION marks less(reals a, reals b)
{
    return a < b;
}

VECTOR_OPERATION marks are_nan(reals v)
{
    return isnan(v);
}

VECTOR_OPERATION marks both(marks a, marks b)
{
    return a & b;
}

VECTOR_OPERATION marks either(marks a, marks b)
{
    return a | b;
}

VECTOR_OPERATION lane_set marked_lanes(marks m)
{
    return m;
}

VECTOR_OPERATION void count_marks(tally *t, marks m)
{
    *t += m;
}

VECTOR_OPERATION reals lesser(reals v, reals so_far)
{
    return v < so_far ? v : so_far;
}

VECTOR_OPERATION reals greater(reals v, reals so_far)
{
    return v > so_far ? v : so_far;
}

VECTOR_OPERATION void store_deviations(const real *from, double centre, double *to)
{
    *to = fabs((double)*from - centre);
}

VECTOR_OPERATION reals load_reals(const real *from)
{
    return *from;
}

VECTOR_OPERATION void store_reals(real *to, reals v)
{
    *to = v;
}

VECTOR_OPERATION reals reals_of_integers(const int32_t *from)
{
    return (real)*from;
}

VECTOR_OPERATION void store_doubles(double *to, reals v)
{
    *to = (double)v;
}

VECTOR_OPERATION reals plus_product(reals a, reals b, reals c)
{
    return a + b * c;
}

VECTOR_OPERATION reals between_reals(const real *x, reals at)
{
    const int32_t whole = (int32_t)at;

    return plus_product(x[whole], at - (real)whole, x[whole + 1] - x[whole]);
}

VECTOR_OPERATION reals less_product(reals a, reals b, reals c)
{
    return a - b * c;
}

#if KEY_BITS == 64
VECTOR_OPERATION reals rounded(reals v)
{
    return rint(v);
}
#else
VECTOR_OPERATION reals reals_of_keys(vector v)
{
    return (reals)v;
}
#endif

VECTOR_OPERATION void add_to_doubles(double *to, reals v)
{
    *to += (double)v;
}

VECTOR_OPERATION void transpose_reals(reals tile[LANES])
{
    (void)tile;
}

#endif
