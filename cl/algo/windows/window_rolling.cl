// SPDX-License-Identifier: Apache-2.0
// Medians and MADs of a window around every element (koine/window.h).
// The outputs are cut into spans, and the elements that the windows of a span cover are sorted
// (cl/algo/windows/window_sort.cl). In sorted order the middle of a window moves by about one of its elements from one
// window to the next (Suomela 2014: Median filtering is equivalent to sorting), and so do both ends of the interval that
// holds the half nearest to the median.
// Launch: a work-item a run of outputs.
// Cost: a run walks through the order of its span once, then reads some elements an output, more if the halves of a span
// differ.
// Tunables: REAL_BITS, MAD (1: MADs too, which take double precision).
#include "../../lib/real.clh"

#ifndef MAD
#define MAD 0
#endif

#if MAD || REAL_BITS == 64
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef double wide; // the type in which deviations are computed
#else
typedef float wide;
#endif

// A window [first, end) of the positions of a span, and the rank of its lower middle element; `under` of its elements have
// lower ranks.
typedef struct walk {
    __global const real *values; // by rank
    __global const uint *order, *rank;
    uint first, end;
    int length, numbers; // ranks, and those that are not NaN
    int middle, under, nans;
    // The elements nearest to the median are those of the window from rank `low` to `high`, `held` of them; `prior` and
    // `next` are the ranks of the window's neighbouring elements on either side, or -1 and length.
    int low, high, held, prior, next;
} walk;

inline bool holds(const walk *w, int r)
{
    return w->order[r] - w->first < w->end - w->first;
}

// The window's next element of a higher or lower rank, or length or -1 if it has none.
inline int above(const walk *w, int r)
{
    do
        r++;
    while (r < w->length && !holds(w, r));
    return r;
}

inline int below(const walk *w, int r)
{
    do
        r--;
    while (r >= 0 && !holds(w, r));
    return r;
}

// How many ranks are numbers: NaN come last.
inline int count_numbers(const walk *w)
{
    int least = 0, most = w->length;

    while (least < most) {
        int middle = least + (most - least) / 2;
        if (isnan(w->values[middle]))
            most = middle;
        else
            least = middle + 1;
    }
    return least;
}

// ---- the median ----

inline void settle_middle(walk *w)
{
    int wanted = (int)((w->end - w->first - 1) / 2);

    while (w->under > wanted) {
        w->middle = below(w, w->middle);
        w->under--;
    }
    while (w->under < wanted || !holds(w, w->middle)) {
        w->under += holds(w, w->middle);
        w->middle = above(w, w->middle);
    }
}

// Turns -0 into 0 by a comparison: Mesa's compiler drops an addition of 0.
inline wide without_sign_of_zero(wide x)
{
    return x == 0 ? 0 : x;
}

// The mean of two middle elements, without overflow; 0 for -0.
inline wide mean_of(wide lower, wide upper)
{
    wide sum = lower + upper;

    if (isinf(sum) && isfinite(lower) && isfinite(upper))
        return lower / 2 + upper / 2;
    return without_sign_of_zero(sum / 2);
}

// ---- the MAD ----

#if MAD
inline void leave_nearest(walk *w, int r)
{
    if (r == w->prior) {
        w->prior = below(w, r);
    } else if (r == w->next) {
        w->next = above(w, r);
    } else if (w->held > 0 && r >= w->low && r <= w->high) {
        w->held--;
        if (w->held > 0 && r == w->low)
            w->low = above(w, r);
        else if (w->held > 0 && r == w->high)
            w->high = below(w, r);
    }
}

inline void join_nearest(walk *w, int r)
{
    int low = w->held > 0 ? w->low : w->next, high = w->held > 0 ? w->high : w->prior;

    if (r < low && r > w->prior && (w->held > 0 || r > high))
        w->prior = r;
    else if (r > high && r < w->next)
        w->next = r;
    else if (r >= low && r <= high)
        w->held++;
}

inline double deviation(const walk *w, int r, double median)
{
    return fabs((double)w->values[r] - median);
}

inline void take_next(walk *w)
{
    w->high = w->next;
    w->next = above(w, w->next);
    w->held++;
}

inline void take_prior(walk *w)
{
    w->low = w->prior;
    w->prior = below(w, w->prior);
    w->held++;
}

inline void drop_low(walk *w)
{
    w->prior = w->low;
    w->low = above(w, w->low);
    w->held--;
}

inline void drop_high(walk *w)
{
    w->next = w->high;
    w->high = below(w, w->high);
    w->held--;
}

// At least one of the middle elements, of ranks `lower` and `upper`: deviations grow from there to both sides.
inline void hold_middle(walk *w, int lower, int upper)
{
    if (w->held == 0) {
        w->low = w->high = lower;
        w->prior = below(w, lower);
        w->next = above(w, lower);
        w->held = 1;
    }
    while (w->high < lower)
        take_next(w);
    while (w->low > upper)
        take_prior(w);
}

