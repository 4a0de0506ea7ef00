// SPDX-License-Identifier: Apache-2.0
// Reduces the values of each run of equal keys (lib/runs.clh defines equality) in a fixed order, so that floats have the
// same bits on every device.
//
// The order: a leaf is 16 consecutive elements, a block 128 leaves. A run is cut where leaves begin. The part in one leaf
// combines its elements in order of index. The parts before the last leaf are folded as in Sklansky's scan (1960): unless
// they lie in one half of the smallest aligned range of 2^k leaves that contains them all, the result of its left half is
// combined with the result of its right half. The part in the leaf where the run ends, if it ends inside that leaf, comes
// last. That is the order within a block. A block's part is an element of the next level, where the same holds for blocks:
// those before the last one are folded, and the part in the block where the run ends comes last.
//
// Launch: by_key_count, then by_key_blocks with the same groups; each takes a stretch of the column (lib/compact.clh).
// by_key_blocks finishes the runs within blocks, and leaves for each of the n / 2048 + 1 = `count` blocks its part of the
// run that is open at its end and its part of the run that is open at its beginning. Then by_key_totals, level by level
// until one block is left; then by_key_close, back to the first level, with a group a block.
// Cost: reads the keys twice and the values once; writes the results once.
// Tunables: KEY_BITS, KEY_KIND (lib/key.clh); VALUE, the type of the values, and VALUE_SIZE, its size in bytes; COMBINE, an
// expression of a and b.
#ifndef VALUE
#define VALUE float
#define VALUE_SIZE 4
#endif
#ifndef COMBINE
#define COMBINE a + b
#endif

#include "../shared/tree.h"

#pragma OPENCL FP_CONTRACT OFF

#ifndef KEY_BITS
#define KEY_BITS 32
#endif
#define GROUP RUNS_LEAVES
#define LOADS (RUNS_LEAF * KEY_BITS / 128)

#include "../lib/runs.clh"

#define VALUE_LOADS (RUNS_LEAF * VALUE_SIZE / 16)

typedef union {
    uint4 load[VALUE_LOADS];
    VALUE element[RUNS_LEAF];
} leaf_of_values;

inline VALUE combine(VALUE a, VALUE b)
{
    return COMBINE;
}

