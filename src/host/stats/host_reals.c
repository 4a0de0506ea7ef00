// SPDX-License-Identifier: Apache-2.0
// What a read finds out about floats or doubles. Compiled for every instruction set and width
// (src/host/simd/simd.h).
#include "host_reals.h"

#include <math.h>
#include <string.h>

#include "host/simd/simd.h"

enum { AHEAD = 4096 /* elements: what is read now is in a cache */ };

// The last elements, with NaN in the lanes after them, which no comparison accepts.
VECTOR_OPERATION vector load_last(const void *x, size_t count)
{
    real last[LANES];

    for (size_t i = 0; i < LANES; i++)
        last[i] = (real)NAN;
    memcpy(last, x, count * sizeof *last);
    return load((const key *)last);
}

VECTOR_OPERATION size_t tally_total(tally t)
{
    key each[LANES];
    size_t total = 0;

    store(each, t);
    for (size_t i = 0; i < LANES; i++)
        total += (size_t)each[i];
    return total;
}

// ---- least, greatest, NaN ----

struct extreme_lanes {
    reals least, greatest;
    tally nan;
};

VECTOR_OPERATION void take_extremes(reals v, struct extreme_lanes *lanes)
{
    lanes->least = lesser(v, lanes->least);
    lanes->greatest = greater(v, lanes->greatest);
    count_marks(&lanes->nan, are_nan(v));
}

VECTOR_CODE static void find_extremes(const void *x, size_t n, struct host_extremes *extremes)
{
    struct extreme_lanes lanes = {set_reals((real)INFINITY), set_reals((real)-INFINITY), broadcast(0)};
    const key *elements = x;
    real least[LANES], greatest[LANES];
    size_t i = 0;

    for (; n - i >= LANES; i += LANES)
        take_extremes(REALS_OF(load(elements + i)), &lanes);
    if (i < n) {
        take_extremes(REALS_OF(load_last(elements + i, n - i)), &lanes);
        extremes->nan_count -= LANES - (n - i);
    }
    store((key *)least, BITS_OF(lanes.least));
    store((key *)greatest, BITS_OF(lanes.greatest));
    for (size_t lane = 0; lane < LANES; lane++) {
        extremes->least = fmin(extremes->least, (double)least[lane]);
        extremes->greatest = fmax(extremes->greatest, (double)greatest[lane]);
    }
    extremes->nan_count += tally_total(lanes.nan);
}

// ---- positions of elements relative to intervals ----

struct interval_lanes {
    reals low, high;
    tally inside, below, above_low, above_high;
};

// The elements between the bounds, which are not counted yet.
VECTOR_OPERATION marks take_interval(reals v, struct interval_lanes *lanes)
{
    marks above_low = less(lanes->low, v);

    count_marks(&lanes->below, less(v, lanes->low));
    count_marks(&lanes->above_low, above_low);
    count_marks(&lanes->above_high, less(lanes->high, v));
    return both(above_low, less(v, lanes->high));
}

VECTOR_OPERATION size_t keep_marked(vector v, marks m, void *to, size_t count)
{
    lane_set lanes = marked_lanes(m);

    keep_lanes(v, lanes, (key *)to + count);
    return count + count_lanes(lanes);
}

VECTOR_OPERATION void sift_vector(vector bits, struct interval_lanes *lanes, struct host_sifted *sifted)
{
    reals v = REALS_OF(bits);
    marks middle = take_interval(v, &lanes[HOST_MIDDLE]), lower = take_interval(v, &lanes[HOST_LOWER]);
    marks arms = either(lower, take_interval(v, &lanes[HOST_UPPER]));

    count_marks(&lanes[HOST_LOWER].inside, lower);
    sifted->middle_count = keep_marked(bits, middle, sifted->middle, sifted->middle_count);
    sifted->arm_count = keep_marked(bits, arms, sifted->arms, sifted->arm_count);
}

// For at most 2^31 elements, because the tallies have the elements' width.
VECTOR_CODE static void sift(const void *x, size_t n, struct host_interval *intervals,
                             struct host_sifted *result)
{
    struct interval_lanes lanes[HOST_INTERVALS];
    struct host_sifted sifted = {result->middle, result->arms, 0, 0};
    const key *elements = x;
    size_t i = 0;

    for (size_t k = 0; k < HOST_INTERVALS; k++)
        lanes[k] = (struct interval_lanes){set_reals((real)intervals[k].low),
                                           set_reals((real)intervals[k].high),
                                           broadcast(0),
                                           broadcast(0),
                                           broadcast(0),
                                           broadcast(0)};
    for (; n - i >= LANES; i += LANES) {
        fetch(elements + i + AHEAD);
        sift_vector(load(elements + i), lanes, &sifted);
    }
    if (i < n)
        sift_vector(load_last(elements + i, n - i), lanes, &sifted);
    for (size_t k = 0; k < HOST_INTERVALS; k++) {
        intervals[k].below += tally_total(lanes[k].below);
        intervals[k].above_low += tally_total(lanes[k].above_low);
        intervals[k].above_high += tally_total(lanes[k].above_high);
    }
    size_t lower = tally_total(lanes[HOST_LOWER].inside);
    intervals[HOST_MIDDLE].inside += sifted.middle_count;
    intervals[HOST_LOWER].inside += lower;
    intervals[HOST_UPPER].inside += sifted.arm_count - lower;
    *result = sifted;
}

// ---- deviations ----

VECTOR_CODE static void deviations(const void *x, size_t n, double centre, double *to)
{
    const real *elements = x;
    size_t i = 0;

    for (; n - i >= LANES; i += LANES)
        store_deviations(elements + i, centre, to + i);
    for (; i < n; i++)
        to[i] = fabs((double)elements[i] - centre);
}

const struct host_reals SIMD_NAME(host_reals) = {find_extremes, sift, deviations};
