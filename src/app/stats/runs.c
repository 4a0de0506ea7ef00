// SPDX-License-Identifier: Apache-2.0
// The value of a rank is found by bisection over all doubles, taken as integers in their order: 64 steps, in each of
// which every run says by a binary search how many of its elements are at most the value in question.
#include "runs.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../../base/number.h"
#include "moments.h"

#define SIGN ((uint64_t)1 << 63)

static double double_of(uint64_t key)
{
    uint64_t bits = key & SIGN ? key ^ SIGN : ~key;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t key_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits & SIGN ? ~bits : bits ^ SIGN;
}

// How many elements of a sorted run count as "at most": the first index in [low, high) for which `beyond` holds.
typedef int beyond_function(double element, double limit, double median);

static size_t first_beyond(const double *run, size_t low, size_t high, beyond_function *beyond, double limit, double median)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (beyond(run[middle], limit, median))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int above(double element, double limit, double median)
{
    (void)median;
    return element > limit;
}

static int right_of_reach(double element, double limit, double median)
{
    return element > median && element - median > limit;
}

static int inside_or_right(double element, double limit, double median)
{
    return !(element < median && median - element > limit);
}

static size_t at_most(const double *run, size_t length, double limit, double median)
{
    (void)median;
    return first_beyond(run, 0, length, above, limit, 0);
}

// Deviations are compared as they are computed and rounded: |x - median| grows on both sides of the median.
static size_t deviating_at_most(const double *run, size_t length, double limit, double median)
{
    size_t left = first_beyond(run, 0, length, inside_or_right, limit, median);

    return first_beyond(run, left, length, right_of_reach, limit, median) - left;
}

typedef size_t count_function(const double *run, size_t length, double limit, double median);

static size_t count_all(const struct stats_runs *runs, count_function *count, double limit, double median)
{
    size_t total = 0;

    for (size_t first = 0; first < runs->count; first += runs->length) {
        size_t length = runs->count - first < runs->length ? runs->count - first : runs->length;
        total += count(runs->values + first, length, limit, median);
    }
    return total;
}

// The smallest value from `low` up of which more than `rank` elements are at most that.
static double of_rank(const struct stats_runs *runs, count_function *count, double lowest, size_t rank, double median)
{
    uint64_t low = key_of(lowest), high = key_of(INFINITY);

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (count_all(runs, count, double_of(middle), median) > rank)
            high = middle;
        else
            low = middle + 1;
    }
    return double_of(low);
}

static double middle_of(const struct stats_runs *runs, count_function *count, double lowest, double median)
{
    size_t n = runs->count;
    double lower = of_rank(runs, count, lowest, (n - 1) / 2, median);

    return n % 2 ? lower + 0.0 : kn_middle(lower, of_rank(runs, count, lowest, n / 2, median));
}

double stats_runs_median(const struct stats_runs *runs)
{
    return middle_of(runs, at_most, -INFINITY, 0);
}

double stats_runs_mad(const struct stats_runs *runs, double median)
{
    return middle_of(runs, deviating_at_most, 0.0, median);
}
