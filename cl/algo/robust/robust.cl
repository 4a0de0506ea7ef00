// SPDX-License-Identifier: Apache-2.0
// Sums and two brackets of a column in one read, from which the median and the median of |x - median| are selected (Floyd
// and Rivest 1975, for both at once). cl/algo/robust/robust_rank.cl and cl/algo/robust/robust_settle.cl do the rest.
//
// robust_lists takes a sample (one element of each of many strata) and sorts it in lists, of which every so many-th element
// is kept, so that SORT points come together. robust_brackets merges the points, and finds the two points, `reach` from the
// middle, between which the median lies, and the two distances from it between which the median of the distances lies,
// allowing for `reach` and for the error of the median together. robust_pass reads the column: it sums x - shift and its
// square in the fixed tree (lib/tree.clh), counts the elements below the bracket of the median and inside those of the
// distances, and keeps the elements in a bracket: in separate lists for the median and the distances if the brackets are
// apart, else in one. Elements equal to an end that occurs TIED times or more among the points are counted, not kept.
//
// Launch, in dimension 1 a group a column: robust_lists with a group a list and one for the shift, for each part of
// the column (`last` for the last of them); robust_brackets with one; robust_pass with any number of groups up to ceil(n / (4096 * LEAVES)).
// Cost: reads x once, and writes what it keeps. Tunables: GROUP and WIDTH as in cl/algo/reduce.cl; SORT_GROUP (work-items
// of the first two kernels); SORT (a power of two; these kernels take SORT elements of local memory, and a little more);
// SLOTS (elements that a work-item keeps before it writes them, above WIDTH); TEAM (work-items that write together); SIGNS
// (1: differences of floats keep denormals, so that their signs tell the order); STRAY (1: a column may begin anywhere);
// UNROLL (rows); REAL_BITS, ACC_SOFT.
#ifndef GROUP
#define GROUP 256
#endif
#ifndef SORT_GROUP
#define SORT_GROUP 256
#endif
#ifndef SORT
#define SORT 4096
#endif
#ifndef SLOTS
#if REAL_BITS == 64
#define SLOTS 16 // for a group of 256
#else
#define SLOTS 32
#endif
#endif
#ifndef TEAM
#define TEAM 8
#endif
#ifndef UNROLL
#if KN_CPU || ACC_SOFT
#define UNROLL 1
#else
#define UNROLL 2
#endif
#endif
#ifndef SIGNS
#define SIGNS 0
#endif
#ifndef STRAY
#define STRAY 0
#endif

#include "robust.clh"
#include "../../lib/sample.clh"
#include "../../lib/tree.clh"

#undef KEY_KIND // this file works on reals
#define KEY_KIND 2
#define sort_key real_key
#include "../../lib/local_sort.clh"
#include "../../lib/shift.clh"

// Elements of a sample that a work-item loads at once.
#define TAKEN 4

// An end that occurs this often among the points is taken to be one of many ties.
#define TIED 4

// ---- the brackets ----

// At least 8.
inline uint power_of_two(uint n)
{
    return n <= 8 ? 8 : 1u << (32 - (uint)clz(n - 1));
}

// Takes the samples from each part of a column, and from the last part the shift.
static inline void find_shift(__global const real *x, ulong first, ulong count, ulong n, __global real_key *sample, uint last,
                              __local real_key *key, __local uint *rank, __local real_key *chosen, __global column *to)
{
    uint item = (uint)get_local_id(0), samples = n < SHIFT_SAMPLES ? (uint)n : SHIFT_SAMPLES;

    for (uint i = item; i < samples; i += SORT_GROUP) {
        ulong position = sample_position(i, n);
        if (position >= first && position - first < count)
            sample[i] = AS_KEY(x[position - first]);
        key[i] = last ? sample_key(sample[i]) : 0;
    }
    choose_shift(key, samples, rank, chosen);
    if (item == 0 && last)
        to->shift = decode_key(*chosen);
}

