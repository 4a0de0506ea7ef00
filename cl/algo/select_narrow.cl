// SPDX-License-Identifier: Apache-2.0
// Finds the elements of given ranks among the candidates that select_gather of select.cl left (select_job.clh explains the
// terms).
//
// select_bins finds where the ranks lie, and counts the candidates in bins of the bracket: bins of equal width for floats,
// the highest open digit for other types. select_narrow finds the bins that hold the ranks, and gathers their elements;
// select_small of select.cl finds the ranks there.
//
// Launch: select_bins, then select_narrow (groups, jobs). Cost: a read of the candidates each. The numeric policy is
// strict: both must find the same bins.
// Tunables: those of select_digits.clh.
#include "../lib/group.clh"
#include "select_digits.clh"

// The bins of a bracket's elements.
typedef struct {
#if KEY_KIND == 2
    real low, scale; // 0 if the bracket has no width, or one that is too large
#else
    sort_key low;
    uint shift;
#endif
} scale;

inline scale scale_of(__global const job *at)
{
    scale made;
#if KEY_KIND == 2
    made.low = AS_REAL(decode_key((sort_key)at->low));
    made.scale = BINS / (AS_REAL(decode_key((sort_key)at->high)) - made.low);
    if (!(made.scale > 0 && made.scale < (real)INFINITY))
        made.low = made.scale = 0;
#else
    ulong width = at->high - at->low;
    uint bits = 64 - (uint)clz(width);
    made.low = (sort_key)at->low;
    made.shift = bits > DIGIT ? bits - DIGIT : 0;
#endif
    return made;
}

// A greater element never has a lower bin.
inline uint bin_of(sort_key bits, const scale *of)
{
#if KEY_KIND == 2
    return of->scale > 0 ? min((uint)((AS_REAL(bits) - of->low) * of->scale), BINS - 1) : 0;
#else
    return (uint)((encode_key(bits) - of->low) >> of->shift);
#endif
}

static inline void count_bins(__global const sort_key *x, ulong begin, ulong end, const scale *of, __local uint *bins)
{
    ulong i = begin;

    for (; i + TILE <= end; i += TILE) {
        items tile;
        load_tile(&tile, x, i);
#if GROUP > 1
#pragma unroll
#endif
        for (uint j = 0; j < ITEMS; j++)
            tally(&bins[bin_of(tile.element[j], of)]);
    }
    for (i += get_local_id(0); i < end; i += GROUP)
        tally(&bins[bin_of(x[i], of)]);
}

// Where gathered elements go, and how many there are.
typedef struct {
    __global sort_key *elements;
    __global uint *count;
    ulong room;
} gatherer;

inline void gather_element(sort_key bits, const gatherer *to)
{
    uint at = atomic_inc(to->count);

    if (at < to->room)
        to->elements[at] = bits;
}

// The elements of the bin `first` and of the given number of bins after it.
static inline void gather_bins(__global const sort_key *x, ulong begin, ulong end, const scale *of, uint first, uint bins,
                               const gatherer *to)
{
    ulong i = begin;

    for (; i + TILE <= end; i += TILE) {
        items tile;
        load_tile(&tile, x, i);
#if GROUP > 1
#pragma unroll
#endif
        for (uint j = 0; j < ITEMS; j++)
            if (bin_of(tile.element[j], of) - first <= bins)
                gather_element(tile.element[j], to);
    }
    // All work-items go on as long as one of them does: PoCL 3.1 gathers past the end if each has its own end.
    for (uint item = (uint)get_local_id(0); i < end; i += GROUP)
        if (i + item < end && bin_of(x[i + item], of) - first <= bins)
            gather_element(x[i + item], to);
}

// Where the ranks of job `number` lay after select_gather had read the column in `parts` parts, with `brackets` jobs.
typedef struct {
    ulong rank[2], value[2], count; // among the gathered; the key, if known; how many to look at
    uint known[2], failed;
} fallen;

