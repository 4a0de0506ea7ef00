// SPDX-License-Identifier: Apache-2.0
// Finds the elements of given ranks in a column of any type, without sorting it; the column is not changed. A job is a pair
// of ranks (from 0, the first not above the second), as quantiles need them; several jobs are worked on side by side.
//
// By brackets (Floyd and Rivest 1975, with all candidates in one pass): a sample takes one random element from each of many
// strata; two keys of the sample between which a job's ranks very probably lie are its bracket. Where work-items share
// local memory, select_sample.cl finds the brackets; otherwise select_sample takes the sample, and its digits end with
// select_bracket. select_gather reads the column once, counts the elements below and at the keys, and gathers those between
// them; select_narrow.cl finds where the ranks lie and leaves few candidates, among which select_small finds the answers.
// Elements equal to an end that occurs often in the sample are counted, not gathered, so that ties cost no memory. If the
// bracket missed, if more elements are to be gathered than there is room for, or if there is a NaN, the job is marked
// `failed`.
//
// By digits (radix select): select_histogram counts the elements that share the digits found so far by the value of their
// next digit; every group of the next launch finds for itself the digit in which a rank lies. After the last digit comes
// select_pick, whose result is the elements' bits.
//
// Launch: select_prepare with any number of groups; then
//   few elements: select_small, a group a job;
//   by digits: for each digit from the highest, select_histogram (groups, jobs) for each part of the column; then
//     select_pick, a group a job;
//   by brackets: select_sample.cl, without select_prepare; or select_sample, one work-item a sample, and the digits of the sample, with
//     select_bracket instead of select_pick; then select_gather for each part; select_narrow.cl's two; select_small; and where that
//     is crowded, by digits;
//   for answers that stay on the device, select_deliver.cl.
// A launch takes at most 2^31 elements. Cost: brackets read the column once, digits once a digit.
// Tunables: GROUP (work-items, a power of two; 1: no atomics on local memory, for CPUs), LOADS (lib/tile.clh), DIGIT (log2
// of bins; in kernels of one group GROUP is not above their number), BRACKETS (jobs in select_gather), KEY_BITS, KEY_KIND.
#ifndef BRACKETS
#define BRACKETS 1
#endif

#include "../lib/group.clh"
#include "../lib/sample.clh"
#include "select_digits.clh"
#include "select_gather.clh"
#if GROUP > 1
#include "select_rank.clh"
#endif

// An end of a bracket that occurs more often than this in the sample is taken to be one of many ties.
#define TIED 16

// Evaluates a digit that was counted at counters[0..2 * BINS), and so in each of `parts` parts, `stride` cells apart;
// afterwards `shift` low bits remain unknown. equal[k] is the number of elements that share the digits of rank k.
// Overwrites count[0..2 * BINS) and sum[0..BINS_SUMS). It ends with a barrier. Without a digit (`has` is false) it changes
// nothing: PoCL 3.1 miscompiles a loop with barriers inside a condition.
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

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_prepare(ulong16 ranks, ulong16 first, uint count, __global job *jobs, __global uint *counters, ulong counter_count)
{
    prepare(ranks, first, count, jobs, counters, counter_count);
}

// Of the n elements of the column, x[skip], ... are `count`, from number `first` on.
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

// One group a job finds all digits: prefix[k] becomes the key of rank `rank[k]` among the n elements. True if a NaN was
// seen.
static inline bool find_all_digits(__global const sort_key *x, ulong n, ulong rank[2], sort_key prefix[2], __local uint *bins,
                                   __local uint *count, __local ulong *sum, __local ulong *found)
{
    uint item = (uint)get_local_id(0);
    bool nan = false;

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
    return nan;
}

// One work-item writes the result for element k of a job's two.
inline void answer_element(__global answer *to, __global const job *own, uint k, sort_key key)
{
    to->value[k] = decode_key((sort_key)(own->known[k] ? own->value[k] : key));
}