// Of the n elements of the column, x[skip], ... are `count`, from number `first` on. The samples go to `sample`, a row of
// lists * size a column, with `size` (a power of two, at most SORT; SORT if there is one list) a list; the points go to
// `points`, a row of SORT a column. Zeroes the counters, too. `find` is ROBUST_SHIFT_FOUND: the column's shift is found as
// in cl/algo/moments.cl, with its samples in a row of SHIFT_SAMPLES of `shift_sample`; ROBUST_SHIFT_OF_EACH: `shift_sample`
// holds the columns' shifts one after the other; ROBUST_SHIFT_GIVEN: `shift` holds the bits of the shift of all columns.
__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
robust_lists(__global const real *x, ulong skip, ulong first, ulong count, ulong n, ulong stride,
             __global real_key *sample, uint size, __global real_key *points, uint last, __global uint *counters, ulong counter_count, uint find,
             ulong shift, __global real_key *shift_sample, __global column *columns)
{
    __local real_key key[POSITION(SORT)], chosen;
    __local uint rank[RANKS];
    uint item = (uint)get_local_id(0), list = (uint)get_group_id(0), lists = (uint)get_num_groups(0) - 1;
    ulong number = get_group_id(1);
    bool all = n < SORT; // with one list
    uint samples = all ? (uint)n : lists * size, own = all ? (uint)n : size, step = all ? 1 : lists * size / SORT;

    x += skip + number * stride;
    if (list == lists) { // uniform over the group
        if (find == ROBUST_SHIFT_FOUND)
            find_shift(x, first, count, n, shift_sample + number * SHIFT_SAMPLES, last, key, rank, &chosen, &columns[number]);
        else if (item == 0)
            columns[number].shift = find == ROBUST_SHIFT_OF_EACH ? shift_sample[number] : shift;
        return;
    }
    sample += (number * lists + list) * size;
    points += number * SORT;
    for (ulong i = (number * lists + list) * SORT_GROUP + item; i < counter_count;
         i += (ulong)lists * get_num_groups(1) * SORT_GROUP)
        counters[i] = 0;
    for (uint begin = item; begin < own; begin += TAKEN * SORT_GROUP) {
        real element[TAKEN];
        uint here = 0;
#pragma unroll
        for (uint k = 0; k < TAKEN; k++) { // all loads are in flight together
            ulong position = stratum_position((begin + k * SORT_GROUP) * lists + list, samples, n);
            bool is_here = begin + k * SORT_GROUP < own && position >= first && position - first < count;
            element[k] = is_here ? x[position - first] : 0;
            here |= is_here ? 1u << k : 0;
        }
#pragma unroll
        for (uint k = 0; k < TAKEN; k++)
            if (here >> k & 1)
                sample[begin + k * SORT_GROUP] = encode_key(AS_KEY(element[k] + 0));
    }
    if (!last) // uniform over the launch
        return;
    // Of this launch or an earlier one: no work-item reads another's.
    size = power_of_two(own);
    for (uint i = item; i < size; i += SORT_GROUP)
        key[POSITION(i)] = i < own ? sample[i] : REAL_KEY_MAX;
    sort_local(key, size);
    for (uint i = item; i < own / step; i += SORT_GROUP)
        points[list * (SORT / lists) + i] = key[POSITION(i * step + step / 2)];
}

// The value of rank `rank` among `count` keys, or an infinity if the rank is outside.
inline real point_at(__local const real_key *key, uint count, int rank)
{
    real inside = AS_REAL(decode_key(key[POSITION(clamp(rank, 0, (int)count - 1))]));

    return rank < 0 ? -(real)INFINITY : rank >= (int)count ? (real)INFINITY : inside;
}

// Combines two independent errors; infinite if one of them is. Where values repeat, as a sensor's do, errors are whole
// steps, and both are often as large as possible at once: then they add up.
inline real together(real a, real b, bool repeats)
{
    real great = fmax(a, b), least = fmin(a, b), part = least / great; // fmax and fmin of a NaN and a number are the number

    if (repeats)
        return great + least;
    return great > 0 && great < (real)INFINITY ? great * sqrt(1 + part * part) : great;
}

