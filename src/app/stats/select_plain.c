// SPDX-License-Identifier: Apache-2.0
#include "select_plain.h"

#include <stdint.h>

#include "base/number.h"

enum { FEW = 16 };

static void insert_all(double *x, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double value = x[i];
        size_t position = i;

        for (; position > 0 && x[position - 1] > value; position--)
            x[position] = x[position - 1];
        x[position] = value;
    }
}

static double random_of(const double *x, size_t n, uint64_t *chance)
{
    *chance = *chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return x[(size_t)((double)(*chance >> 11) * 0x1p-53 * (double)n)];
}

// The middle one of three elements drawn at random, so that no order of the data is slow.
static double pivot_of(const double *x, size_t n, uint64_t *chance)
{
    double a = random_of(x, n, chance), b = random_of(x, n, chance), c = random_of(x, n, chance);
    double low = a < b ? a : b, high = a < b ? b : a;

    return c < low ? low : c < high ? c : high;
}

// Hoare's partition: everything before the returned position is at most the pivot, and the rest at least;
// neither part is empty.
static size_t divide(double *x, size_t n, double pivot)
{
    size_t low = 0, high = n - 1;

    for (;;) {
        while (x[low] < pivot)
            low++;
        while (x[high] > pivot)
            high--;
        if (low >= high)
            return low > 0 ? low : 1;
        double held = x[low];
        x[low++] = x[high];
        x[high--] = held;
    }
}

// Puts the element of this rank at its sorted position, lesser ones before and greater ones after it.
static void select_rank(double *x, size_t n, size_t rank)
{
    uint64_t chance = UINT64_C(0x9e3779b97f4a7c15);

    while (n > FEW) {
        size_t lows = divide(x, n, pivot_of(x, n, &chance));
        if (rank < lows) {
            n = lows;
        } else {
            x += lows;
            n -= lows;
            rank -= lows;
        }
    }
    insert_all(x, n);
}

double ki_stats_select_median(double *x, size_t n)
{
    double upper, lower;

    select_rank(x, n, n / 2);
    upper = x[n / 2];
    if (n % 2)
        return upper + 0.0;
    lower = x[0];
    for (size_t i = 1; i < n / 2; i++)
        lower = x[i] > lower ? x[i] : lower;
    return ki_middle(lower, upper);
}