// Few elements: the n of the column, with a group a job; or, with `few`, the candidates of job j that select_narrow
// gathered at x[j * few], ..., by all groups of a row together if they have a work-item for each. If there were more than
// `few`, which happens if that many elements are alike, `failed` becomes SELECT_CROWDED.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_small(__global const sort_key *x, ulong n, ulong few, __global const job *jobs, __global const uint *counters, ulong base,
             __global answer *answers)
{
    __local uint bins[2 * BINS], count[2 * BINS], has_nan;
    __local ulong sum[BINS_SUMS], found[6];
#if GROUP > 1
    __local sort_key chunk[RANK_CHUNK];
#endif
    uint item = (uint)get_local_id(0), number = (uint)get_group_id(1);
    __global const job *own = &jobs[number];
    __global answer *to = answers + number;
    ulong rank[2] = {own->target[0], own->target[1]};
    sort_key prefix[2] = {0, 0};
    bool crowded, nan;

    if (few) {
        n = own->count > 0 ? counters[counters_of(base, number)] : 0;
        rank[0] = n > 0 ? own->at[1].rank[0] : 0;
        rank[1] = n > 0 ? own->at[1].rank[1] : 0;
        x += number * few;
    }
    crowded = few && n > few;
    n = crowded ? 0 : n;
#if GROUP > 1
    if (n > 0 && n <= (ulong)GROUP * get_num_groups(0) && few && get_num_groups(0) > 1) { // uniform over the launch
        const standings own_ranks = {chunk, bins, count};
        uint i = rank_own(x, (uint)n, true, &own_ranks);
        for (uint k = 0; k < 2 && i < n; k++)
            if (has_rank(&own_ranks, rank[k]))
                answer_element(to, own, k, encode_key(x[i]));
        if (get_group_id(0) == 0 && item == 0) {
            to->failed = own->failed ? SELECT_MISSED : 0;
            to->nan = jobs[0].nan;
        }
        return;
    }
#endif
    if (get_group_id(0) > 0)
        return;
    if (item == 0)
        has_nan = 0;
    nan = find_all_digits(x, n, rank, prefix, bins, count, sum, found);
    if (nan)
        atomic_or(&has_nan, 1u);
    wait_for_group();
    if (item == 0) {
        for (uint k = 0; k < 2; k++)
            answer_element(to, own, k, prefix[k]);
        to->failed = own->failed ? SELECT_MISSED : crowded ? SELECT_CROWDED : 0;
        to->nan = has_nan | jobs[0].nan;
    }
}

// Finds where the n elements from x[skip] on lie relative to the brackets. candidates[j * room], ... take up to `room` of
// job j.
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

// Counts the digit below `previous` bits, number `level`, of the n elements from x[skip] on, or, with `room`, of job j's
// candidates x[j * room], ..., in counters[base + (part * jobs + job) * 2 * BINS], ... . The digit before was counted from
// `before` on in `parts` parts, `stride` cells each; those of one job hold for all. Only with `again` is a job asked
// whether it is idle, because that takes time.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_histogram(__global const sort_key *x, ulong skip, ulong n, ulong room, __global job *jobs, uint previous, uint level,
                 __global uint *counters, ulong before, ulong stride, ulong parts, ulong base, ulong part, uint again)
{
    __local uint bins[2 * BINS]; // for the digit before, then for this one
    __local ulong sum[BINS_SUMS], found[6];
    uint item = (uint)get_local_id(0), number = (uint)get_group_id(1), rows = (uint)get_num_groups(1);
    ulong begin, end, equal[2];
    place at;

    if (again && jobs[number].idle) // uniform over the launch
        return;
    x += room ? number * room : skip;
    if (room)
        n = jobs[number].count;
    share(n, (uint)get_group_id(0), (uint)get_num_groups(0), &begin, &end);
    if (begin == end && get_group_id(0) > 0) // uniform over the group
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

// The last digit, number `level`, is not known yet; the digit before is given as for select_histogram.
static inline place last_place(__global const job *own, uint level, __global const uint *counters, ulong before, ulong stride,
                               ulong parts, __local uint *count, __local ulong *sum, __local ulong *found, ulong equal[2])
{
    place at = own->at[level];

    step(&at, true, 0, counters + before + (stride == 2 * BINS ? 0 : get_group_id(0) * 2 * BINS), parts, stride, count, sum, found,
         equal);
    return at;
}

// All digits of the sample are known: computes each job's bracket. An end whose bit in `open` is set is open. A group a
// job.
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

// All digits of the column or of the candidates are known: writes the answers. A group a job.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_pick(__global const job *jobs, uint level, __global answer *answers, __global const uint *counters, ulong before,
            ulong stride, ulong parts, uint again)
{
    __local uint count[2 * BINS];
    __local ulong sum[BINS_SUMS], found[6];
    uint number = (uint)get_group_id(0);
    __global const job *own = &jobs[number];
    ulong equal[2];

    if (again && own->idle) // uniform over the launch
        return;
    place at = last_place(own, level, counters, before, stride, parts, count, sum, found, equal);
    if (get_local_id(0) > 0)
        return;
    for (uint k = 0; k < 2; k++)
        answers[number].value[k] = decode_key((sort_key)(own->known[k] ? own->value[k] : at.prefix[k]));
    answers[number].failed = own->failed;
    answers[number].nan = jobs[0].nan;
}