// Computes the brackets from `count` points, sorted in runs of `run`, and ranks in n elements.
__kernel __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
robust_brackets(__global const real_key *points, uint count, uint run, uint reach, ulong n, __global column *columns)
{
    __local real_key key[POSITION(SORT)];
    __local uint seen[ENDS];
    uint item = (uint)get_local_id(0), size = power_of_two(count), tied = 0;
    int lower = (int)(count - 1) / 2 - (int)reach, upper = (int)(count / 2 + reach);
    real end[ENDS];
    __global column *to = columns + get_group_id(1);

    points += get_group_id(1) * SORT;
    for (uint i = item; i < size; i += SORT_GROUP)
        key[POSITION(i)] = i < count ? points[i] : REAL_KEY_MAX;
    if (item == 0)
        for (uint e = 0; e < ENDS; e++)
            seen[e] = 0;
    merge_local(key, size, run);
    int middle_rank = (int)count / 2;
    real centre = point_at(key, count, middle_rank);
    bool repeats = point_at(key, count, middle_rank - 1) == centre || point_at(key, count, middle_rank + 1) == centre;
    end[0] = point_at(key, count, lower);
    end[1] = point_at(key, count, upper);
    barrier(CLK_LOCAL_MEM_FENCE);

    // The same for the distances from the centre; the median may differ from that centre.
    for (uint i = item; i < count; i += SORT_GROUP)
        key[POSITION(i)] = (real_key)key_of_element(fabs(AS_REAL(decode_key(key[POSITION(i)])) - centre));
    sort_valley(key, size);
    real off = fmax(end[1] - centre, centre - end[0]), middle = point_at(key, count, (int)count / 2);
    real near = point_at(key, count, lower), far = point_at(key, count, upper);
    near = fmax(middle - together(middle - near, off, repeats), (real)0);
    far = middle + together(far - middle, off, repeats);
    end[2] = centre - far;
    end[3] = centre - near;
    end[4] = centre + near;
    end[5] = centre + far;

    for (uint i = item; i < count; i += SORT_GROUP)
        for (uint e = 0; e < ENDS; e++)
            if (AS_REAL(decode_key(points[i])) == end[e])
                atomic_inc(&seen[e]);
#if SORT_GROUP > 1 // a single work-item need not wait; PoCL 6.0, if it does, never ends the loops above
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (uint e = 0; e < ENDS; e++)
        tied |= seen[e] >= TIED ? 1u << e : 0;
    if (item == 0) {
        ulong low = key_of_element(end[0]), high = key_of_element(end[1]);
        for (uint e = 0; e < ENDS; e++)
            to->end[e] = AS_KEY(end[e]);
        to->centre = AS_KEY(centre);
        to->near = AS_KEY(near);
        to->far = AS_KEY(far);
        to->target[0] = (n - 1) / 2;
        to->target[1] = n / 2;
        to->tied = tied;
        to->missed = 0;
        to->pivots = 0;
        to->apart = end[3] < end[0] && end[1] < end[4] && centre - end[0] < near && end[1] - centre < near;
        to->median = 0; // not known yet, but read with the rest
        to->level[0].low = low;
        to->level[0].before = 0;
        to->level[0].bits = high > low ? bits_of(high - low) : 0;
        to->level[0].unused = 0;
    }
}

// ---- the read ----

#if KN_CPU
#define SLOT(item, i) ((item) * SLOTS + (i))
#else
#define SLOT(item, i) ((i) * GROUP + (item)) // each work-item uses its own bank
#endif

// Ten bits for each end's ties, in two words.
#define TIE_WORD(e) ((e) / 3)
#define TIE_SHIFT(e) (10 * ((e) % 3))

// What a work-item counts in a leaf.
typedef struct {
    accw sums[2];
#if KN_CPU
    countw below, inner, ties[2];
#else
    float below, inner; // integers held as floats: the other units are busier
    uint under, inside; // more counts of the same two kinds
    uint ties[2];
#endif
    uint kept;
} tally;

inline void begin(tally *t)
{
    t->sums[0] = t->sums[1] = accw_zero();
#if KN_CPU
    t->below = t->inner = t->ties[0] = t->ties[1] = (countw)(0);
#else
    t->below = t->inner = 0;
    t->under = t->inside = t->ties[0] = t->ties[1] = 0;
#endif
    t->kept = 0;
}

// Where kept elements go.
typedef struct {
    __local real *slots;
    __local const real *bounds; // the bracket of the median
    __global uint *counters;
    __global real *candidates;
    ulong room;
} keeper;

// The median's elements fill the column's candidates from the beginning, those of the deviations from the end.
inline void write_one(const keeper *to, real x, uint question, ulong at)
{
    if (at < to->room)
        to->candidates[question == MEDIAN ? at : to->room - 1 - at] = x;
}

