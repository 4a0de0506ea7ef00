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

// The extreme near ring k of the curve without a sector: uphill (`sign` -1) or downhill (1) from there.
static double extreme_without(const struct autocorr_ring *rings, size_t last, size_t k, double sign,
                              size_t sector)
{
    double x[3], y[3], at, unused;

    for (;;) {
        for (size_t i = 0; i < 3; i++) {
            x[i] = rings[k - 1 + i].radius;
            y[i] = value_without(&rings[k - 1 + i], sector);
        }
        if (sign * (y[0] - y[1]) < 0 && y[0] * sign < y[2] * sign && k > 1)
            k--;
        else if (sign * (y[2] - y[1]) < 0 && k + 1 < last)
            k++;
        else
            break;
    }
    vertex(x, y, &at, &unused);
    return at;
}

// The extreme at ring k, which has neighbours, and its error.
static void place(const struct autocorr_ring *rings, size_t last, size_t k, double sign, double *at,
                  double *height, double *error)
{
    const double sectors = AUTOCORR_SECTORS;
    double x[3], y[3], moved[AUTOCORR_SECTORS], mean = 0, squares = 0;

    for (size_t i = 0; i < 3; i++) {
        x[i] = rings[k - 1 + i].radius;
        y[i] = rings[k - 1 + i].value;
    }
    vertex(x, y, at, height);
    for (size_t s = 0; s < AUTOCORR_SECTORS; s++) {
        moved[s] = extreme_without(rings, last, k, sign, s);
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

void ki_autocorr_find_lengths(const struct autocorr_ring *rings, size_t max_offset, double prominence,
                              kn_autocorr_lengths *lengths)
{
    size_t trough, peak;
    double unused;

    *lengths = (kn_autocorr_lengths){NAN, NAN, NAN, NAN, NAN, first_zero(rings, max_offset)};
    if (!turn(rings, 0, max_offset, 1, prominence, &trough) || trough == 0)
        return;
    place(rings, max_offset, trough, 1, &lengths->r_min, &lengths->minimum, &unused);
    if (turn(rings, trough, max_offset, -1, prominence, &peak))
        place(rings, max_offset, peak, -1, &lengths->r_max, &lengths->maximum, &lengths->r_max_error);
}
