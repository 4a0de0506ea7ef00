// SPDX-License-Identifier: Apache-2.0
// How lengths are cut into radices, work-items and passes.
#include "fft.h"

#include <math.h>

#include "base/array.h"

// Radices of cl/lib/fft.clh. Primes are used even where a work-item should hold fewer points.
static const struct {
    unsigned radix;
    bool prime;
} radices[] = {{16, false}, {15, false}, {14, false}, {13, true}, {12, false},
               {11, true},  {10, false}, {9, false},  {8, false}, {7, true},
               {6, false},  {5, true},   {4, false},  {3, true},  {2, true}};

bool ki_fft_is_smooth(size_t n)
{
    static const unsigned primes[] = {2, 3, 5, 7, 11, 13};

    for (size_t i = 0; i < KI_COUNT(primes); i++)
        while (n % primes[i] == 0 && n > 1)
            n /= primes[i];
    return n == 1;
}

size_t ki_fft_line_bytes(const struct fft_cut *cut, const struct fft_bounds *bounds)
{
    size_t points = cut->points,
           unused = bounds->banks && cut->radices[0] % 2 == 0 ? (points - 1) / cut->radices[0] : 0;

    return ((points + unused) | 1) * bounds->number;
}

static unsigned rounds(unsigned points, unsigned radix, unsigned items)
{
    return (points / radix + items - 1) / items;
}

static unsigned held_by(const struct fft_cut *cut, unsigned items)
{
    unsigned held = 0;

    for (unsigned s = 0; s < cut->stages; s++) {
        unsigned holds = rounds(cut->points, cut->radices[s], items) * cut->radices[s];
        held = holds > held ? holds : held;
    }
    return held;
}

// The number of register slots that all stages work on, including empty ones.
static unsigned long work_of(const struct fft_cut *cut, unsigned items)
{
    unsigned long work = 0;

    for (unsigned s = 0; s < cut->stages; s++)
        work += (unsigned long)rounds(cut->points, cut->radices[s], items) * cut->radices[s] * items;
    return work;
}

// The number of work-items with the least work, the smallest of those. False if none is within the bounds.
static bool choose_items(struct fft_cut *cut, const struct fft_bounds *bounds, unsigned long *least)
{
    unsigned held = bounds->held, last;
    bool found = false;

    for (unsigned s = 0; s < cut->stages; s++) // at least one butterfly
        held = cut->radices[s] > held ? cut->radices[s] : held;
    last = 2 * (cut->points / held) + 1;
    for (unsigned items = 1; items <= last && items <= bounds->items; items++) {
        if (held_by(cut, items) > held || (found && work_of(cut, items) >= *least))
            continue;
        *least = work_of(cut, items);
        cut->items = items;
        found = true;
    }
    return found;
}

struct search {
    const struct fft_bounds *bounds;
    struct fft_cut best;
    bool found;
    unsigned long work;
    unsigned sum;
};

// Fewer stages are better, then less work, then radices closer to one another.
static void consider(struct search *search, struct fft_cut *cut)
{
    unsigned long work = 0;
    unsigned sum = 0;

    for (unsigned s = 0; s < cut->stages; s++)
        sum += cut->radices[s];
    if (ki_fft_line_bytes(cut, search->bounds) > search->bounds->local ||
        !choose_items(cut, search->bounds, &work))
        return;
    if (search->found && (cut->stages > search->best.stages ||
                          (cut->stages == search->best.stages &&
                           (work > search->work || (work == search->work && sum >= search->sum)))))
        return;
    search->best = *cut;
    search->found = true;
    search->work = work;
    search->sum = sum;
}

// Appends radices from radices[first] on, whose product is `rest`.
static void extend(struct search *search, struct fft_cut *cut, size_t first, unsigned rest)
{
    if (rest == 1) {
        consider(search, cut);
        return;
    }
    if (cut->stages == FFT_MAX_RADICES || (search->found && cut->stages >= search->best.stages))
        return;
    for (size_t i = first; i < KI_COUNT(radices); i++) {
        unsigned radix = radices[i].radix;
        if (rest % radix || (radix > search->bounds->held && !radices[i].prime))
            continue;
        cut->radices[cut->stages++] = radix;
        extend(search, cut, i, rest / radix);
        cut->stages--;
    }
}

bool ki_fft_cut_line(size_t points, const struct fft_bounds *bounds, struct fft_cut *cut)
{
    struct search search = {.bounds = bounds};
    struct fft_cut trial = {.points = (unsigned)points};

    if (points > bounds->points || points > UINT32_MAX / 2 || !ki_fft_is_smooth(points))
        return false;
    if (points == 1) {
        *cut = (struct fft_cut){1, 1, {1}, 1};
        return true;
    }
    extend(&search, &trial, 0, (unsigned)points);
    if (search.found)
        *cut = search.best;
    return search.found;
}

bool ki_fft_split_line(size_t n, unsigned parts, const struct fft_bounds *bounds, struct fft_cut *cuts)
{
    if (parts == 1)
        return ki_fft_cut_line(n, bounds, cuts);
    for (size_t i = (size_t)(pow((double)n, 1.0 / parts) + 1e-9); i > 1; i--)
        if (n % i == 0 && ki_fft_cut_line(i, bounds, &cuts[parts - 1]) &&
            ki_fft_split_line(n / i, parts - 1, bounds, cuts))
            return true;
    return false;
}

size_t ki_fft_chirp_length(size_t n)
{
    size_t length = 2 * n - 1;

    for (;; length++) {
        size_t rest = length;
        while (rest % 2 == 0)
            rest /= 2;
        while (rest % 3 == 0)
            rest /= 3;
        while (rest % 5 == 0)
            rest /= 5;
        // Powers of two make the fewest passes through local memory.
        if (rest == 1 && (length < 16 || length % 16 == 0))
            return length;
    }
}
