// SPDX-License-Identifier: Apache-2.0
// The loop of host_cholesky_internal.h in plain C.
#include "host_cholesky_internal.h"

void ki_cholesky_update_scalar(const double *left, const double *right, size_t depth, double *to, size_t rows,
                               size_t pitch, size_t to_pitch)
{
    for (size_t row = 0; row < rows; row++, left += pitch, to += to_pitch) {
        double sums[CHOLESKY_STRIP] = {0};

        for (size_t k = 0; k < depth; k++)
            for (size_t i = 0; i < CHOLESKY_STRIP; i++)
                sums[i] += left[k] * right[k * CHOLESKY_STRIP + i];
        for (size_t i = 0; i < CHOLESKY_STRIP; i++)
            to[i] -= sums[i];
    }
}