inline void hold_as_many(walk *w, int lower, int upper, double median, int wanted)
{
    while (w->held < wanted)
        if (w->next < w->length &&
            (w->prior < 0 || !(deviation(w, w->prior, median) < deviation(w, w->next, median))))
            take_next(w);
        else
            take_prior(w);
    while (w->held > wanted)
        if (w->high <= lower || (w->low < upper && deviation(w, w->low, median) > deviation(w, w->high, median)))
            drop_low(w);
        else
            drop_high(w);
}

inline void hold_nearest(walk *w, double median)
{
    for (;;)
        if (w->next < w->length && deviation(w, w->next, median) < deviation(w, w->low, median)) {
            take_next(w);
            drop_low(w);
        } else if (w->prior >= 0 && deviation(w, w->prior, median) < deviation(w, w->high, median)) {
            take_prior(w);
            drop_high(w);
        } else {
            return;
        }
}

inline double settle_mad(walk *w, int upper, double median)
{
    uint count = w->end - w->first;
    double last, next = INFINITY;

    hold_middle(w, w->middle, upper);
    hold_as_many(w, w->middle, upper, median, (int)(count - 1) / 2 + 1);
    hold_nearest(w, median);
    if (w->nans > 0 || !isfinite(median))
        return (double)NAN;
    last = fmax(deviation(w, w->low, median), deviation(w, w->high, median));
    if (count % 2)
        return last;
    if (w->prior >= 0)
        next = deviation(w, w->prior, median);
    if (w->next < w->length)
        next = fmin(next, deviation(w, w->next, median));
    return mean_of(last, next);
}
#endif

// ---- windows ----

inline void leave(walk *w)
{
    int r = (int)w->rank[w->first++];

    w->under -= r < w->middle;
    w->nans -= r >= w->numbers;
#if MAD
    leave_nearest(w, r);
#endif
}

inline void join(walk *w)
{
    int r = (int)w->rank[w->end++];

    w->under += r < w->middle;
    w->nans += r >= w->numbers;
#if MAD
    join_nearest(w, r);
#endif
}

// The first window of a run: its middle element is found by walking through the whole span.
inline void begin_walk(walk *w, uint first, uint end)
{
    int wanted = (int)((end - first - 1) / 2), r = 0;

    w->first = first;
    w->end = end;
    w->under = w->nans = 0;
    while (w->under < wanted || !holds(w, r)) {
        w->under += holds(w, r);
        r++;
    }
    w->middle = r;
    for (r = w->numbers; r < w->length; r++)
        w->nans += holds(w, r);
    w->held = 0;
}

// Output i covers the `width` elements from i - before on, as far as they exist. medians and mads may each be NULL; with
// MAD 0, mads is not used.
__kernel void window_roll(__global const real *values, __global const uint *order, __global const uint *rank, ulong n,
                          ulong first, ulong stride, ulong length, ulong width, ulong before, ulong spans, ulong run,
                          uint omit, wide divisor, uint wants_medians, __global real *medians, __global real *mads)
{
    ulong runs = (stride + run - 1) / run, id = get_global_id(0), span = id / runs;
    ulong begin = first + span * stride + (id - span * runs) * run;
    ulong stop = min(min(begin + run, first + (span + 1) * stride), n), origin = first + span * stride;
    walk w;

    if (span >= spans || begin >= stop)
        return;
    w.values = values + span * length;
    w.order = order + span * length;
    w.rank = rank + span * length;
    w.length = (int)length;
    w.numbers = count_numbers(&w);
    for (ulong i = begin; i < stop; i++) {
        // Positions in the span: element 0 of the column may come after the first, and element n before the last.
        ulong from = i - origin, to = from + width, zero = before > origin ? before - origin : 0;
        from = max(from, zero);
        to = min(to, n + before - origin);
        if (i == begin) {
            begin_walk(&w, (uint)from, (uint)to);
        } else {
            while (w.first < from)
                leave(&w);
            while (w.end < to)
                join(&w);
            settle_middle(&w);
        }
        int upper = (to - from) % 2 ? w.middle : above(&w, w.middle);
        wide median = upper == w.middle ? without_sign_of_zero(w.values[upper])
                                        : mean_of(w.values[w.middle], w.values[upper]);
        bool none = w.nans > 0 || (omit && to - from < width);
        if (wants_medians)
            medians[i] = none ? (real)NAN : (real)median;
#if MAD
        double mad = settle_mad(&w, upper, median);
        mads[i] = none ? (real)NAN : (real)(mad / divisor);
#endif
    }
}
