// SPDX-License-Identifier: Apache-2.0
// The elements of given ranks in a column of any type, without sorting it; the column is not changed. A job is a pair
// of ranks (from 0, the first not above the second), as quantiles need them; some jobs are worked on side by side.
//
// By brackets (Floyd and Rivest 1975, with all candidates in one pass): select_sample takes an element of each of
// `samples` strata at random; two keys of the sample between which a job's ranks lie but for bad luck are found by digits,
// and select_bracket makes them its bracket; select_gather reads the column once, counts what lies below and at the keys, and gathers what lies
// between them; select_settle looks where the ranks fell. What remains is done by digits among what was gathered.
// Elements equal to an end that the sample has often are counted, not gathered: ties cost no memory. If the luck was
// bad, more was to be gathered than there is room for, or there is a NaN, the job says `failed`.
//
// By digits (radix select): select_histogram counts, among the elements that share the digits found so far, those
// with each value of the next digit; which digit a rank lies in every group of the next launch finds for itself, and
// after the last digit select_pick, which ends with the elements' bits.
//
// Launch: select_prepare with any number of groups; then
//   few elements: select_small, a group a job;
//   by digits: for each digit from the highest, select_histogram (groups, jobs) for each part of the column; then
//     select_pick, a group a job;
//   by brackets: select_sample, one work-item a sample; the digits of the sample, with select_bracket instead of select_pick;
//     select_gather for each part; select_settle, a group; select_narrow.cl's two; select_small; and where that is crowded,
//     by digits.
// A launch takes at most 2^31 elements. Cost: brackets read the column once, digits once a digit.
// Tunables: GROUP (work-items, a power of two; 1: no atomics on local memory, for CPUs), LOADS (lib/tile.clh),
// DIGIT (log2 of bins; in kernels of one group GROUP is not above their number), BRACKETS (jobs in select_gather), KEY_BITS,
// KEY_KIND.
#ifndef BRACKETS
#define BRACKETS 1
#endif

#include "../lib/group.clh"
#include "../lib/sample.clh"
#include "select_digits.clh"
#include "select_gather.clh"

// An end of a bracket that stands more often than that in the sample is one of many ties.
#define TIED 16

#define JOBS SELECT_JOBS // of a batch

// What comes of a digit that was counted at counters[0..2 * BINS), and so in each of `parts` parts, `stride` cells further
// on: `shift` low bits are not known then. equal[k]: how many elements share the digits of rank k. count[0..2 * BINS) and
// sum[0..BINS_SUMS) are written. A barrier comes last. Without a digit (`has` is false) nothing comes of it: PoCL 3.1 compiles
// a loop with barriers wrong that stands in a condition.
static inline void step(place *at, bool has, uint shift, __global const uint *counters, ulong parts, ulong stride,
                        __local uint *count, __local ulong *sum, __local ulong *found, ulong equal[2])
{
    bool same = at->prefix[0] == at->prefix[1];
    uint tables = !has ? 0 : same ? 1 : 2;

    for (uint k = 0; k < tables; k++) {
        for (uint i = (uint)get_local_id(0); i < BINS; i += GROUP) {
            ulong all = 0;
            for (ulong part = 0; part < parts; part++)
                all += counters[part * stride + k * BINS + i];
            count[i] = (uint)all;
            count[BINS + i] = (uint)(all >> 32);
        }
        wait_for_group();
        find_bins(count, sum, at->rank, found);
        for (uint r = k; r < 2 && (same || r == k); r++) {
            at->prefix[r] |= found[3 * r] << shift;
            at->rank[r] = found[3 * r + 1];
            equal[r] = found[3 * r + 2];
        }
        wait_for_group();
    }
}

