// SPDX-License-Identifier: Apache-2.0
#include "volume_rings.h"

#include <math.h>
#include <string.h>

size_t ki_autocorr_solid_sector(ptrdiff_t x0, ptrdiff_t y0, size_t z0)
{
    size_t above = 9 * z0 * z0, square = (size_t)(x0 * x0 + y0 * y0) + z0 * z0;
    size_t band = (size_t)(above >= square) + (size_t)(above >= 4 * square), quadrant;

    if (!z0 && (y0 < 0 || (!y0 && x0 < 0))) {
        x0 = -x0;
        y0 = -y0;
    }
    quadrant = y0 >= 0 && x0 > 0 ? 0 : y0 > 0 ? 1 : x0 < 0 ? 2 : y0 < 0 ? 3 : 0;
    return 4 * band + quadrant;
}

void ki_autocorr_spherical(const double *values, size_t max_offset, struct autocorr_ring *rings)
{
    const ptrdiff_t most = (ptrdiff_t)max_offset;

    memset(rings, 0, (max_offset + 1) * sizeof *rings);
    for (ptrdiff_t z0 = 0; z0 <= most; z0++)
        for (ptrdiff_t y0 = -most; y0 <= most; y0++)
            for (ptrdiff_t x0 = -most; x0 <= most; x0++, values++) {
                ptrdiff_t square = x0 * x0 + y0 * y0 + z0 * z0;
                double r = sqrt((double)square);

                if (square <= most * most && !isnan(*values))
                    ki_autocorr_ring_add(rings, max_offset, ki_autocorr_solid_sector(x0, y0, (size_t)z0), r,
                                         *values, z0 ? 2 : 1);
            }
    for (size_t k = 0; k <= max_offset; k++)
        ki_autocorr_ring_finish(&rings[k], k);
}
