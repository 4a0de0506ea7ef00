// SPDX-License-Identifier: Apache-2.0
// The words of host_fft_avx512.h in plain C: vectors of one lane.
#ifndef KN_HOST_FFT_HOST_FFT_SCALAR_H
#define KN_HOST_FFT_HOST_FFT_SCALAR_H

#include "host/stats/host_reals_scalar.h"

VECTOR_WORD reals load_reals(const real *from)
{
    return *from;
}

VECTOR_WORD void store_reals(real *to, reals v)
{
    *to = v;
}

VECTOR_WORD reals load_integers(const int32_t *from)
{
    return (real)*from;
}

VECTOR_WORD void store_doubles(double *to, reals v)
{
    *to = (double)v;
}

VECTOR_WORD reals plus_product(reals a, reals b, reals c)
{
    return a + b * c;
}

VECTOR_WORD reals less_product(reals a, reals b, reals c)
{
    return a - b * c;
}

VECTOR_WORD void transpose(reals tile[LANES])
{
    (void)tile;
}

#endif