// The question to which an element belongs: MEDIAN for all if the brackets are not apart.
inline uint question_of(const keeper *to, real x)
{
    return x >= to->bounds[0] && x <= to->bounds[1] ? MEDIAN : DEVIATION;
}

// Moves the median's elements to the front, and returns their number.
static inline uint part_own(const keeper *to, uint item, uint kept)
{
    uint near = 0;

#pragma unroll 1
    for (uint i = 0; i < kept; i++) {
        real x = to->slots[SLOT(item, i)];
        if (question_of(to, x) == MEDIAN) {
            to->slots[SLOT(item, i)] = to->slots[SLOT(item, near)];
            to->slots[SLOT(item, near++)] = x;
        }
    }
    return near;
}

// Writes the elements one by one, where slots are full or there is no team.
static inline void write_own(const keeper *to, uint item, uint kept)
{
#pragma unroll 1
    for (uint i = 0; i < kept; i++) {
        real x = to->slots[SLOT(item, i)];
        uint question = question_of(to, x);
        write_one(to, x, question, atomic_inc(&to->counters[KEPT + question]));
    }
}

inline void make_room(const keeper *to, tally *t, uint elements)
{
    if (t->kept + elements > SLOTS) {
        write_own(to, (uint)get_local_id(0), t->kept);
        t->kept = 0;
    }
}

inline realw load_row(__global const real *x)
{
#if STRAY
    return KN_PASTE(vload, WIDTH)(0, x);
#else
    return *(__global const realw *)x;
#endif
}

#if KN_CPU

static inline void classify(realw row, const brackets *b, bool tied, const keeper *to, tally *t)
{
    union {
        realw vector;
        real element[WIDTH];
    } elements;
    union {
        countw vector;
        real_bits element[WIDTH];
    } keep;
    countw under = isless(row, (realw)(b->end[0])), after = isgreater(row, (realw)(b->end[3]));
    countw before = isless(row, (realw)(b->end[4]));
    uint item = (uint)get_local_id(0);

    t->below -= under;
    t->inner -= after & before;
    keep.vector = (islessequal(row, (realw)(b->end[1])) & ~under) |
                  (isgreaterequal(row, (realw)(b->end[2])) & ~after) |
                  (islessequal(row, (realw)(b->end[5])) & ~before);
    if (tied)
        for (uint e = 0; e < ENDS; e++)
            t->ties[TIE_WORD(e)] += isequal(row, (realw)(b->end[e])) & (countw)((real_bits)1 << TIE_SHIFT(e));
    if (!any(keep.vector))
        return;
    make_room(to, t, WIDTH);
    elements.vector = row;
    for (uint j = 0; j < WIDTH; j++) {
        real x = elements.element[j];
        to->slots[SLOT(item, t->kept)] = x;
        if (tied)
            t->kept += keep.element[j] && (is_kept(x, b, MEDIAN) || is_kept(x, b, DEVIATION));
        else
            t->kept -= (int)keep.element[j];
    }
}

// The counts of the leaf, in the order of the counters from BELOW on.
static inline void counts_of(const tally *t, uint seen[TIES + ENDS])
{
    union {
        countw vector;
        real_bits element[WIDTH];
    } below, inner, ties[2];

    below.vector = t->below;
    inner.vector = t->inner;
    ties[0].vector = t->ties[0];
    ties[1].vector = t->ties[1];
    for (uint c = 0; c < TIES + ENDS; c++)
        seen[c] = 0;
    for (uint j = 0; j < WIDTH; j++) {
        seen[BELOW] += (uint)below.element[j];
        seen[INNER] += (uint)inner.element[j];
        for (uint e = 0; e < ENDS; e++)
            seen[TIES + e] += (uint)(ties[TIE_WORD(e)].element[j] >> TIE_SHIFT(e)) & 1023;
    }
}

#else

