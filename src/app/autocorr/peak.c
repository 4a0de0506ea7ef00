// SPDX-License-Identifier: Apache-2.0
#include "radial.h"

#include <math.h>
#include <stdbool.h>

// A ring's value without one of its sectors; with all of them if there is no such.
static double value_without(const struct autocorr_ring *ring, size_t sector)
{
    double weight = ring->weight - ring->weights[sector],
           sum = ring->value * ring->weight - ring->sums[sector];

    return weight > 0 ? sum / weight : ring->value;
}

// The extreme of the parabola through three points; at the middle one where there is no such.
static void vertex(const double x[3], const double y[3], double *at, double *height)
{
    double left = (y[1] - y[0]) / (x[1] - x[0]), right = (y[2] - y[1]) / (x[2] - x[1]);
    double curvature = (right - left) / (x[2] - x[0]), slope = left + curvature * (x[1] - x[0]);
    double step = -slope / (2 * curvature);

    *at = x[1];
    *height = y[1];
    if (curvature == 0 || !isfinite(step))
        return;
    *at += step;
    *height += slope * step / 2;
}

static void place(const struct autocorr_ring *ring, double *at, double *height, double *error)
{
    double x[3], y[3], squares = 0, mean = 0, moved[AUTOCORR_SECTORS];
    const double sectors = AUTOCORR_SECTORS;

    for (size_t i = 0; i < 3; i++) {
        x[i] = ring[i].radius;
        y[i] = ring[i].value;
    }
    vertex(x, y, at, height);
    for (size_t s = 0; s < AUTOCORR_SECTORS; s++) {
        double unused;

        for (size_t i = 0; i < 3; i++)
            y[i] = value_without(&ring[i], s);
        vertex(x, y, &moved[s], &unused);
        mean += moved[s] / sectors;
    }
    for (size_t s = 0; s < AUTOCORR_SECTORS; s++)
        squares += (moved[s] - mean) * (moved[s] - mean);
    *error = sqrt((sectors - 1) / sectors * squares);
}

// Whether ring `b` is higher than ring `a` (`sign` 1) or lower (-1) by enough to be no chance.
static bool differs(const struct autocorr_ring *a, const struct autocorr_ring *b, double sign,
                    double prominence)
{
    double step = sign * (b->value - a->value);

    return step > 0 && step > prominence * fmax(a->error, b->error);
}

// The lowest (`sign` 1) or highest (-1) ring from `first` on before the curve turns for good; false if it
// does not.
static bool turn(const struct autocorr_ring *rings, size_t first, size_t last, double sign, double prominence,
                 size_t *found)
{
    size_t best = first;

    for (size_t k = first; k <= last; k++) {
        if (isnan(rings[best].value) || sign * (rings[k].value - rings[best].value) < 0)
            best = k;
        else if (differs(&rings[best], &rings[k], sign, prominence)) {
            *found = best;
            return true;
        }
    }
    return false;
}

static double first_zero(const struct autocorr_ring *rings, size_t max_offset)
{
    for (size_t k = 1; k <= max_offset; k++) {
        double above = rings[k - 1].value, below = rings[k].value;

        if (above > 0 && below <= 0)
            return rings[k - 1].radius + above / (above - below) * (rings[k].radius - rings[k - 1].radius);
    }
    return NAN;
}

void autocorr_find_lengths(const struct autocorr_ring *rings, size_t max_offset, double prominence,
                           struct autocorr_lengths *lengths)
{
    size_t trough, peak;
    double unused;

    *lengths = (struct autocorr_lengths){NAN, NAN, NAN, NAN, NAN, first_zero(rings, max_offset)};
    if (!turn(rings, 0, max_offset, 1, prominence, &trough) || trough == 0)
        return;
    place(&rings[trough - 1], &lengths->r_min, &lengths->minimum, &unused);
    if (turn(rings, trough, max_offset, -1, prominence, &peak))
        place(&rings[peak - 1], &lengths->r_max, &lengths->maximum, &lengths->r_max_error);
}
