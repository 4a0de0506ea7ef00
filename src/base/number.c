// SPDX-License-Identifier: Apache-2.0
#include "number.h"

#include <math.h>

double ki_middle(double lower, double upper)
{
    double sum = lower + upper;

    if (isinf(sum) && isfinite(lower) && isfinite(upper))
        return lower / 2 + upper / 2;
    return sum / 2 + 0.0; // adding +0 makes 0 of -0
}
