// SPDX-License-Identifier: Apache-2.0
#include "root_of_unity.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// The angle is reduced to an eighth of the circle while it is still a fraction.
void ki_fft_root_of_unity(uint64_t k, uint64_t n, double value[2])
{
    uint64_t eighth = (8 * (k % n)) / n; // octant
    uint64_t twice = (eighth + 1) / 2;   // adjacent quarters
    double part =
        ((double)(4 * (k % n)) - (double)(twice * n)) / (4 * (double)n); // of the circle, within an eighth
    double c = cos(2 * pi * part), s = sin(2 * pi * part);
    const double parts[4][2] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};

    value[0] = parts[twice % 4][0];
    value[1] = -parts[twice % 4][1];
}
