// SPDX-License-Identifier: Apache-2.0
// The median, or the median of |x - median|, among what robust_narrow of cl/robust_rank.cl gathered and counted
// (lib/robust.clh has the words).
//
// robust_settle finds the ranks among what was gathered, what was counted and the ends that are tied; says if they lay
// elsewhere; and prepares the next question.
//
// Launch: a group a column, in dimension 1. Cost: reads what was gathered three times, from the device's cache.
// Tunables: GROUP (a power of two, not above the number of bins; 1: no atomics on local memory, for CPUs), DIGIT (log2 of
// bins), REAL_BITS, ACC_SOFT.
#include "lib/window.clh"

// How many keys a work-item loads before it looks at the first.
#if GROUP == 1
#define AHEAD 1
#else
#define AHEAD 4
#endif

// A key as far into the widest interval as it must be: comparisons may have taken denormals for 0.
inline ulong clamp_key(ulong key, interval widest)
{
    return min(max(key, widest.low), last_of(widest));
}

// Two pivots, and the ends of the question.
#define HEAPS (2 + 4)

// Keys of which there are many.
typedef struct {
    ulong key[HEAPS];
    ulong count[HEAPS];
    uint below[HEAPS]; // how many of those gathered
} heaps;

static inline void find_heap(__local heaps *h, uint k, __global const column *of, __global const uint *counters,
                             uint question, interval at, bool all)
{
    uint e = question == MEDIAN ? k % 2 : k; // the end of heap k from 2 on

    h->below[k] = 0;
    if (k < 2) {
        h->key[k] = of->pivot[k];
        h->count[k] = of->pivots >> k & 1 ? counters[EQUAL + 2 * question + k] : 0;
        return;
    }
    ulong key = key_of(AS_REAL((real_key)of->end[e]), question, of->median);
    bool inside = !all && (question != MEDIAN || k < 4) && lies_in(clamp_key(key, of->level[0]), at);
    h->key[k] = key;
    h->count[k] = inside ? weight_of(of, counters, question, e) : 0;
}

// Whether rank `rank` lies in a heap: its key. If not, the rank among those gathered.
static inline bool lies_in_heap(__local const heaps *h, ulong *rank, ulong *key)
{
    ulong passed = 0;

    for (uint k = 0; k < HEAPS; k++) {
        ulong begin = h->below[k];
        for (uint other = 0; other < HEAPS; other++)
            if (h->key[other] < h->key[k] || (h->key[other] == h->key[k] && other < k))
                begin += h->count[other];
        if (h->count[k] && *rank >= begin && *rank - begin < h->count[k]) {
            *key = h->key[k];
            return true;
        }
        passed += *rank >= begin + h->count[k] ? h->count[k] : 0;
    }
    *rank -= passed;
    return false;
}

// A work-item's keys from number i on.
inline void load_keys(__global const ulong *gathered, uint i, uint n, ulong *key)
{
#pragma unroll
    for (uint k = 0; k < AHEAD; k++)
        key[k] = i + k * GROUP < n ? gathered[i + k * GROUP] : 0;
}

// So few keys are compared with each other.
#define FEW 256

