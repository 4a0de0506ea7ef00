// SPDX-License-Identifier: Apache-2.0
// The kernels' algorithm in plain C: 8 offsets, 2 pixels each as words.
#include "host_kernel.h"

enum { LANES = 8, PIXELS = 2 };

typedef uint16_t __attribute__((may_alias)) word;

static void multiply_group(const word *spread, const word *row, size_t units, uint32_t *sums)
{
    uint32_t sum[LANES];

    for (size_t lane = 0; lane < LANES; lane++)
        sum[lane] = sums[lane];
    for (size_t i = 0; i < units; i++)
        for (size_t lane = 0; lane < LANES; lane++) {
            const word *pair = spread + (i * LANES + lane) * PIXELS;

            sum[lane] += (uint32_t)pair[0] * row[PIXELS * i] + (uint32_t)pair[1] * row[PIXELS * i + 1];
        }
    for (size_t lane = 0; lane < LANES; lane++)
        sums[lane] = sum[lane];
}

static void multiply(const void *spread, const int32_t *row0, const int32_t *row1, size_t units,
                     size_t groups, uint32_t *sums0, uint32_t *sums1)
{
    for (size_t g = 0; g < groups; g++) {
        const word *from = (const word *)spread + g * AUTOCORR_GROUP_STEP * LANES * PIXELS;

        multiply_group(from, (const word *)row0, units, sums0 + g * LANES);
        multiply_group(from, (const word *)row1, units, sums1 + g * LANES);
    }
}

const struct autocorr_kernel ki_autocorr_scalar = {"scalar", LANES, PIXELS, 0, multiply};
