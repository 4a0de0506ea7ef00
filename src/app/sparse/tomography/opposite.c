// SPDX-License-Identifier: Apache-2.0
#include "opposite.h"

#include <math.h>

#define PI 3.14159265358979323846

enum { MOST_PAIRS = 64 };

struct pair {
    const double *first, *second; // projections
};

// The mean step between the angles.
static double step_of(size_t angles, const double *theta)
{
    double least = INFINITY, greatest = -INFINITY;

    for (size_t t = 0; t < angles; t++) {
        least = fmin(least, theta[t]);
        greatest = fmax(greatest, theta[t]);
    }
    return angles > 1 ? (greatest - least) / (double)(angles - 1) : 0;
}

// How far the difference of two angles is from half a turn.
static double miss_of(double first, double second)
{
    return fabs(remainder(second - first - PI, 2 * PI));
}

// The projection after `t` that is opposite most exactly; `t`: there is none.
static size_t opposite_of(size_t t, size_t angles, const double *theta)
{
    size_t best = t;

    for (size_t s = t + 1; s < angles; s++)
        if (best == t || miss_of(theta[t], theta[s]) < miss_of(theta[t], theta[best]))
            best = s;
    return best;
}

// Those that miss half a turn by as little as any pair does, to a twentieth of a step.
static size_t find_pairs(size_t angles, size_t detectors, const double *theta, const double *sinogram,
                         struct pair *pairs)
{
    const double step = step_of(angles, theta);
    double least = INFINITY;
    size_t count = 0;

    for (size_t t = 0; t + 1 < angles; t++)
        least = fmin(least, miss_of(theta[t], theta[opposite_of(t, angles, theta)]));
    for (size_t t = 0; t + 1 < angles && count < MOST_PAIRS && least <= 1.001 * step; t++) {
        const size_t s = opposite_of(t, angles, theta);

        if (miss_of(theta[t], theta[s]) <= least + step / 20)
            pairs[count++] = (struct pair){sinogram + t * detectors, sinogram + s * detectors};
    }
    return count;
}

// How much the projections differ from their mirror images, from 0 to 1, if detectors k and sum - k see the
// same rays; 2 where nothing is seen.
static double difference(const struct pair *pairs, size_t count, size_t detectors, size_t sum)
{
    const size_t first = sum < detectors ? 0 : sum - detectors + 1,
                 last = sum < detectors ? sum : detectors - 1;
    double squares = 0, all = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t k = first; k <= last; k++) {
            const double a = pairs[i].first[k], b = pairs[i].second[sum - k];

            squares += (a - b) * (a - b);
            all += a * a + b * b;
        }
    return all > 0 ? squares / (2 * all) : 2;
}

size_t ki_sparse_opposite_axis(size_t angles, size_t detectors, const double *theta, const double *sinogram,
                               double *axis)
{
    struct pair pairs[MOST_PAIRS];
    const size_t count = find_pairs(angles, detectors, theta, sinogram, pairs), from = (detectors - 1) / 2,
                 to = (detectors - 1) - from + (detectors - 1);
    double least = 2, before, after, curve;
    size_t best = from;

    for (size_t sum = from; sum <= to && count; sum++) {
        const double own = difference(pairs, count, detectors, sum);

        if (own < least) {
            least = own;
            best = sum;
        }
    }
    if (!count || least >= 2)
        return 0;
    before = best > from ? difference(pairs, count, detectors, best - 1) : least;
    after = best < to ? difference(pairs, count, detectors, best + 1) : least;
    curve = before - 2 * least + after;
    *axis = ((double)best + (curve > 0 ? (before - after) / (2 * curve) : 0)) / 2;
    return count;
}
