// SPDX-License-Identifier: Apache-2.0
// Arithmetic that host and device paths must do alike, to the bit.
#ifndef KN_BASE_NUMBER_H
#define KN_BASE_NUMBER_H

#include <stdint.h>
#include <string.h>

// x as a float holds it. Through memory: gcc 12 at -O2 takes the casts of two neighbours, there and back, for
// nothing.
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
double ki_middle(double lower, double upper);

#endif
