// SPDX-License-Identifier: Apache-2.0
#include "samples.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "support/support.h"

#define EDGE(function, x, y, k, result)   {#function, x, y, k, result, false},
#define STORED(function, x, y, k, result) {#function, x, y, k, result, true},

static const struct maths_edge edges_of_float[] = {
#define SMALLEST  0x1p-149
#define LEAST     0x1p-126
#define LARGEST   0x1.fffffep127
#define BELOW_ONE 0x1.fffffep-1
#include "edges.h"
#undef SMALLEST
#undef LEAST
#undef LARGEST
#undef BELOW_ONE
};

static const struct maths_edge edges_of_double[] = {
#define SMALLEST  0x1p-1074
#define LEAST     0x1p-1022
#define LARGEST   0x1.fffffffffffffp1023
#define BELOW_ONE 0x1.fffffffffffffp-1
#include "edges.h"
};

const struct maths_edge *maths_edges(bool single, size_t *count)
{
    *count = KI_COUNT(edges_of_float);
    return single ? edges_of_float : edges_of_double;
}

// ---- special values

// The first THRICE of them are also combined in triples.
enum { THRICE = 12 };
static const double specials[] = {
    0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 0.5, -2.5, 3.0, 0x1p-149, -0x1.fffffep127,
    // up to here
    -0.5, 1.5, 2.0, -2.0, -3.0, 4.0, 10.0, -0x1p-126, 0x1.fffffcp-127, 0x1.fffffep-1, 0x1.000002p0, 0x1p23,
    0x1.000002p23, 0x1p24, -0x1p31, 0x1p63, 0x1.921fb6p1, 0x1.921fb6p0, -0x1.921fb6p20, 88.72284, -103.97208,
    128, -150, 35.04, -170.5, 709.78, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, 0x1.0000000000001p0,
    0x1.fffffffffffffp-1, 0x1.921fb54442d18p0, 0x1p52, 0x1.0000000000001p52};
static const int whole_specials[] = {
    0,    1,   -1,   2,    -2,   3,     -3,       4,        7,       -16,     24,       127,
    -126, 149, -149, -150, 1024, -1074, 16777216, 16777217, INT_MAX, INT_MIN, -INT_MAX, INT_MIN + 2};

// Adds every pair of special numbers, every special number with every special int, and every triple of the
// first.
static size_t add_specials(struct maths_args *samples, size_t at)
{
    const size_t n = KI_COUNT(specials), wholes = KI_COUNT(whole_specials);

    for (size_t i = 0; i < n * n; i++, at++)
        samples[at] = (struct maths_args){.x = specials[i / n],
                                          .y = specials[i % n],
                                          .z = specials[i % 7],
                                          .k = whole_specials[(i / n + i) % wholes]};
    for (size_t i = 0; i < THRICE * THRICE * THRICE; i++, at++)
        samples[at] = (struct maths_args){.x = specials[i / THRICE / THRICE],
                                          .y = specials[i / THRICE % THRICE],
                                          .z = specials[i % THRICE],
                                          .k = whole_specials[i % wholes]};
    return at;
}

// ---- random samples

static double uniform(uint64_t *chance, double low, double high)
{
    return low + (high - low) * test_uniform(chance);
}

static double sign(uint64_t *chance)
{
    return test_random(chance) & 1 ? -1 : 1;
}

// Random bits: all exponents, including denormals, infinity and NaN.
static double any(uint64_t *chance, bool single)
{
    uint64_t bits = test_random(chance);
    float narrow;
    double wide;

    if (!single) {
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

// Near a point where some function has a zero, a pole, an edge or a tie: exactly there, or at a distance of
// 2^-0 to 2^-53 of it.
static double near(uint64_t *chance)
{
    double point;

    switch (test_random(chance) % 4) {
    case 0:
        point = 1;
        break;
    case 1: // for sin, cos, tan
        point = (double)(test_random(chance) % (test_random(chance) % 2 ? 16 : 1 << 20)) * 1.5707963267948966;
        break;
    case 2: // for sinpi, lgamma, rint
        point = (double)(test_random(chance) % 400) / 2;
        break;
    default:
        point = ldexp(1, (int)(test_random(chance) % 64) - 16);
    }
    return sign(chance) * point *
           (1 + sign(chance) * ldexp(uniform(chance, 0, 1), -(int)(test_random(chance) % 54)));
}

static double number(uint64_t *chance, bool single)
{
    switch (test_random(chance) % 8) {
    case 0:
    case 1:
        return any(chance, single);
    case 2:
        return uniform(chance, -2, 2);
    case 3:
        return uniform(chance, -40, 40);
    case 4:
        return single ? uniform(chance, -160, 160) : uniform(chance, -1100, 1100);
    case 5:
        return sign(chance) * ldexp(uniform(chance, 1, 2), (int)(test_random(chance) % 64) - 32);
    case 6: // multiples of a quarter
        return sign(chance) * (double)(test_random(chance) % 4096) / 4;
    default:
        return near(chance);
    }
}

static double rounded(double x, bool single)
{
    return single ? (double)(float)x : x;
}

// A second argument, related to the first one half of the time: powers that neither overflow nor vanish,
// quotients near a tie, numbers of similar size.
static double partner(uint64_t *chance, double x, bool single)
{
    const double range = single ? 150 : 1080;

    switch (test_random(chance) % 8) {
    case 0:
    case 1:
        return uniform(chance, -range, range) / log2(fabs(x));
    case 2:
        return x / ((double)(test_random(chance) % 1000) + 0.5);
    case 3:
        return x * uniform(chance, -4, 4);
    default:
        return number(chance, single);
    }
}

static int whole(uint64_t *chance, double x, bool single)
{
    const double power = uniform(chance, -1, 1) * (single ? 150 : 1080) / log2(fabs(x));

    switch (test_random(chance) % 6) {
    case 0:
    case 1:
        return fabs(power) < 2e9 ? (int)power : 5;
    case 2:
        return (int)(test_random(chance) % 41) - 20;
    case 3:
        return (int)(test_random(chance) % 4401) - 2200;
    case 4:
        return whole_specials[test_random(chance) % KI_COUNT(whole_specials)];
    default:
        return (int)(uint32_t)test_random(chance);
    }
}

void maths_samples(struct maths_args *samples, bool single, uint64_t seed)
{
    size_t at, count;
    const struct maths_edge *edges = maths_edges(single, &count);

    for (at = 0; at < count; at++)
        samples[at] = (struct maths_args){.x = edges[at].x, .y = edges[at].y, .z = 1, .k = edges[at].k};
    at = add_specials(samples, at);
    for (; at < SCALAR_SAMPLES; at++) {
        double x = rounded(number(&seed, single), single);
        double y = rounded(partner(&seed, x, single), single);
        double z = test_random(&seed) % 2 ? number(&seed, single) : -x * y;

        samples[at] = (struct maths_args){.x = x, .y = y, .z = z, .k = whole(&seed, x, single)};
    }
    for (at = 0; at < SCALAR_SAMPLES; at++) {
        samples[at].single = single;
        samples[at].x = rounded((double)samples[at].x, single);
        samples[at].y = rounded((double)samples[at].y, single);
        samples[at].z = rounded((double)samples[at].z, single);
    }
}
