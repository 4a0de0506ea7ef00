// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of reduced phases, for the vector code in this folder.
#ifndef KN_APP_MRI_SUM_SUM_VECTOR_H
#define KN_APP_MRI_SUM_SUM_VECTOR_H

#include "host/simd/simd.h"
#include "sum_host.h"

#if KEY_BITS == 64
#define SINE   SUM_SINE_DOUBLE
#define COSINE SUM_COSINE_DOUBLE
#else
#define SINE   SUM_SINE_SINGLE
#define COSINE SUM_COSINE_SINGLE
#endif

static const real sine_terms[] = {SINE}, cosine_terms[] = {COSINE};
enum {
    SINE_TERMS = sizeof sine_terms / sizeof *sine_terms,
    COSINE_TERMS = sizeof cosine_terms / sizeof *cosine_terms
};

// Sine and cosine of t turns, |t| <= 1/2, from those of half the angle.
VECTOR_OPERATION void sine_and_cosine(reals t, reals *sine, reals *cosine)
{
    reals h = t * t, s = set_reals(sine_terms[0]), c = set_reals(cosine_terms[0]), twice;

    _Pragma("GCC unroll 16") for (size_t i = 1; i < SINE_TERMS; i++) s =
        plus_product(set_reals(sine_terms[i]), s, h);
    _Pragma("GCC unroll 16") for (size_t i = 1; i < COSINE_TERMS; i++) c =
        plus_product(set_reals(cosine_terms[i]), c, h);
    s = s * t;
    twice = s + s;
    *sine = twice * c;
    *cosine = set_reals(1) - twice * s;
}

#endif