// ranks[2 * j], ranks[2 * j + 1]: the ranks of job j; those that are looked for first (in the sample, if there is one) are
// `first`. Zeroes the counters, too. The jobs from `count` on are for
// select_gather, which is built for a power of two of them: an empty bracket each.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_prepare(ulong16 ranks, ulong16 first, uint count, __global job *jobs, __global uint *counters, ulong counter_count)
{
    union {
        ulong16 vector;
        ulong element[16];
    } target, rank;

    target.vector = ranks;
    rank.vector = first;
    for (ulong i = get_global_id(0); i < counter_count; i += get_global_size(0))
        counters[i] = 0;
    for (uint j = (uint)get_global_id(0); j < JOBS; j += (uint)get_global_size(0)) {
        __global job *made = &jobs[j];
        for (uint k = 0; k < 2; k++) {
            made->target[k] = target.element[2 * j + k];
            made->at[0].rank[k] = rank.element[2 * j + k];
            made->at[0].prefix[k] = made->value[k] = 0;
            made->known[k] = 0;
            made->tied[k] = k == 0 && j >= count;
        }
        made->low = made->high = made->count = 0;
        made->failed = made->nan = 0;
    }
}

// Of the column's n elements x[skip], ... are `count`, from number `first` on.
__kernel void select_sample(__global const sort_key *x, ulong skip, ulong first, ulong count, ulong n,
                            __global sort_key *sample, uint samples)
{
    uint i = (uint)get_global_id(0);

    if (i < samples) {
        ulong position = stratum_position(i, samples, n);
        if (position >= first && position - first < count)
            sample[i] = x[skip + position - first];
    }
}

// All digits at once by one group a job, of few elements: the column's n, or with `few` those that select_narrow gathered of
// job j, x[j * few], ... . Where these were more, as many elements are alike, `failed` says SELECT_CROWDED.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_small(__global const sort_key *x, ulong n, ulong few, __global const job *jobs, __global const uint *counters, ulong base,
             __global answer *answers)
{
    __local uint bins[2 * BINS], count[2 * BINS], has_nan;
    __local ulong sum[BINS_SUMS], found[6];
    uint item = (uint)get_local_id(0), number = (uint)get_group_id(0);
    __global const job *own = &jobs[number];
    ulong rank[2] = {own->target[0], own->target[1]};
    sort_key prefix[2] = {0, 0};
    bool nan = false, crowded;

    if (few) {
        n = own->count > 0 ? counters[counters_of(base, number)] : 0;
        rank[0] = n > 0 ? own->at[1].rank[0] : 0;
        rank[1] = n > 0 ? own->at[1].rank[1] : 0;
        x += number * few;
    }
    crowded = few && n > few;
    n = crowded ? 0 : n;
    if (item == 0)
        has_nan = 0;
    for (uint previous = KEY_BITS; previous > 0; previous = next_shift(previous)) {
        uint shift = next_shift(previous);
        for (uint i = item; i < 2 * BINS; i += GROUP)
            bins[i] = 0;
        wait_for_group();
        nan |= count_digits(x, 0, n, known_mask(previous), prefix[0], prefix[1], shift, bins);
        wait_for_group();
        bool same = prefix[0] == prefix[1];
        for (uint k = 0; k < 2; k++) {
            for (uint i = item; i < BINS; i += GROUP) {
                count[i] = bins[k == 1 && !same ? BINS + i : i];
                count[BINS + i] = 0;
            }
            wait_for_group();
            find_bins(count, sum, rank, found);
            prefix[k] |= (sort_key)found[3 * k] << shift;
            rank[k] = found[3 * k + 1];
            wait_for_group();
        }
    }
    if (nan)
        atomic_or(&has_nan, 1u);
    wait_for_group();
    if (item == 0) {
        for (uint k = 0; k < 2; k++)
            answers[number].value[k] = decode_key((sort_key)(own->known[k] ? own->value[k] : prefix[k]));
        answers[number].failed = own->failed ? SELECT_MISSED : crowded ? SELECT_CROWDED : 0;
        answers[number].nan = has_nan | jobs[0].nan;
    }
}