// Without a branch: elements that are not kept are overwritten.
inline void classify_one(real x, const brackets *b, bool tied, const keeper *to, tally *t)
{
    bool under = x < b->end[0], after = x > b->end[3], before = x < b->end[4], keep;

    t->below += under ? 1.0f : 0.0f;
    t->inner += (after & before) ? 1.0f : 0.0f;
    keep = ((x <= b->end[1]) & !under) | ((x >= b->end[2]) & !after) | ((x <= b->end[5]) & !before);
    if (tied) {
#pragma unroll
        for (uint e = 0; e < ENDS; e++)
            t->ties[TIE_WORD(e)] += x == b->end[e] ? 1u << TIE_SHIFT(e) : 0;
        keep = keep && (is_kept(x, b, MEDIAN) || is_kept(x, b, DEVIATION));
    }
    to->slots[SLOT((uint)get_local_id(0), t->kept)] = x;
    t->kept += keep ? 1 : 0;
}

#if SIGNS

// The same for finite ends, brackets that are apart, no tied end and no NaN, by the signs of differences: this uses other
// units, of which there are more, than comparisons would. Rounding of the distance may move an element at an end of the
// distances' brackets to its other side, where it counts as well: robust_settle checks how far that can go.
inline void classify_by_signs(real x, const brackets *b, const keeper *to, tally *t)
{
    real distance = fabs(x - b->centre);
    uint under = as_uint(x - b->end[0]), inside = as_uint(distance - b->near);
    uint left = (under | as_uint(b->end[1] - x)) & (inside | as_uint(b->far - distance));

    t->under += under >> 31;
    t->inside += inside >> 31;
    to->slots[SLOT((uint)get_local_id(0), t->kept)] = x;
    t->kept += ~left >> 31;
}

#endif

static inline void classify(realw row, const brackets *b, bool tied, const keeper *to, tally *t)
{
#if SIGNS
    if (!tied) {
        classify_by_signs(row.s0, b, to, t);
        classify_by_signs(row.s1, b, to, t);
#if WIDTH == 4
        classify_by_signs(row.s2, b, to, t);
        classify_by_signs(row.s3, b, to, t);
#endif
        return;
    }
#endif
    classify_one(row.s0, b, tied, to, t);
    classify_one(row.s1, b, tied, to, t);
#if WIDTH == 4
    classify_one(row.s2, b, tied, to, t);
    classify_one(row.s3, b, tied, to, t);
#endif
}

static inline void counts_of(const tally *t, uint seen[TIES + ENDS])
{
    seen[NANS] = 0;
    seen[BELOW] = (uint)t->below + t->under;
    seen[INNER] = (uint)t->inner + t->inside;
#pragma unroll
    for (uint e = 0; e < ENDS; e++)
        seen[TIES + e] = t->ties[TIE_WORD(e)] >> TIE_SHIFT(e) & 1023;
}

#endif

// Rows are loaded several at a time, so that no load waits for the work on the row before.
static inline void take_whole_leaf(__global const real *x, real shift, const brackets *b, bool tied, const keeper *to,
                                   tally *t)
{
    for (uint row = 0; row < ROWS; row += UNROLL) {
        realw rows[UNROLL];
#pragma unroll
        for (uint i = 0; i < UNROLL; i++)
            rows[i] = load_row(x + (row + i) * TREE_LANES);
#if !KN_CPU
        make_room(to, t, UNROLL * WIDTH);
#endif
#pragma unroll
        for (uint i = 0; i < UNROLL; i++) {
            accw_take(rows[i], shift, t->sums);
            classify(rows[i], b, tied, to, t);
        }
    }
}

// With a check of each element; `again`: only the sums are wanted. Returns the number of NaN and of positions past the end.
static inline uint take_guarded(__global const real *x, ulong n, ulong start, real shift, const brackets *b, bool again,
                                const keeper *to, tally *t)
{
    union {
        countw vector;
        real_bits element[WIDTH];
    } nan;
    uint nans = 0;

    t->sums[0] = t->sums[1] = accw_zero();
    nan.vector = (countw)(0);
    for (uint row = 0; row < ROWS; row++) {
        realw elements = load_guarded(x, n, start + row * TREE_LANES, (real)NAN);
        countw is_nan = isnan(elements);
        nan.vector -= is_nan;
        accw_take(select(elements, (realw)(shift), is_nan), shift, t->sums);
        if (!again) {
            make_room(to, t, WIDTH);
            classify(elements, b, true, to, t);
        }
    }
    for (uint j = 0; j < WIDTH; j++)
        nans += (uint)nan.element[j];
    return nans;
}

