// SPDX-License-Identifier: Apache-2.0
// The median, or the median of |x - median|, among what robust_narrow of cl/algo/robust/robust_rank.cl gathered and counted
// (robust.clh explains the terms).
//
// robust_settle finds the ranks among the gathered keys, the counted ones and the tied ends, records whether they lie
// elsewhere, and prepares the next question. Two more groups fold the column's sums independently.
//
// Launch: a group a column, in dimension 1; or three, and then `partials` is 16 * GROUP at most. Cost: reads the gathered
// keys four times, from the device's cache. For columns of few elements, robust_settle_kept replaces everything after the
// read: it gathers all that was kept.
// Arguments: the five buffers, the question and its level, and for each buffer that has room for several columns the length
// of one column's part; a buffer of scalars would cost another copy to the device for every question.
// Tunables: GROUP (a power of two, not above the number of bins; 1: no atomics on local memory, for CPUs), DIGIT (log2 of
// bins), REAL_BITS, ACC_SOFT.
#include "window.clh"

#include "../../lib/tree.clh"

// Number of keys that a work-item loads before it looks at the first.
#if GROUP == 1
#define AHEAD 1
#else
#define AHEAD 4
#endif

// What is known of a column, in local memory because it is used again and again; `weight` belongs to the question's ends.
typedef struct {
    column of;
    uint counters[COUNTERS], weight[ENDS];
} local_column;

// One work-item copies the column as a whole: rusticl of Mesa 22.3 loses what is written to local memory as words and read as
// a structure. It ends with a barrier.
static inline void fetch(__local local_column *to, __global const column *of, __global const uint *counters)
{
    uint item = (uint)get_local_id(0);

    if (item == 0)
        to->of = *of;
    for (uint i = item; i < COUNTERS; i += GROUP)
        to->counters[i] = counters[i];
    barrier(CLK_LOCAL_MEM_FENCE);
}

// It begins with a barrier.
static inline void give_back(__global column *of, __local const local_column *from)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *of = from->of;
}

