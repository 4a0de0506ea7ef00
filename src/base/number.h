// SPDX-License-Identifier: Apache-2.0
// Arithmetic that host and device paths must do in the same way, to the bit.
#ifndef KN_BASE_NUMBER_H
#define KN_BASE_NUMBER_H

#include <math.h>
#include <stdint.h>
#include <string.h>

// x rounded to a float. It goes through memory because gcc 12 at -O2 drops the casts of two neighbours to
// float and back.
static inline double ki_as_float(double x)
{
    volatile float narrow = (float)x;

    return (double)narrow;
}

// The bits of x as a float.
static inline uint32_t ki_float_bits(double x)
{
    float narrow = (float)x;
    uint32_t bits;

    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

// The mean of the two middle elements, without overflow; 0 for -0.
static inline double ki_middle(double lower, double upper)
{
    double sum = lower + upper;

    if (isinf(sum) && isfinite(lower) && isfinite(upper))
        return lower / 2 + upper / 2;
    return sum / 2 + 0.0; // adding +0 turns -0 into 0
}

// From `lower` to `upper` by `part`, as numpy interpolates: from the nearer end.
static inline double ki_between(double lower, double upper, double part)
{
    double gap = upper - lower;

    if (lower == upper || part == 0)
        return lower + 0.0;
    return part < 0.5 ? lower + gap * part : upper - gap * (1 - part);
}

#endif
