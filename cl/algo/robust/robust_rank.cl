// SPDX-License-Identifier: Apache-2.0
// The median, and then the median of |x - median|, among what cl/algo/robust/robust.cl kept of a column, or by digits in
// the whole column (robust.clh explains the terms).
//
// robust_bins counts the elements by the value of their highest open digit in an interval of keys: at level 0 one known to
// hold the ranks, otherwise the bins of the level before in which the ranks lie (every group finds them for itself).
// robust_narrow reads the elements once more and gathers the keys of those bins, except for two that are likely to occur
// often: robust_bins chose a representative of each bin, whose equals are counted. cl/algo/robust/robust_settle.cl finds
// the ranks among what was gathered.
//
// Launch, in dimension 1 a group a column, with any number of groups: robust_bins (more than one level where the whole
// column is read), then robust_narrow. Cost: a read each of what was kept.
// Tunables: GROUP (a power of two, not above the number of bins; 1: no atomics on local memory, for CPUs), DIGIT (log2 of
// bins), AHEAD (elements that a work-item of many loads before it looks at the first), REAL_BITS, ACC_SOFT.
#include "window.clh"

#ifndef AHEAD
#if GROUP == 1
#define AHEAD 1
#else
#define AHEAD 8
#endif
#endif

// Returns as an interval the bins of the table's interval in which the two ranks lie; found[0] and found[3] are the first
// and the last bin; *total is the number of elements in the table. False if a rank lies elsewhere.
static inline bool pick(__global const uint *table, interval *at, __global const ulong *target, __local uint *count,
                        __local uint *sum, __local uint *found, uint *total)
{
    uint shift = shift_of(at->bits);
    ulong rank[2] = {target[0] - at->before, target[1] - at->before};
    bool inside = target[0] >= at->before;

    for (uint i = (uint)get_local_id(0); i < BINS; i += GROUP)
        count[i] = table[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    *total = find_bins(count, sum, rank, found);
    at->low += (ulong)found[0] << shift;
    at->before += rank[0] - found[1];
    at->bits = bits_of((((ulong)found[3] - found[0] + 1) << shift) - 1);
    return inside && rank[1] < *total;
}

// Where a work-item begins, and where it ends.
#if GROUP == 1
#define SHARE(i, end, n)                                                                                               \
    ulong i = (n) * get_group_id(0) / get_num_groups(0), end = (n) * (get_group_id(0) + 1) / get_num_groups(0)
#define STEP 1
#else
#define SHARE(i, end, n) ulong i = get_global_id(0), end = (n)
#define STEP get_global_size(0)
#endif

// Positions past the end read as NaN, which are never counted.
inline void load_ahead(__global const real *x, ulong i, ulong end, real *element)
{
    if (i + (AHEAD - 1) * STEP < end) {
#pragma unroll
        for (uint k = 0; k < AHEAD; k++)
            element[k] = x[i + k * STEP];
    } else {
#pragma unroll
        for (uint k = 0; k < AHEAD; k++)
            element[k] = i + k * STEP < end ? x[i + k * STEP] : (real)NAN;
    }
}

// PoCL 3.1 miscompiles loops inside a condition.
#if GROUP == 1
#define IS_ONE_LIST(of) false
#else
#define IS_ONE_LIST(of) ((of).all)
#endif

// The question that is asked about each element. Where work-items share the work, `question` and `all` (all elements that
// are read take part) are constants, because the functions that use them are inlined for each value.
typedef struct {
    brackets b;
    window w;
    acc centre;
    uint question;
    bool all;
} inquiry;

inline inquiry inquiry_of(__global const column *own, ulong room)
{
    inquiry of;

    of.b = brackets_of(own);
    of.centre = own->median;
    of.all = room == 0 || of.b.apart;
    return of;
}

inline bool is_asked(real x, const inquiry *of)
{
    return of->all ? !isnan(x) : is_kept(x, &of->b, of->question);
}

// `stands`: the element represents its bin, as number `number`.
inline void count_element(real x, const inquiry *of, bool stands, uint number, __local uint *bins)
{
    if (!is_asked(x, of))
        return;
    ulong key = key_of(x, of->question, of->centre);
    if (!lies_in_window(key, &of->w, of->question))
        return;
    uint digit = digit_of(key, &of->w, of->question);
    count_digit(digit, 1, bins);
    if (stands)
        represent(digit, number, bins);
}

// In each run of this many loads, one element may represent its bin; neighbouring work-items choose different ones.
#define REPRESENTED 4

static inline void count_elements(__global const real *x, ulong n, inquiry of, uint question, bool all, uint first,
                                  __local uint *bins)
{
    uint turn = AHEAD < REPRESENTED ? 0 : (uint)get_local_id(0) / 32 % REPRESENTED;
    SHARE(i, end, n);

    of.question = question;
    of.all = all;
    for (; i < end; i += AHEAD * STEP) {
        real element[AHEAD];
        load_ahead(x, i, end, element);
#pragma unroll
        for (uint k = 0; k < AHEAD; k++)
            count_element(element[k], &of, first && k % REPRESENTED == turn, (uint)(i + k * STEP) + 1, bins);
    }
}

// With `room`, counts the kept elements (x + number * room); without it, n elements of the column from x[skip] on. The
// counters of all columns are followed by `tables` tables for each; table question + level is filled. `first`:
// representatives are taken from here.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
robust_bins(__global const real *x, ulong skip, ulong n, ulong room, __global column *columns, __global uint *counters,
            ulong tables, uint question, uint level, uint first)
{
    __local uint bins[TABLE], sum[SUMS], found[6];
    ulong number = get_group_id(1);
    uint item = (uint)get_local_id(0), total;
    __global column *own = columns + number;
    interval at = own->level[level == 0 ? 0 : level - 1], widest = own->level[0];
    inquiry of = inquiry_of(own, room);

    __global uint *table = counters + get_num_groups(1) * COUNTERS + (number * tables + question + level) * TABLE;
    counters += number * COUNTERS;
    if (level > 0) {
        at.before += level == 1 && room ? counters[question == MEDIAN ? BELOW : INNER] : 0;
        pick(table - TABLE, &at, own->target, bins, sum, found, &total);
        if (get_group_id(0) == 0 && item == 0)
            own->level[level] = at;
    }
    for (uint i = item; i < TABLE; i += GROUP)
        bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint list = list_of(&of.b, question);
    source from = source_of(list, counters[KEPT + list], skip, n, room, number);
    x += from.first;
    set_window(&of.w, widest.low, last_of(widest), &at);
    if (!IS_ONE_LIST(of))
        count_elements(x, from.n, of, question, of.all, first, bins);
    else if (question == MEDIAN)
        count_elements(x, from.n, of, MEDIAN, true, first, bins);
    else
        count_elements(x, from.n, of, DEVIATION, true, first, bins);
    if (room && get_group_id(0) == 0 && item == 0)
#pragma unroll
        for (uint e = 0; e < ENDS; e++) {
            uint weight = weight_of(&of.b, counters[TIES + e], question, e);
            if (weight)
                count_key(key_of(of.b.end[e], question, of.centre), &of.w, question, weight, bins);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < BINS; i += GROUP) {
        if (bins[i])
            atomic_add(&table[i], bins[i]);
        if (bins[BINS + i])
            atomic_max(&table[BINS + i], bins[BINS + i]);
    }
}

// Keys that may occur often: which of them exist (has_pivot), and how often a work-item met them.
typedef struct {
    ulong key[2];
    uint has, met[2];
} pivots;

// Where gathered keys go, and their number.
typedef struct {
    __global ulong *keys;
    __global uint *count;
    ulong room;
} gatherer;

// Few keys lie in the window, so whether the element takes part is checked last.
static inline void gather_element(real x, const inquiry *of, pivots *p, const gatherer *to)
{
    ulong key = key_of(x, of->question, of->centre);

    if (!lies_in_window(key, &of->w, of->question) || !is_asked(x, of))
        return;
    if (has_pivot(p->has, 0) && key == p->key[0]) {
        p->met[0]++;
    } else if (has_pivot(p->has, 1) && key == p->key[1]) {
        p->met[1]++;
    } else {
        uint at = atomic_inc(to->count);
        if (at < to->room)
            to->keys[at] = key;
    }
}

// Like count_elements.
static inline void gather_elements(__global const real *x, ulong n, inquiry of, uint question, bool all, pivots *p,
                                   const gatherer *to)
{
    SHARE(i, end, n);

    of.question = question;
    of.all = all;
    for (; i < end; i += AHEAD * STEP) {
        real element[AHEAD];
        load_ahead(x, i, end, element);
#pragma unroll
        for (uint k = 0; k < AHEAD; k++)
            gather_element(element[k], &of, p, to);
    }
}

// Like robust_bins, whose table is that of the level before. `head` is the first part of the column (or what was kept, if
// `room`), which holds the representatives. gathered[number * gathered_room], ... take up to gathered_room keys.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
robust_narrow(__global const real *x, ulong skip, ulong n, ulong room, __global column *columns, __global uint *counters,
              ulong tables, uint question, uint level, uint first, __global const real *head,
              __global ulong *gathered, ulong gathered_room)
{
    __local uint count[BINS], sum[SUMS], found[6], equal[2];
    ulong number = get_group_id(1);
    uint item = (uint)get_local_id(0), total;
    pivots p = {{0, 0}, 0, {0, 0}};
    __global column *own = columns + number;
    interval at = own->level[level - 1], widest = own->level[0];
    inquiry of = inquiry_of(own, room);

    __global const uint *table =
        counters + get_num_groups(1) * COUNTERS + (number * tables + question + level - 1) * TABLE;
    counters += number * COUNTERS;
    gathered += number * gathered_room;
    at.before += level == 1 && room ? counters[question == MEDIAN ? BELOW : INNER] : 0;
    bool inside = pick(table, &at, own->target, count, sum, found, &total);
    uint list = list_of(&of.b, question);
    source from = source_of(list, counters[KEPT + list], skip, n, room, number);
    for (uint k = 0; k < 2; k++) {
        uint representative = table[BINS + found[3 * k]];
        if (representative && (k == 0 || found[3] != found[0])) {
            p.has |= 1u << k;
            p.key[k] = key_of(head[(room ? from.first : 0) + representative - 1], question, of.centre);
        }
    }
    if (item == 0)
        equal[0] = equal[1] = 0;
    if (get_group_id(0) == 0 && item == 0 && first) {
        own->level[level] = at;
        own->total = total;
        own->pivot[0] = p.key[0];
        own->pivot[1] = p.key[1];
        own->pivots = p.has;
        if (!inside)
            own->missed |= missed_bit(question);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    gatherer to = {gathered, &counters[GATHERED + question], gathered_room};
    x += from.first;
    set_window(&of.w, widest.low, last_of(widest), &at);
    if (!IS_ONE_LIST(of))
        gather_elements(x, from.n, of, question, of.all, &p, &to);
    else if (question == MEDIAN)
        gather_elements(x, from.n, of, MEDIAN, true, &p, &to);
    else
        gather_elements(x, from.n, of, DEVIATION, true, &p, &to);
    for (uint k = 0; k < 2; k++)
        if (p.met[k])
            atomic_add(&equal[k], p.met[k]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        for (uint k = 0; k < 2; k++)
            if (equal[k])
                atomic_add(&counters[EQUAL + 2 * question + k], equal[k]);
}
