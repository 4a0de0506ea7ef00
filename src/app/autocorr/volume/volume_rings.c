// SPDX-License-Identifier: Apache-2.0
#include "volume_rings.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"

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

struct averaging {
    const double *values;
    size_t max_offset;
    struct autocorr_ring *planes;
};

// The shares of one Z0 in all shells.
static void add_plane(void *context, size_t z0)
{
    const struct averaging *all = context;
    const size_t across = 2 * all->max_offset + 1;
    const ptrdiff_t most = (ptrdiff_t)all->max_offset;
    const double *value = all->values + z0 * across * across;
    struct autocorr_ring *shells = all->planes + z0 * (all->max_offset + 1);

    memset(shells, 0, (all->max_offset + 1) * sizeof *shells);
    for (ptrdiff_t y0 = -most; y0 <= most; y0++)
        for (ptrdiff_t x0 = -most; x0 <= most; x0++, value++) {
            const ptrdiff_t square = x0 * x0 + y0 * y0 + (ptrdiff_t)(z0 * z0);

            if (square <= most * most && !isnan(*value))
                ki_autocorr_ring_add(shells, all->max_offset, ki_autocorr_solid_sector(x0, y0, z0),
                                     sqrt((double)square), *value, z0 ? 2 : 1);
        }
}

// Joins two rings that are not finished.
static void join(struct autocorr_ring *sum, const struct autocorr_ring *ring)
{
    sum->radius += ring->radius;
    sum->value += ring->value;
    autocorr_ring_join(sum, ring);
}

void ki_autocorr_spherical(const double *values, size_t max_offset, struct autocorr_ring *planes,
                           struct autocorr_ring *rings)
{
    struct averaging all = {values, max_offset, planes};
    const size_t shells = max_offset + 1;

    ki_parallel(ki_threads(0), shells, KI_DYNAMIC, add_plane, &all);
    memcpy(rings, planes, shells * sizeof *rings);
    for (size_t z0 = 1; z0 < shells; z0++)
        for (size_t k = z0; k < shells; k++) // no offset at Z0 is nearer
            join(&rings[k], &planes[z0 * shells + k]);
    for (size_t k = 0; k < shells; k++)
        ki_autocorr_ring_finish(&rings[k], k);
}