// The least of the group's values, which come in `least`, in least[0]: in steps, of which each takes every so many-th. A barrier
// comes first and last.
#define LEAST_OF 32
static inline void find_least(__local ulong *least)
{
    uint item = (uint)get_local_id(0);

    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint count = GROUP, rest; count > 1; count = rest) {
        rest = (count + LEAST_OF - 1) / LEAST_OF;
        if (item < rest) {
            ulong own = least[item];
            for (uint other = item + rest; other < count; other += rest)
                own = min(own, least[other]);
            least[item] = own;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The keys of a rank and of the next among `n` gathered, of which `left` lie in `open`, the first of the two too: they are FEW
// at most, or all the same.
static inline void find_few(__global const ulong *gathered, uint n, interval open, uint left, ulong rank, __local uint *next,
                            __local ulong *few, __local ulong *beyond, __local ulong *found, ulong *key)
{
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
    beyond[item] = least;
    find_least(beyond);
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
    key[1] = rank + 1 < left ? found[1] : beyond[0];
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The keys of a rank and of the next among `n` gathered, by digits until few are left.
static inline void find_keys(__global const ulong *gathered, uint n, interval at, ulong rank, __local uint *bins,
                             __local ulong *count, __local ulong *sum, __local ulong *found, ulong *key)
{
    uint item = (uint)get_local_id(0), left = n;
    interval open = {at.low, at.before, at.bits, 0}; // rusticl: what is done to `at` would be done to the caller's

    while (open.bits > 0 && left > FEW) { // of the whole group
        uint shift = shift_of(open.bits);
        window w;
        set_window(&w, 0, 0xffffffffffffffffUL, &open);
        for (uint i = item; i < TABLE; i += GROUP)
            bins[i] = 0;
        if (item == 0)
            found[0] = found[1] = found[2] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i < n; i += AHEAD * GROUP) {
            ulong key[AHEAD];
            load_keys(gathered, i, n, key);
            for (uint k = 0; k < AHEAD; k++)
                if (i + k * GROUP < n)
                    count_key(key[k], &w, 1, 0, bins);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i < BINS; i += GROUP)
            count[i] = bins[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        find_bin(count, sum, rank, found);
        open.low += found[0] << shift;
        rank = found[1];
        left = (uint)found[2];
        open.bits = shift;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    find_few(gathered, n, open, left, rank, bins, count, sum, found, key);
}

inline acc end_of(__global const column *of, uint e)
{
    return acc_of(AS_REAL((real_key)of->end[e]));
}

// The median is known: between which distances the ends stand.
static inline void ask_deviation(__global column *of)
{
    real lower = AS_REAL(decode_key((real_key)of->answer[MEDIAN][0]));
    real upper = AS_REAL(decode_key((real_key)of->answer[MEDIAN][1]));
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

// Whether the answer's distances are right: none counted as nearer is farther, and none left out as farther is nearer.
static inline bool is_verified(__global const column *of, __global const uint *counters, ulong n)
{
    acc median = of->median;
    ulong outside = n - counters[INNER] - of->total;
    bool right = true;

    if (counters[INNER]) {
        ulong left = key_of_distance(AS_REAL((real_key)of->end[3]), median);
        right = of->answer[DEVIATION][0] >= max(left, key_of_distance(AS_REAL((real_key)of->end[4]), median));
    }
    if (outside) {
        ulong left = key_of_distance(AS_REAL((real_key)of->end[2]), median);
        right = right && !acc_less(median, end_of(of, 2)) && !acc_less(end_of(of, 5), median) &&
                of->answer[DEVIATION][1] <= min(left, key_of_distance(AS_REAL((real_key)of->end[5]), median));
    }
    return right;
}

// `level` is robust_narrow's. sums[2 * column], ... come to the column. n: the column's length, or 0: nothing to verify.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
robust_settle(__global column *columns, __global const uint *counters, uint question, uint level,
              __global const ulong *gathered, ulong gathered_room, ulong room, ulong n, __global const acc *sums)
{
    __local uint bins[TABLE];
    __local ulong count[BINS], sum[GROUP], found[3];
    __local heaps h;
    uint item = (uint)get_local_id(0), own_below[HEAPS];
    ulong number = get_group_id(1), rank[2], key[2], alone[2];
    bool known[2];
    __global column *own = columns + number;
    interval at = own->level[level];

    counters += number * COUNTERS;
    gathered += number * gathered_room;
    uint has = (uint)min((ulong)counters[GATHERED + question], gathered_room);
    for (uint k = item; k < HEAPS; k += GROUP)
        find_heap(&h, k, own, counters, question, at, n == 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < HEAPS; k++)
        own_below[k] = 0;
    for (uint i = item; i < has; i += AHEAD * GROUP) {
        ulong keys[AHEAD];
        load_keys(gathered, i, has, keys);
        for (uint j = 0; j < AHEAD; j++)
            for (uint k = 0; k < HEAPS && i + j * GROUP < has; k++)
                own_below[k] += keys[j] < h.key[k];
    }
    for (uint k = 0; k < HEAPS; k++)
        if (own_below[k])
            atomic_add(&h.below[k], own_below[k]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 2; k++) {
        rank[k] = own->target[k] - at.before;
        known[k] = lies_in_heap(&h, &rank[k], &key[k]);
    }
    // Keys below the widest interval's stand in its first bin.
    if (at.low == own->level[0].low) {
        at.bits = bits_of(last_of(at));
        at.low = 0;
    }
    if (last_of(at) >= last_of(own->level[0]))
        at.bits = bits_of(0xffffffffffffffffUL - at.low);
    // Whether they are needed or not: PoCL 3.1 compiles a loop with barriers wrong that stands in a condition. The second
    // rank is the first or the next, and if neither lies in a heap, so it is among those gathered.
    find_keys(gathered, has, at, rank[known[0] ? 1 : 0], bins, count, sum, found, alone);
    if (!known[0])
        key[0] = alone[0];
    if (!known[1])
        key[1] = alone[known[0] || rank[1] == rank[0] ? 0 : 1];
    if (item == 0) {
        uint missed = 0;
        own->answer[question][0] = key[0];
        own->answer[question][1] = key[1];
        if (counters[GATHERED + question] > gathered_room || (room && counters[KEPT] > room))
            missed = 1;
        if (question == MEDIAN) {
            ask_deviation(own);
        } else if (n > 0) {
            missed |= !is_verified(own, counters, n);
            own->sum = sums[2 * number];
            own->squares = sums[2 * number + 1];
        }
        if (missed)
            own->missed |= question == MEDIAN ? MISSED_MEDIAN : MISSED_DEVIATION;
    }
}