static inline fallen settle(__global const job *at, uint number, __global const uint *counters, uint parts, uint brackets,
                            ulong room, uint nan)
{
    ulong below = 0, at_low = 0, at_high = 0, inside = 0;
    fallen made;

    for (uint part = 0; part < parts; part++) {
        __global const uint *seen = counters + SELECT_JOBS + (part * brackets + number) * 4;
        below += seen[0];
        at_low += seen[1];
        at_high += seen[2];
        inside += seen[3];
    }
    // Gathered elements do not count again, nor elements equal to both ends.
    at_low = at->tied[0] ? at_low : 0;
    at_high = at->tied[1] && !(at->tied[0] && at->low == at->high) ? at_high : 0;
    made.failed = inside > room || nan;
    made.count = 0;
    for (uint k = 0; k < 2; k++) {
        ulong rank = at->target[k] - below;
        made.known[k] = 0;
        made.value[k] = made.rank[k] = 0;
        if (at->target[k] < below || rank >= at_low + inside + at_high) {
            made.failed = 1;
        } else if (rank < at_low || rank >= at_low + inside) {
            made.known[k] = 1;
            made.value[k] = rank < at_low ? at->low : at->high;
        } else {
            made.rank[k] = rank - at_low;
            made.count = inside;
        }
    }
    for (uint k = 0; k < 2; k++) // a known rank goes along with the other
        made.rank[k] = made.known[k] ? made.rank[1 - k] : made.rank[k];
    if (made.failed)
        made.count = 0;
    return made;
}

inline void tell(__global job *to, const fallen *what)
{
    for (uint k = 0; k < 2; k++) {
        to->known[k] = what->known[k];
        to->value[k] = what->value[k];
        to->at[0].rank[k] = what->rank[k];
    }
    to->count = what->count;
    to->failed = what->failed;
}

// candidates[j * room], ... are job j's.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_bins(__global const sort_key *candidates, ulong room, __global job *jobs, __global uint *counters, ulong base, uint parts,
            uint brackets)
{
    __local uint bins[BINS];
    uint item = (uint)get_local_id(0), number = (uint)get_group_id(1);
    fallen at = settle(&jobs[number], number, counters, parts, brackets, room, jobs[0].nan);
    scale of = scale_of(&jobs[number]);
    ulong begin, end;

    if (get_group_id(0) == 0 && item == 0) // nothing reads it in this launch
        tell(&jobs[number], &at);
    share(at.count, (uint)get_group_id(0), (uint)get_num_groups(0), &begin, &end);
    if (begin == end) // uniform over the group
        return;
    candidates += number * room;
    counters += counters_of(base, number) + 1;
    for (uint bin = item; bin < BINS; bin += GROUP)
        bins[bin] = 0;
    wait_for_group();
    count_bins(candidates, begin, end, &of, bins);
    wait_for_group();
    for (uint bin = item; bin < BINS; bin += GROUP)
        if (bins[bin])
            atomic_add(&counters[bin], bins[bin]);
}

// narrowed[j * few], ... take up to `few` of job j's.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_narrow(__global const sort_key *candidates, ulong room, __global job *jobs, __global uint *counters, ulong base,
              __global sort_key *narrowed, ulong few)
{
    __local uint count[2 * BINS];
    __local ulong sum[BINS_SUMS], found[6];
    uint item = (uint)get_local_id(0), number = (uint)get_group_id(1);
    __global job *own = &jobs[number];
    scale of = scale_of(own);
    ulong begin, end, rank[2] = {own->at[0].rank[0], own->at[0].rank[1]};

    share(own->count, (uint)get_group_id(0), (uint)get_num_groups(0), &begin, &end);
    if (begin == end) // uniform over the group
        return;
    candidates += number * room;
    counters += counters_of(base, number);
    gatherer to = {narrowed + number * few, counters, few};
    for (uint bin = item; bin < BINS; bin += GROUP) {
        count[bin] = counters[1 + bin];
        count[BINS + bin] = 0;
    }
    wait_for_group();
    find_bins(count, sum, rank, found);
    uint first = (uint)found[0], bins = (uint)found[3] - first;
    if (get_group_id(0) == get_num_groups(0) - 1 && item == 0) {
        own->at[1].rank[0] = found[1];
        own->at[1].rank[1] = found[1] + (rank[1] - rank[0]);
    }
    gather_bins(candidates, begin, end, &of, first, bins, &to);
}