// Each leaf's part of the run that is open at its end, and the number of runs that begin in it, are replaced by the same of
// all leaves up to it.
static inline void scan_leaves(__local VALUE *values, __local uint *counts, uint item)
{
    for (uint distance = 1; distance < RUNS_LEAVES; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item & distance) {
            uint left = (item & ~(distance - 1)) - 1;
            if (counts[item] == 0)
                values[item] = combine(values[left], values[item]);
            counts[item] += counts[left];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Sets counts[g] to the number of runs that begin in group g's stretch.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void by_key_count(__global const sort_key *keys, ulong n,
                                                                              __global ulong *counts)
{
    __local ulong room[GROUP];
    uint item = (uint)get_local_id(0);
    ulong begin, end, count = 0;

    share(n, (uint)get_group_id(0), (uint)get_num_groups(0), &begin, &end);
    for (ulong start = begin; start < end; start += TILE) {
        items tile;
        uint there = (uint)min(end - start, (ulong)TILE);
        load_tile(&tile, keys + start, item, there);
        count += popcount(find_heads(&tile, keys, start, item, there));
    }
    count = sum_of_group(count, room);
    if (item == 0)
        counts[get_group_id(0)] = count;
}

// Loads a leaf of keys and one of values, with `there` elements. Marks, in the result, those that begin a run, and the end
// of the column. start: of the block.
static inline uint load_leaf(__global const sort_key *keys, __global const VALUE *values, ulong start, uint item, uint there,
                             items *key, leaf_of_values *value)
{
    ulong at = start + item * RUNS_LEAF;
    uint have = there < item * RUNS_LEAF ? 0 : min(there - item * RUNS_LEAF, (uint)RUNS_LEAF), heads = 0;

    if (have == RUNS_LEAF) {
        __global const uint4 *key_rows = (__global const uint4 *)(keys + at);
        __global const uint4 *value_rows = (__global const uint4 *)(values + at);
#pragma unroll
        for (uint r = 0; r < LOADS; r++)
            key->load[r] = key_rows[r];
#pragma unroll
        for (uint r = 0; r < VALUE_LOADS; r++)
            value->load[r] = value_rows[r];
    } else {
#pragma unroll
        for (uint j = 0; j < RUNS_LEAF; j++) {
            ulong from = j < have ? at + j : 0;
            key->element[j] = keys[from];
            value->element[j] = values[from];
        }
    }
    sort_key before = keys[at > 0 && have > 0 ? at - 1 : 0];
#pragma unroll
    for (uint j = 0; j < RUNS_LEAF; j++) {
        heads |= j < have && !same(before, key->element[j]) ? 1u << j : 0;
        before = key->element[j];
    }
    if (at == 0)
        heads |= 1;
    if (have < RUNS_LEAF && there >= item * RUNS_LEAF)
        heads |= 1u << have;
    return heads;
}

// Writes the first key of each run to `to`, and the results of runs that lie in one block to `results`. For block b:
// tails[b] is its part of the run that is open at its end; heads[b] its part of the one that is open at its beginning;
// firsts[b] is 4 times the number of the first run that begins in it, plus 2 if heads[b] holds something, plus 1 if a run
// begins in it. The end of the column begins a run without elements.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
by_key_blocks(__global const sort_key *keys, __global const VALUE *values, ulong n, __global const ulong *counts,
              __global sort_key *to, __global VALUE *results, __global VALUE *tails, __global VALUE *heads,
              __global ulong *firsts, __global ulong *counted)
{
    __local ulong room[GROUP];
    __local VALUE open[RUNS_LEAVES];
    __local uint begun[RUNS_LEAVES];
    __local sort_key kept[SLOT(RUNS_BLOCK)];
    __local VALUE sums[SLOT(RUNS_BLOCK)];
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    ulong begin, end, first = counted_before(counts, group, room);

    share(n, group, groups, &begin, &end);
    end = group + 1 == groups ? n / RUNS_BLOCK + 1 : end / RUNS_BLOCK;
    for (ulong block = begin / RUNS_BLOCK; block < end; block++) {
        ulong start = block * RUNS_BLOCK;
        uint there = (uint)min(n - start, (ulong)RUNS_BLOCK);
        items key;
        leaf_of_values value;
        uint marks = load_leaf(keys, values, start, item, there, &key, &value), own = popcount(marks);
        VALUE tail = value.element[0];
#pragma unroll
        for (uint j = 1; j < RUNS_LEAF; j++)
            tail = marks >> j & 1 ? value.element[j] : combine(tail, value.element[j]);
        open[item] = tail;
        begun[item] = own;
        scan_leaves(open, begun, item);

        uint position = begun[item] - own, all = begun[RUNS_LEAVES - 1];
        VALUE part = value.element[0];
        bool some = true; // `part` holds something: an element, or what was open before the leaf
        uint run = position;
        if (marks) {
            VALUE before = open[item > 0 ? item - 1 : 0];
            some = false;
#pragma unroll
            for (uint j = 0; j < RUNS_LEAF; j++) {
                if (marks >> j & 1) {
                    if (run == position && item > 0) // the run that was open before the leaf
                        part = some ? combine(before, part) : before;
                    some = some || item > 0;
                    if (run > 0)
                        sums[SLOT(run - 1)] = part;
                    else {
                        if (some)
                            heads[block] = part;
                        firsts[block] = first * 4 + (some ? 3 : 1);
                    }
                    kept[SLOT(run)] = key.element[j];
                    run++;
                    part = value.element[j];
                } else {
                    part = some || run > position ? combine(part, value.element[j]) : value.element[j];
                }
                some = true;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint named = there < RUNS_BLOCK ? all - 1 : all; // runs that have a key
        for (uint i = item; i < named; i += GROUP)
            to[first + i] = kept[SLOT(i)];
        for (uint i = item; i + 1 < all; i += GROUP)
            results[first + i] = sums[SLOT(i)];
        if (item == 0) {
            tails[block] = open[RUNS_LEAVES - 1];
            if (all == 0)
                firsts[block] = 0;
        }
        first += named;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (group + 1 == groups && item == 0)
        counted[0] = first;
}

// For units of a leaf: their parts of the run that is open at their end, and how many of them begin one; there are `count`
// units.
static inline VALUE fold_units(__global const VALUE *tails, __global const ulong *firsts, ulong at, ulong count, uint *begun)
{
    VALUE tail = tails[at < count ? at : 0];

    *begun = at < count ? (uint)(firsts[at] & 1) : 0;
    for (uint j = 1; j < RUNS_LEAF; j++)
        if (at + j < count) {
            bool begins = firsts[at + j] & 1;
            tail = begins ? tails[at + j] : combine(tail, tails[at + j]);
            *begun += begins;
        }
    return tail;
}

// Sets tails[to + g] and firsts[to + g] to those of block g of the units [from, from + count).
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void by_key_totals(__global VALUE *tails, __global ulong *firsts,
                                                                               ulong from, ulong count, ulong to)
{
    __local VALUE open[RUNS_LEAVES];
    __local uint begun[RUNS_LEAVES];
    uint item = (uint)get_local_id(0), own;

    open[item] = fold_units(tails + from, firsts + from, (ulong)get_global_id(0) * RUNS_LEAF, count, &own);
    begun[item] = own;
    scan_leaves(open, begun, item);
    if (item == 0) {
        tails[to + get_group_id(0)] = open[RUNS_LEAVES - 1];
        firsts[to + get_group_id(0)] = begun[RUNS_LEAVES - 1] > 0;
    }
}

// Computes the result so far of the run that is open where unit i of [from, from + count) begins, and writes it to
// opened[from + i], or with `close` to the results, combined with the unit's part if the run ends in it. opened[above + g]
// is the same for block g of the units, if there is more than one block.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
by_key_close(__global const VALUE *tails, __global const VALUE *heads, __global const ulong *firsts, __global VALUE *opened,
             ulong from, ulong count, ulong above, uint close, __global VALUE *results)
{
    __local VALUE open[RUNS_LEAVES];
    __local uint begun[RUNS_LEAVES];
    uint item = (uint)get_local_id(0), own, begins;
    ulong at = (ulong)get_global_id(0) * RUNS_LEAF;
    VALUE part, before, earlier;
    bool some = false, begun_here = false; // `part` holds units of the leaf; the run begins among them

    part = open[item] = fold_units(tails + from, firsts + from, at, count, &own);
    begun[item] = own;
    scan_leaves(open, begun, item);
    begins = begun[item] - own; // how many units of the block before this one begin a run
    before = earlier = open[item > 0 ? item - 1 : 0];
    if (count > RUNS_BLOCK)
        earlier = opened[above + get_group_id(0)];
    for (uint j = 0; j < RUNS_LEAF && at + j < count; j++) {
        ulong first = firsts[from + at + j];
        VALUE all = part, tail = tails[from + at + j];
        if (!begun_here && item > 0)
            all = some ? combine(before, part) : before;
        if (begins == 0 && count > RUNS_BLOCK)
            all = some || item > 0 ? combine(earlier, all) : earlier;
        if (!close)
            opened[from + at + j] = all;
        else if ((first & 1) && first > 3) // no run precedes the first one
            results[first / 4 - 1] = first & 2 ? combine(all, heads[at + j]) : all;
        part = some && !(first & 1) ? combine(part, tail) : tail;
        begun_here = begun_here || (first & 1);
        begins += (uint)(first & 1);
        some = true;
    }
}
