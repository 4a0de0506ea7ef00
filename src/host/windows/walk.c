// SPDX-License-Identifier: Apache-2.0
// Windows that move over a stretch in sorted order: each step begins where the one before ended.
#include "span.h"

#include <math.h>

#include "base/number.h"

// Whether the element of rank r lies in the window.
static inline bool holds(const struct window_walk *w, int64_t r)
{
    return w->span->order[r] - w->first < w->end - w->first;
}

// The window's next element of a higher or lower rank, or n or -1 if it has none.
static inline int64_t above(const struct window_walk *w, int64_t r)
{
    do
        r++;
    while (r < (int64_t)w->span->n && !holds(w, r));
    return r;
}

static inline int64_t below(const struct window_walk *w, int64_t r)
{
    do
        r--;
    while (r >= 0 && !holds(w, r));
    return r;
}

void ki_window_walk_begin(struct window_walk *walk, const struct window_span *span, size_t first,
                          bool wants_mad)
{
    *walk = (struct window_walk){.span = span,
                                 .first = (uint32_t)first,
                                 .end = (uint32_t)first,
                                 .wants_mad = wants_mad,
                                 .before = -1,
                                 .after = (int64_t)span->n};
}

// ---- elements that leave and enter ----

static inline void leave_nearest(struct window_walk *w, int64_t r)
{
    if (r == w->before)
        w->before = below(w, r);
    else if (r == w->after)
        w->after = above(w, r);
    else if (w->held > 0 && r >= w->low && r <= w->high) {
        w->held--;
        if (w->held > 0 && r == w->low)
            w->low = above(w, r);
        else if (w->held > 0 && r == w->high)
            w->high = below(w, r);
    }
}

static inline void join_nearest(struct window_walk *w, int64_t r)
{
    const int64_t low = w->held > 0 ? w->low : w->after, high = w->held > 0 ? w->high : w->before;

    if (r < low && r > w->before && (w->held > 0 || r > high))
        w->before = r;
    else if (r > high && r < w->after)
        w->after = r;
    else if (r >= low && r <= high)
        w->held++;
}

static inline void leave(struct window_walk *w)
{
    const int64_t r = w->span->rank[w->first++];

    w->below -= r < w->middle;
    w->nan_count -= r >= (int64_t)w->span->numbers;
    if (w->wants_mad)
        leave_nearest(w, r);
}

static inline void join(struct window_walk *w)
{
    const int64_t r = w->span->rank[w->end++];

    w->below += r < w->middle;
    w->nan_count += r >= (int64_t)w->span->numbers;
    if (w->wants_mad)
        join_nearest(w, r);
}

// ---- the median ----

static inline void settle_middle(struct window_walk *w)
{
    const int64_t wanted = (int64_t)(w->end - w->first - 1) / 2;

    while (w->below > wanted) {
        w->middle = below(w, w->middle);
        w->below--;
    }
    while (w->below < wanted || !holds(w, w->middle)) {
        w->below += holds(w, w->middle);
        w->middle = above(w, w->middle);
    }
}

// ---- the MAD ----

static inline double deviation(const struct window_walk *w, int64_t r, double median)
{
    return fabs(w->span->values[r] - median);
}

static inline void take_after(struct window_walk *w)
{
    w->high = w->after;
    w->after = above(w, w->after);
    w->held++;
}

static inline void take_before(struct window_walk *w)
{
    w->low = w->before;
    w->before = below(w, w->before);
    w->held++;
}

static inline void drop_low(struct window_walk *w)
{
    w->before = w->low;
    w->low = above(w, w->low);
    w->held--;
}

static inline void drop_high(struct window_walk *w)
{
    w->after = w->high;
    w->high = below(w, w->high);
    w->held--;
}

// At least one of the middle elements, of ranks `lower` and `upper`: deviations grow from there to both
// sides.
static inline void hold_middle(struct window_walk *w, int64_t lower, int64_t upper)
{
    if (w->held == 0) {
        w->low = w->high = lower;
        w->before = below(w, lower);
        w->after = above(w, lower);
        w->held = 1;
    }
    while (w->high < lower)
        take_after(w);
    while (w->low > upper)
        take_before(w);
}

static inline void hold_as_many(struct window_walk *w, int64_t lower, int64_t upper, double median,
                                int64_t wanted)
{
    while (w->held < wanted)
        if (w->after < (int64_t)w->span->n &&
            (w->before < 0 || !(deviation(w, w->before, median) < deviation(w, w->after, median))))
            take_after(w);
        else
            take_before(w);
    while (w->held > wanted)
        if (w->high <= lower ||
            (w->low < upper && deviation(w, w->low, median) > deviation(w, w->high, median)))
            drop_low(w);
        else
            drop_high(w);
}

static inline void hold_nearest(struct window_walk *w, double median)
{
    for (;;)
        if (w->after < (int64_t)w->span->n && deviation(w, w->after, median) < deviation(w, w->low, median)) {
            take_after(w);
            drop_low(w);
        } else if (w->before >= 0 && deviation(w, w->before, median) < deviation(w, w->high, median)) {
            take_before(w);
            drop_high(w);
        } else {
            return;
        }
}

static double settle_mad(struct window_walk *w, int64_t lower, int64_t upper, double median)
{
    const uint32_t count = w->end - w->first;
    double last, next = INFINITY;

    hold_middle(w, lower, upper);
    hold_as_many(w, lower, upper, median, (int64_t)(count - 1) / 2 + 1);
    hold_nearest(w, median);
    if (w->nan_count > 0 || !isfinite(median))
        return NAN;
    last = fmax(deviation(w, w->low, median), deviation(w, w->high, median));
    if (count % 2)
        return last;
    if (w->before >= 0)
        next = deviation(w, w->before, median);
    if (w->after < (int64_t)w->span->n)
        next = fmin(next, deviation(w, w->after, median));
    return ki_middle(last, next);
}

void ki_window_walk_to(struct window_walk *walk, size_t first, size_t end, double *median, double *mad)
{
    const double *values = walk->span->values;
    int64_t upper;

    while (walk->first < first && walk->first < walk->end)
        leave(walk);
    while (walk->end < end)
        join(walk);
    while (walk->first < first)
        leave(walk);
    settle_middle(walk);
    upper = (end - first) % 2 ? walk->middle : above(walk, walk->middle);
    *median = walk->nan_count > 0     ? NAN
              : upper == walk->middle ? values[upper] + 0.0
                                      : ki_middle(values[walk->middle], values[upper]);
    if (walk->wants_mad)
        *mad = settle_mad(walk, walk->middle, upper, *median);
}