// It ends with a barrier.
static inline void weigh_ends(__local local_column *own, const brackets *b, uint question)
{
#pragma unroll
    for (uint e = 0; e < ENDS; e++)
        if ((uint)get_local_id(0) == e % GROUP)
            own->weight[e] = weight_of(b, own->counters[TIES + e], question, e);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Moves a key into the widest interval: comparisons may have taken denormals for 0.
inline ulong clamp_key(ulong key, interval widest)
{
    return min(max(key, widest.low), last_of(widest));
}

// Two pivots, and the ends of the question.
#define HEAPS (2 + 4)

// Each heap counts the keys below it in this many cells, so that neighbouring work-items do not wait for one cell.
#define CELLS 32

// Keys that occur often (heaps), and where the two ranks lie.
typedef struct {
    ulong key[HEAPS]; // 0 if there is none
    ulong count[HEAPS];
    uint below[HEAPS];          // number of gathered keys below it
    uint cell[HEAPS * CELLS];
    ulong rank[2], rank_key[2]; // among the gathered keys; if `known`, in a heap with this key
    uint known[2];
} heaps;

static inline void find_heap(__local heaps *h, uint k, __local const local_column *own, uint question, interval at,
                             bool all)
{
    __local const column *of = &own->of;
    uint e = question == MEDIAN ? k % 2 : k; // the end of heap k from 2 on

    ulong key, count;
    if (k < 2) {
        key = of->pivot[k];
        count = has_pivot(of->pivots, k) ? own->counters[EQUAL + 2 * question + k] : 0;
    } else {
        key = key_of(AS_REAL((real_key)of->end[e]), question, of->median);
        bool inside = !all && (question != MEDIAN || k < 4) && lies_in(clamp_key(key, of->level[0]), at);
        count = inside ? own->weight[e] : 0;
    }
    h->key[k] = count ? key : 0;
    h->count[k] = count;
}

static inline void add_cells(__local heaps *h, uint k)
{
    uint sum = 0;

    for (uint i = 0; i < CELLS && h->count[k]; i++) // the cells of an empty heap are not needed
        sum += h->cell[k * CELLS + (i + k) % CELLS]; // different heaps read different banks
    h->below[k] = sum;
}

// Whether rank `rank`, number `which`, lies in a heap.
static inline void seek_heap(__local heaps *h, uint which, ulong rank)
{
    ulong passed = 0, found = 0, all = 0;
    bool known = false;

    for (uint k = 0; k < HEAPS; k++)
        all += h->count[k];
    for (uint k = 0; k < HEAPS && all > 0; k++) {
        ulong begin = h->below[k];
        for (uint other = 0; other < HEAPS; other++)
            if (h->key[other] < h->key[k] || (h->key[other] == h->key[k] && other < k))
                begin += h->count[other];
        if (h->count[k] && rank >= begin && rank - begin < h->count[k]) {
            known = true;
            found = h->key[k];
        }
        passed += rank >= begin + h->count[k] ? h->count[k] : 0;
    }
    h->rank[which] = known ? rank : rank - passed;
    h->rank_key[which] = found;
    h->known[which] = known;
}

// Clears the heaps' cells, and sets up the heaps from the column.
static inline void open_heaps(__local heaps *h, __local const local_column *own, uint question, interval at, bool all)
{
    for (uint i = (uint)get_local_id(0); i < HEAPS * CELLS; i += GROUP)
        h->cell[i] = 0;
    for (uint k = (uint)get_local_id(0); k < HEAPS; k += GROUP)
        find_heap(h, k, own, question, at, all);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Loads a work-item's keys from number i on.
inline void load_keys(__global const ulong *gathered, uint i, uint n, ulong *key)
{
#pragma unroll
    for (uint k = 0; k < AHEAD; k++)
        key[k] = i + k * GROUP < n ? gathered[i + k * GROUP] : 0;
}

// Counts how many of the `n` gathered keys lie below each heap.
static inline void count_below(__local heaps *h, __global const ulong *gathered, uint n)
{
    uint item = (uint)get_local_id(0), below[HEAPS];
    ulong all = 0;

    for (uint k = 0; k < HEAPS; k++) {
        below[k] = 0;
        all += h->count[k];
    }
    n = all > 0 ? n : 0; // empty heaps need no counts
    for (uint i = item; i < n; i += AHEAD * GROUP) {
        ulong keys[AHEAD];
        load_keys(gathered, i, n, keys);
        for (uint j = 0; j < AHEAD; j++)
            for (uint k = 0; k < HEAPS && i + j * GROUP < n; k++)
                below[k] += keys[j] < h->key[k];
    }
    for (uint k = 0; k < HEAPS; k++)
        if (below[k])
            atomic_add(&h->cell[k * CELLS + item % CELLS], below[k]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = item; k < HEAPS; k += GROUP)
        add_cells(h, k);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Finds where two ranks of the interval lie.
static inline void seek_heaps(__local heaps *h, ulong first, ulong second)
{
    for (uint k = (uint)get_local_id(0); k < 2; k += GROUP)
        seek_heap(h, k, k == 0 ? first : second);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The keys of the two ranks: those in a heap are known. The second rank is equal to the first or the next; if neither lies
// in a heap, it is among the gathered keys. `alone` holds the keys there of the lowest rank sought, and of the next.
static inline void choose_keys(__local const heaps *h, const ulong *alone, ulong *key)
{
    key[0] = h->known[0] ? h->rank_key[0] : alone[0];
    key[1] = h->known[1] ? h->rank_key[1] : h->known[0] || h->rank[1] == h->rank[0] ? alone[0] : alone[1];
}

// Up to this many keys are compared with each other.
#define FEW 256

// Local memory of the search.
typedef struct {
    __local uint *bins, *sum, *found; // as in find_bins
    __local ulong *least;             // of each work-item, of two kinds
    __local ulong *few, *answer;
} workspace;

// The least of the group's values of each kind, least[kind * GROUP], ..., moves to the first of them, in steps of every so
// many-th. It begins and ends with a barrier.
#define LEAST_OF 32
static inline void find_least(__local ulong *least, uint kinds)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint count = GROUP, rest; count > 1; count = rest) {
        rest = (count + LEAST_OF - 1) / LEAST_OF;
        for (uint i = (uint)get_local_id(0); i < kinds * rest; i += GROUP) {
            uint first = i / rest * GROUP, at = i % rest;
            ulong own = least[first + at];
            for (uint other = at + rest; other < count; other += rest)
                own = min(own, least[first + other]);
            least[first + at] = own;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Shrinks the interval to the range from its least to its greatest key; if all are the same, no bits are left.
static inline void tighten(__global const ulong *gathered, uint n, interval *open, __local ulong *least)
{
    uint item = (uint)get_local_id(0);
    ulong lowest = 0xffffffffffffffffUL, highest = 0;

    for (uint i = item; i < n; i += AHEAD * GROUP) {
        ulong keys[AHEAD];
        load_keys(gathered, i, n, keys);
        for (uint k = 0; k < AHEAD; k++)
            if (i + k * GROUP < n && lies_in(keys[k], *open)) {
                lowest = min(lowest, keys[k]);
                highest = max(highest, keys[k]);
            }
    }
    least[item] = lowest;
    least[GROUP + item] = ~highest;
    find_least(least, 2);
    lowest = least[0];
    highest = ~least[GROUP];
    if (lowest <= highest) {
        open->low = lowest;
        open->bits = highest > lowest ? bits_of(highest - lowest) : 0;
    }
}

// Finds the keys of a rank and of the next among `n` gathered keys, `left` of which lie in `open`, including that of the
// rank: they are at most FEW, or all the same.
static inline void find_few(__global const ulong *gathered, uint n, interval open, uint left, ulong rank,
                            const workspace *work, ulong *key)
{
    __local uint *next = work->bins;
    __local ulong *few = work->few, *found = work->answer;
    uint item = (uint)get_local_id(0);
    ulong last = last_of(open), least = 0xffffffffffffffffUL;

    if (item == 0) {
        *next = 0;
        found[0] = found[1] = open.low;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < n; i += AHEAD * GROUP) {
        ulong keys[AHEAD];
        load_keys(gathered, i, n, keys);
        for (uint k = 0; k < AHEAD; k++)
            if (i + k * GROUP < n) {
                if (lies_in(keys[k], open))
                    few[min(atomic_inc(next), (uint)FEW - 1)] = keys[k];
                else if (keys[k] > last)
                    least = min(least, keys[k]);
            }
    }
    work->least[item] = least;
    find_least(work->least, 1);
    uint count = open.bits > 0 ? min(*next, (uint)FEW) : 0;
    for (uint i = item; i < count; i += GROUP) {
        uint lower = 0;
        for (uint other = 0; other < count; other++)
            lower += few[other] < few[i] || (few[other] == few[i] && other < i);
        if (lower == rank || lower == rank + 1)
            found[lower - rank] = few[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    key[0] = found[0];
    key[1] = rank + 1 < left ? found[1] : work->least[0];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // others have read the column, which is written next
}

// Finds the keys of a rank and of the next among `n` gathered keys, by digits until few are left.
static inline void find_keys(__global const ulong *gathered, uint n, interval at, ulong rank, const workspace *work,
                             ulong *key)
{
    uint item = (uint)get_local_id(0), left = n;
    interval open = {at.low, at.before, at.bits, 0}; // a copy: on rusticl, changes of `at` would reach the caller's

    while (open.bits > 0 && left > FEW) { // uniform over the group
        ulong ranks[2] = {rank, rank};
        window w;
        for (uint i = item; i < BINS; i += GROUP)
            work->bins[i] = 0;
        tighten(gathered, n, &open, work->least); // it begins with a barrier
        uint shift = shift_of(open.bits);
        set_window(&w, 0, 0xffffffffffffffffUL, &open);
        for (uint i = item; i < n && open.bits > 0; i += AHEAD * GROUP) {
            ulong keys[AHEAD];
            load_keys(gathered, i, n, keys);
            for (uint k = 0; k < AHEAD; k++)
                if (i + k * GROUP < n)
                    count_key(keys[k], &w, DEVIATION, 1, work->bins);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        find_bins(work->bins, work->sum, ranks, work->found);
        if (open.bits > 0) {
            open.low += (ulong)work->found[0] << shift;
            rank = work->found[1];
            left = work->found[2];
            open.bits = shift;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    find_few(gathered, n, open, left, rank, work, key);
}

inline acc end_of(__local const column *of, uint e)
{
    return acc_of(AS_REAL((real_key)of->end[e]));
}

// The median is known: finds between which distances the ends lie.
static inline void ask_deviation(__local column *of, const ulong *key)
{
    real lower = AS_REAL(decode_key((real_key)key[0])), upper = AS_REAL(decode_key((real_key)key[1]));
    acc median = acc_middle(lower, upper);
    ulong left[2], right[2], low, high;

    for (uint k = 0; k < 2; k++) { // the nearer first
        left[k] = key_of_distance(AS_REAL((real_key)of->end[3 - k]), median);
        right[k] = key_of_distance(AS_REAL((real_key)of->end[4 + k]), median);
    }
    bool within = !acc_less(median, end_of(of, 3)) && !acc_less(end_of(of, 4), median);
    low = within ? min(left[0], right[0]) : key_of_distance((real)0, ACC_ZERO);
    high = max(left[1], right[1]);
    of->median = median;
    of->level[0].low = low;
    of->level[0].before = 0;
    of->level[0].bits = high > low ? bits_of(high - low) : 0;
}

// Whether the answer's distances are right: no element counted as nearer is farther, and none left out as farther is
// nearer.
static inline bool is_verified(__local const local_column *own, const ulong *key, ulong n)
{
    __local const column *of = &own->of;
    __local const uint *counters = own->counters;
    acc median = of->median;
    ulong outside = n - counters[INNER] - of->total;
    bool right = true;

    if (counters[INNER]) {
        ulong left = key_of_distance(AS_REAL((real_key)of->end[3]), median);
        right = key[0] >= max(left, key_of_distance(AS_REAL((real_key)of->end[4]), median));
    }
    if (outside) {
        ulong left = key_of_distance(AS_REAL((real_key)of->end[2]), median);
        right = right && !acc_less(median, end_of(of, 2)) && !acc_less(end_of(of, 5), median) &&
                key[1] <= min(left, key_of_distance(AS_REAL((real_key)of->end[5]), median));
    }
    return right;
}

// Like fold_sums, for up to 16 nodes and one work-item.
inline acc fold_few(__global const acc *in, ulong count)
{
    acc part[TREE_FOLD_BY];

    for (uint i = 0; i < TREE_FOLD_BY; i++)
        part[i] = i < count ? in[i] : ACC_ZERO;
    fold_own(part);
    return acc_add(part[0], ACC_ZERO); // as if the other work-items had none
}

// The sum of `count` nodes of the fixed tree.
static inline void fold_sums(__global const acc *in, ulong count, __local acc *node, __global acc *out)
{
    uint item = (uint)get_local_id(0), first = 16 * item;
    acc part[16];

    for (uint i = 0; i < 16; i++)
        part[i] = first + i < count ? in[first + i] : ACC_ZERO;
    acc sum = fold_nodes(part, node);
    if (item == 0)
        *out = sum;
}

// The interval of what was gathered: keys below the widest interval are in its first bin, those above in its last.
static inline void widen(interval *at, __local const interval *widest)
{
    if (at->low == widest->low) {
        at->bits = bits_of(last_of(*at));
        at->low = 0;
    }
    if (last_of(*at) >= last_of(*widest))
        at->bits = bits_of(0xffffffffffffffffUL - at->low);
}

// What was asked about a column, and the room there is.
typedef struct {
    uint question;
    ulong gathered_room, room, n;
} inquiry;

// Whether more was kept or gathered than there is room for.
inline bool is_overfull(__local const uint *counters, const inquiry *of)
{
    ulong kept = (ulong)counters[KEPT + MEDIAN] + counters[KEPT + DEVIATION];

    return counters[GATHERED + of->question] > of->gathered_room || (of->room && kept > of->room);
}

// By one work-item: writes the answer, what to ask next, what comes with it, whether a bracket missed, and with the last
// answer all that the host waits for.
static inline void answer(__local local_column *here, bool missed, const inquiry *of, const ulong *key, __global result *to)
{
    __local column *own = &here->of;

    missed |= is_overfull(here->counters, of);
    own->answer[of->question][0] = key[0];
    own->answer[of->question][1] = key[1];
    if (of->question == MEDIAN)
        ask_deviation(own, key);
    else if (of->n > 0)
        missed |= !is_verified(here, key, of->n);
    if (missed)
        own->missed |= missed_bit(of->question);
    if (of->question == MEDIAN)
        return;
    to->shift = own->shift;
    for (uint k = 0; k < 2; k++) {
        to->answer[MEDIAN][k] = own->answer[MEDIAN][k];
        to->answer[DEVIATION][k] = key[k];
    }
    to->sum = own->sum;
    to->squares = own->squares;
    to->missed = own->missed;
    to->nans = here->counters[NANS];
}

// A work-item's elements from number i on; positions past the end read as NaN.
inline void load_kept(__global const real *x, ulong i, ulong n, real *element)
{
#pragma unroll
    for (uint k = 0; k < AHEAD; k++)
        element[k] = i + k * GROUP < n ? x[i + k * GROUP] : (real)NAN;
}

// Gathers the keys of the kept elements that concern the question, and returns their number. `all`: the question has its
// own list.
static inline uint gather_kept(__global const real *x, const brackets *b, const inquiry *of, __local const uint *counters,
                               ulong number, acc centre, __global ulong *gathered, __local uint *next)
{
    uint item = (uint)get_local_id(0);
    uint list = list_of(b, of->question);
    source from = source_of(list, counters[KEPT + list], 0, 0, of->room, number);
    bool all = b->apart;

    if (item == 0)
        *next = all ? (uint)from.n : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    x += from.first;
    for (ulong i = item; i < from.n; i += AHEAD * GROUP) {
        real element[AHEAD];
        load_kept(x, i, from.n, element);
        for (uint k = 0; k < AHEAD; k++) {
            ulong at = i + k * GROUP;
            bool kept = all ? at < from.n : is_kept(element[k], b, of->question);
            if (kept && !all)
                at = atomic_inc(next);
            if (kept && at < of->gathered_room)
                gathered[at] = key_of(element[k], of->question, centre);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return *next;
}

// Finds the two keys of the question among the `has` gathered in the interval `at`.
static inline void search(__local const local_column *own, const inquiry *of, interval at, __global const ulong *gathered,
                          uint has, __local heaps *h, const workspace *work, ulong *key)
{
    ulong alone[2];

    open_heaps(h, own, of->question, at, of->n == 0);
    count_below(h, gathered, has);
    seek_heaps(h, own->of.target[0] - at.before, own->of.target[1] - at.before);
    widen(&at, &own->of.level[0]);
    // It runs whether needed or not: PoCL 3.1 miscompiles a loop with barriers inside a condition.
    find_keys(gathered, has, at, h->known[0] ? h->rank[1] : h->rank[0], work, alone);
    choose_keys(h, alone, key);
}

// `level` is that of robust_narrow. n is the column's length; if it is not 0, sums[2 * column], ... go to the column when
// the median of the deviations is known, and what the host waits for goes to results[column]; if it is 0, there is nothing
// to verify. Groups beyond the first fold partial[row * partials], ... to sums[row], for row 2 * column and the next.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
robust_settle(__global column *columns, __global const uint *counters, uint question, uint level,
              __global const ulong *gathered, ulong gathered_room, ulong room, ulong n, __global const acc *partial,
              ulong partials, __global acc *sums, __global result *results)
{
    __local acc node[GROUP];
    __local uint bins[BINS], sum[SUMS], found[6];
    __local ulong least[2 * GROUP], few[FEW], chosen[2];
    __local heaps h;
    __local local_column here;
    const workspace work = {bins, sum, found, least, few, chosen};
    const inquiry of = {question, gathered_room, room, n};
    ulong number = get_group_id(1), key[2];

    if (get_group_id(0) > 0) { // uniform over the group
        ulong row = 2 * number + get_group_id(0) - 1;
        fold_sums(partial + row * partials, partials, node, sums + row);
        return;
    }
    columns += number;
    fetch(&here, columns, counters + number * COUNTERS);
    brackets b = brackets_of(columns);
    weigh_ends(&here, &b, question);
    gathered += number * gathered_room;
    uint has = (uint)min((ulong)here.counters[GATHERED + question], gathered_room);
    search(&here, &of, here.of.level[level], gathered, has, &h, &work, key);
    if (get_local_id(0) == 0) {
        if (question == DEVIATION && n > 0) {
            here.of.sum = sums[2 * number];
            here.of.squares = sums[2 * number + 1];
        }
        answer(&here, false, &of, key, &results[number]);
    }
    give_back(columns, &here);
}

// Everything for columns of which little was kept: both questions, one after the other, among the kept elements themselves,
// and the sums of up to 16 nodes each.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
robust_settle_kept(__global const column *columns, __global const uint *counters, __global const real *candidates, ulong room,
                   __global ulong *gathered, ulong gathered_room, ulong n, __global const acc *partial, ulong partials,
                   __global result *results)
{
    __local uint bins[BINS], sum[SUMS], found[6], next;
    __local ulong least[2 * GROUP], few[FEW], chosen[2];
    __local heaps h;
    __local local_column here;
    const workspace work = {bins, sum, found, least, few, chosen};
    ulong number = get_group_id(1);
    uint item = (uint)get_local_id(0);
    __local column *own = &here.of;

    columns += number;
    fetch(&here, columns, counters + number * COUNTERS);
    brackets b = brackets_of(columns);
    gathered += number * gathered_room;
    partial += 2 * number * partials;
    if (item == 0)
        own->sum = fold_few(partial, partials);
    if (item == 1 % GROUP)
        own->squares = fold_few(partial + partials, partials);
    for (uint question = MEDIAN; question <= DEVIATION; question++) {
        inquiry of = {question, gathered_room, room, n};
        interval at = own->level[0];
        ulong key[2], total;

        at.before = here.counters[question == MEDIAN ? BELOW : INNER];
        weigh_ends(&here, &b, question);
        uint has = gather_kept(candidates, &b, &of, here.counters, number, own->median, gathered, &next);
        total = has;
        for (uint e = 0; e < ENDS; e++)
            total += here.weight[e];
        search(&here, &of, at, gathered, (uint)min((ulong)has, gathered_room), &h, &work, key);
        if (item == 0) {
            bool outside = own->target[0] < at.before || own->target[1] - at.before >= total;
            here.counters[GATHERED + question] = has;
            own->total = total;
            answer(&here, outside, &of, key, &results[number]);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