// Where the n elements from x[skip] on lie. candidates[j * room], ... take up to `room` of job j's.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_gather(__global const sort_key *x, ulong skip, ulong n, __global job *jobs, __global uint *counters, ulong part,
              __global sort_key *candidates, ulong room)
{
    __local uint taken[BRACKETS], base[BRACKETS];
    __local uint total[SEEN];
    uint item = (uint)get_local_id(0);
    bool nan = false;
    gatherer g;
    ulong i, end;

    for (uint c = item; c < SEEN; c += GROUP)
        total[c] = 0;
    for (uint b = item; b < BRACKETS; b += GROUP)
        taken[b] = 0;
    g.counters = counters;
    g.candidates = candidates;
    g.room = room;
#pragma unroll
    for (uint b = 0; b < BRACKETS; b++) {
        g.wanted[b] = bracket_of(&jobs[b]);
        g.seen[4 * b] = g.seen[4 * b + 1] = g.seen[4 * b + 2] = g.seen[4 * b + 3] = 0;
    }
    wait_for_group();

    x += skip;
    share(n, (uint)get_group_id(0), (uint)get_num_groups(0), &i, &end);
    for (; i + TILE <= end; i += TILE) {
        items tile;
        load_tile(&tile, x, i);
        nan |= tile_has_nan(&tile, x, i);
#if GROUP == 1
        gather_tile(&g, &tile);
#else
        gather_tile(&g, &tile, x, i, taken, base);
#endif
    }
    for (i += item; i < end; i += GROUP) {
        nan |= IS_NAN(encode_key(x[i]));
        gather_element(&g, x[i]);
    }

#pragma unroll
    for (uint c = 0; c < SEEN; c++)
        if (g.seen[c])
            atomic_add(&total[c], g.seen[c]);
    if (nan)
        atomic_or(&jobs[0].nan, 1u);
    wait_for_group();
    for (uint c = item; c < SEEN; c += GROUP)
        if (total[c])
            atomic_add(&counters[SELECT_JOBS + part * SEEN + c], total[c]);
}

// Where the targets fell. One group, a work-item a job.
__kernel void select_settle(__global job *jobs, uint count, __global const uint *counters, ulong parts, ulong room)
{
    uint number = (uint)get_global_id(0), nan = jobs[0].nan;

    barrier(CLK_GLOBAL_MEM_FENCE);
    if (number < count) {
        __global job *at = &jobs[number];
        ulong below = 0, at_low = 0, at_high = 0, inside = 0;
        for (ulong part = 0; part < parts; part++) {
            __global const uint *seen = counters + SELECT_JOBS + part * SEEN + number * 4;
            below += seen[0];
            at_low += seen[1];
            at_high += seen[2];
            inside += seen[3];
        }
        // What was gathered does not count again, nor what equals both ends.
        at_low = at->tied[0] ? at_low : 0;
        at_high = at->tied[1] && !(at->tied[0] && at->low == at->high) ? at_high : 0;
        at->failed = inside > room || nan;
        at->count = 0;
        for (uint k = 0; k < 2; k++) {
            ulong rank = at->target[k] - below;
            if (at->target[k] < below || rank >= at_low + inside + at_high) {
                at->failed = 1;
            } else if (rank < at_low || rank >= at_low + inside) {
                at->known[k] = 1;
                at->value[k] = rank < at_low ? at->low : at->high;
            } else {
                at->at[0].rank[k] = rank - at_low;
                at->count = inside;
            }
        }
        for (uint k = 0; k < 2; k++) // what is known goes along with the other
            at->at[0].rank[k] = at->known[k] ? at->at[0].rank[1 - k] : at->at[0].rank[k];
        if (at->failed)
            at->count = 0;
    }
}

