// SPDX-License-Identifier: Apache-2.0
#include "radial.h"

#include <math.h>
#include <string.h>

// Ring `number` gets a share of an offset: `weight` of the value at the distance r. Until the end `radius`
// and `error` have sums of weight times distance and of weight times value squared, `value` that of squared
// weights.
static void add(struct autocorr_ring *ring, size_t sector, double r, double value, double weight)
{
    if (weight == 0)
        return;
    ring->radius += weight * r;
    ring->value += weight * weight;
    ring->error += weight * value * value;
    ring->weight += weight;
    ring->count++;
    ring->sums[sector] += weight * value;
    ring->weights[sector] += weight;
}

// The standard error is that of a weighted mean of independent values: the spread by the root of their
// effective number, (sum of weights)^2 / sum of squared weights.
void ki_autocorr_ring_finish(struct autocorr_ring *ring, size_t number)
{
    double sum = 0, squared_weights = ring->value, squares = ring->error, variance;

    if (ring->weight == 0) {
        ring->radius = (double)number;
        ring->value = ring->error = NAN;
        return;
    }
    for (size_t s = 0; s < AUTOCORR_SECTORS; s++)
        sum += ring->sums[s];
    ring->radius /= ring->weight;
    ring->value = sum / ring->weight;
    variance = squares / ring->weight - ring->value * ring->value;
    ring->error = sqrt(fmax(variance, 0) * squared_weights) / ring->weight;
}

void ki_autocorr_ring_add(struct autocorr_ring *rings, size_t max_offset, size_t sector, double r,
                          double value, double weight)
{
    size_t k = (size_t)r;
    double above = r - (double)k;

    add(&rings[k], sector, r, value, weight * (1 - above));
    if (k < max_offset)
        add(&rings[k + 1], sector, r, value, weight * above);
}

void ki_autocorr_radial(const double *values, size_t max_offset, enum autocorr_binning binning,
                        struct autocorr_ring *rings)
{
    ptrdiff_t most = (ptrdiff_t)max_offset;

    memset(rings, 0, (max_offset + 1) * sizeof *rings);
    for (ptrdiff_t y0 = 0; y0 <= most; y0++)
        for (ptrdiff_t x0 = -most; x0 <= most; x0++) {
            double value = values[autocorr_at(max_offset, x0, (size_t)y0)], r, above, weight = y0 ? 2 : 1;
            size_t k, sector;

            if (x0 * x0 + y0 * y0 > most * most || isnan(value))
                continue;
            r = sqrt((double)(x0 * x0 + y0 * y0));
            k = (size_t)r;
            above = r - (double)k;
            sector = autocorr_sector(x0, (size_t)y0);
            if (binning != AUTOCORR_LINEAR)
                above = binning == AUTOCORR_NEAREST && above >= 0.5 ? 1 : 0;
            add(&rings[k], sector, r, value, weight * (1 - above));
            if (k < max_offset)
                add(&rings[k + 1], sector, r, value, weight * above);
        }
    for (size_t k = 0; k <= max_offset; k++)
        ki_autocorr_ring_finish(&rings[k], k);
}