// Writes what the group's work-items kept, one team after the other. position[question * GROUP + item] is the place of a
// work-item's elements among the group's, and then their number; total[question] is the group's number of elements, and
// total[2 + question] where they go.
static inline void write_kept(const keeper *to, uint kept, __local uint *position, __local uint *total)
{
    uint item = (uint)get_local_id(0);

#if TEAM == 1
    write_own(to, item, kept);
#else
    uint near = part_own(to, item, kept);
    position[item] = atomic_add(&total[MEDIAN], near) << 8 | near;
    position[GROUP + item] = atomic_add(&total[DEVIATION], kept - near) << 8 | (kept - near);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 2)
        total[2 + item] = total[item] ? atomic_add(&to->counters[KEPT + item], total[item]) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
    for (uint of = item / TEAM; of < GROUP; of += GROUP / TEAM) {
        uint first = position[of], second = position[GROUP + of], own = first & 255, all = own + (second & 255);
#pragma unroll 1
        for (uint i = item % TEAM; i < all; i += TEAM)
            write_one(to, to->slots[SLOT(of, i)], i < own ? MEDIAN : DEVIATION,
                      i < own ? (ulong)total[2] + (first >> 8) + i : (ulong)total[3] + (second >> 8) + i - own);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 2)
        total[item] = 0;
#endif
}

// Sets partial[2 * number * partials + first + i] to the sum of the leaves from i * LEAVES on of the n elements from x[skip
// + number * stride] on, and the same place one row further to that of their squares. candidates[number * room], ... take
// up to `room` of the kept elements.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
robust_pass(__global const real *x, ulong skip, ulong n, ulong stride, __global const column *columns, __global uint *counters,
            __global acc *partial, ulong first, ulong partials, __global real *candidates, ulong room)
{
    __local accw wide[GROUP];
    __local acc leaf[LEAVES];
    __local real slots[GROUP * SLOTS], bounds[2];
    __local uint position[2 * GROUP], total[4], counted[TIES + ENDS];
    uint item = (uint)get_local_id(0);
    ulong number = get_group_id(1), count = (n + LEAVES * TREE_LEAF - 1) / (LEAVES * TREE_LEAF);
    real shift = AS_REAL((real_key)columns[number].shift);
    brackets b = brackets_of(&columns[number]);
    bool careful = b.tied != 0 || !b.apart;
    keeper to;

#if SIGNS
    careful |= !isfinite(b.end[0]) | !isfinite(b.end[1])| !isfinite(b.end[2])| !isfinite(b.end[5]);
#endif
    x += skip + number * stride;
    partial += 2 * number * partials + first;
    to.slots = slots;
    to.bounds = bounds;
    if (item < 2)
        bounds[item] = columns[number].apart ? b.end[item] : item == 0 ? -(real)INFINITY : (real)INFINITY;
    to.counters = counters + number * COUNTERS;
    to.candidates = candidates + number * room;
    to.room = room;
    for (uint c = item; c < TIES + ENDS; c += GROUP)
        counted[c] = 0;
    if (item < 2)
        total[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = get_group_id(0); i < count; i += get_num_groups(0)) {
        ulong start = (i * LEAVES + item / ITEMS_PER_LEAF) * TREE_LEAF;
        bool whole = start + TREE_LEAF <= n;
        uint seen[TIES + ENDS], nans = 0;
        tally t;

        begin(&t);
        start += item % ITEMS_PER_LEAF * WIDTH;
        if (whole && careful)
            take_whole_leaf(x + start, shift, &b, true, &to, &t);
        else if (whole)
            take_whole_leaf(x + start, shift, &b, false, &to, &t);
        if (!whole || accw_is_nan(t.sums[0]))
            nans = take_guarded(x, n, start, shift, &b, whole, &to, &t);

        counts_of(&t, seen);
        seen[NANS] = nans;
#pragma unroll
        for (uint c = BELOW; c < TIES + ENDS; c++)
            if (seen[c])
                atomic_add(&counted[c], seen[c]);
        for (uint kind = 0; kind < 2; kind++) { // one after the other, to save local memory
            fold_group(t.sums + kind, 1, wide, leaf);
            if (item == 0)
                partial[kind * partials + i] = leaf[0];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        write_kept(&to, t.kept, position, total);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint c = BELOW + item; c < TIES + ENDS; c += GROUP)
        if (counted[c])
            atomic_add(&to.counters[c], counted[c]);
}