// The digit below `previous` bits, number `level`, of the n elements from x[skip] on, or with `room` of job j's candidates
// x[j * room], ...: counters[base + (part * jobs + job) * 2 * BINS], ... . The digit before was counted from `before` on in
// `parts` parts, `stride` cells each: those of one job count for all.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_histogram(__global const sort_key *x, ulong skip, ulong n, ulong room, __global job *jobs, uint previous, uint level,
                 __global uint *counters, ulong before, ulong stride, ulong parts, ulong base, ulong part)
{
    __local uint bins[2 * BINS]; // of the digit before, then of this one
    __local ulong sum[BINS_SUMS], found[6];
    uint item = (uint)get_local_id(0), number = (uint)get_group_id(1), rows = (uint)get_num_groups(1);
    ulong begin, end, equal[2];
    place at;

    x += room ? number * room : skip;
    if (room)
        n = jobs[number].count;
    share(n, (uint)get_group_id(0), (uint)get_num_groups(0), &begin, &end);
    if (begin == end && get_group_id(0) > 0) // of the whole group
        return;
    at = jobs[number].at[level ? level - 1 : 0];
    step(&at, level > 0, previous, counters + before + (stride == 2 * BINS ? 0 : number * 2 * BINS), parts, stride, bins, sum,
         found, equal);
    if (level > 0 && get_group_id(0) == 0 && item == 0)
        jobs[number].at[level] = at;
    for (uint i = item; i < 2 * BINS; i += GROUP)
        bins[i] = 0;
    wait_for_group();
    bool nan = count_digits(x, begin, end, known_mask(previous), (sort_key)at.prefix[0], (sort_key)at.prefix[1],
                            next_shift(previous), bins);
    if (nan && !room)
        atomic_or(&jobs[0].nan, 1u);
    wait_for_group();
    counters += base + (part * rows + number) * 2 * BINS;
    for (uint i = item; i < 2 * BINS; i += GROUP)
        if (bins[i])
            atomic_add(&counters[i], bins[i]);
}

// Before the last digit, number `level`, is known of the jobs; as select_histogram has the digit before.
static inline place last_place(__global const job *own, uint level, __global const uint *counters, ulong before, ulong stride,
                               ulong parts, __local uint *count, __local ulong *sum, __local ulong *found, ulong equal[2])
{
    place at = own->at[level];

    step(&at, true, 0, counters + before + (stride == 2 * BINS ? 0 : get_group_id(0) * 2 * BINS), parts, stride, count, sum, found,
         equal);
    return at;
}

// With all digits of the sample: each job's bracket. An end whose bit in `open` is set is open. A group a job.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_bracket(__global job *jobs, uint level, uint open, __global const uint *counters, ulong before, ulong stride, ulong parts)
{
    __local uint count[2 * BINS];
    __local ulong sum[BINS_SUMS], found[6];
    uint number = (uint)get_group_id(0);
    __global job *own = &jobs[number];
    ulong equal[2], end[2];
    place at = last_place(own, level, counters, before, stride, parts, count, sum, found, equal);

    if (get_local_id(0) > 0)
        return;
    for (uint k = 0; k < 2; k++) {
        bool is_open = open >> (2 * number + k) & 1;
        end[k] = is_open ? (k ? HIGHEST : 0) : min((sort_key)at.prefix[k], (sort_key)HIGHEST);
        own->tied[k] = !is_open && equal[k] > TIED;
        own->at[0].rank[k] = own->target[k];
    }
    own->low = end[0];
    own->high = end[1];
}

// With all digits of the column or of the candidates: the answers. A group a job.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_pick(__global const job *jobs, uint level, __global answer *answers, __global const uint *counters, ulong before,
            ulong stride, ulong parts)
{
    __local uint count[2 * BINS];
    __local ulong sum[BINS_SUMS], found[6];
    uint number = (uint)get_group_id(0);
    __global const job *own = &jobs[number];
    ulong equal[2];
    place at = last_place(own, level, counters, before, stride, parts, count, sum, found, equal);

    if (get_local_id(0) > 0)
        return;
    for (uint k = 0; k < 2; k++)
        answers[number].value[k] = decode_key((sort_key)(own->known[k] ? own->value[k] : at.prefix[k]));
    answers[number].failed = own->failed;
    answers[number].nan = jobs[0].nan;
}
