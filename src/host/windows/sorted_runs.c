// SPDX-License-Identifier: Apache-2.0
// Selection from sorted sequences: of k elements to pass over, each sequence looks at its share ahead. The
// one whose element there is the least passes over its share: no more than k elements can be before that
// element.
#include "sorted_runs.h"

#include <math.h>
#include <stdbool.h>

#include "base/number.h"

// An ascending sequence: elements of a run, upwards, or their deviations from a centre, to either side.
struct ascent {
    const double *next;
    ptrdiff_t step; // 1 or -1
    size_t left;
};

struct ascents {
    size_t count;
    bool deviate;
    double centre;
    struct ascent items[2 * MOST_RUNS];
};

// The value `ahead` elements on.
static inline double look(const struct ascents *a, size_t i, size_t ahead)
{
    const double element = a->items[i].next[(ptrdiff_t)ahead * a->items[i].step];

    return a->deviate ? fabs(element - a->centre) : element;
}

// Passes over the k least; k is less than the number of elements.
static void pass(struct ascents *a, size_t k)
{
    while (k > 0) {
        const size_t share = (k - 1) / a->count + 1;
        size_t chosen = a->count, taken = 0;
        double least = INFINITY;

        for (size_t i = 0; i < a->count; i++) {
            const size_t part = a->items[i].left < share ? a->items[i].left : share;
            double value;
            if (part == 0)
                continue;
            value = look(a, i, part - 1);
            if (chosen == a->count || value < least) {
                chosen = i;
                taken = part;
                least = value;
            }
        }
        a->items[chosen].next += (ptrdiff_t)taken * a->items[chosen].step;
        a->items[chosen].left -= taken;
        k -= taken;
    }
}

// Where the least element is that was not passed over.
static size_t find_least(const struct ascents *a)
{
    size_t chosen = a->count;

    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].left > 0 && (chosen == a->count || look(a, i, 0) < look(a, chosen, 0)))
            chosen = i;
    return chosen;
}

// The least of the rest, and the one behind it.
static void take_two(struct ascents *a, double *element, double *next)
{
    size_t i = find_least(a);

    *element = *next = look(a, i, 0);
    a->items[i].next += a->items[i].step;
    a->items[i].left--;
    i = find_least(a);
    if (i < a->count)
        *next = look(a, i, 0);
}

static void ascend(const struct sorted_runs *runs, struct ascents *a)
{
    a->count = runs->count;
    a->deviate = false;
    for (size_t i = 0; i < runs->count; i++)
        a->items[i] = (struct ascent){runs->items[i].elements, 1, runs->items[i].count};
}

void ki_sorted_runs_pick(const struct sorted_runs *runs, size_t rank, double *element, double *next)
{
    struct ascents a;

    ascend(runs, &a);
    pass(&a, rank);
    take_two(&a, element, next);
}

// The median, and of each run how many elements are before it.
static double split(const struct sorted_runs *runs, size_t before[MOST_RUNS])
{
    struct ascents a;
    double lower = -INFINITY, upper;

    ascend(runs, &a);
    pass(&a, runs->n / 2);
    upper = look(&a, find_least(&a), 0);
    for (size_t i = 0; i < runs->count; i++) {
        before[i] = runs->items[i].count - a.items[i].left;
        if (before[i] > 0 && a.items[i].next[-1] > lower)
            lower = a.items[i].next[-1];
    }
    return runs->n % 2 ? upper + 0.0 : ki_middle(lower, upper);
}

void ki_sorted_runs_median_mad(const struct sorted_runs *runs, double *median, double *mad)
{
    size_t before[MOST_RUNS];
    struct ascents a = {2 * runs->count, true, split(runs, before), {{NULL, 0, 0}}};
    double last, next;

    *median = a.centre;
    *mad = NAN;
    if (!isfinite(a.centre))
        return;
    for (size_t i = 0; i < runs->count; i++) {
        const double *middle = runs->items[i].elements + before[i];
        a.items[2 * i] = (struct ascent){middle - 1, -1, before[i]};
        a.items[2 * i + 1] = (struct ascent){middle, 1, runs->items[i].count - before[i]};
    }
    pass(&a, (runs->n - 1) / 2);
    take_two(&a, &last, &next);
    *mad = runs->n % 2 ? last : ki_middle(last, next);
}
