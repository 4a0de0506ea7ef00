// SPDX-License-Identifier: Apache-2.0
// The runs of a column of any type (lib/runs.clh): the first element of each run of equal neighbours, and the run's length.
// Launch: unique_count, then unique_write with the same groups; each takes a stretch of the column (lib/compact.clh).
// Cost: reads x twice, writes the results once.
// Tunables: GROUP, LOADS (lib/compact.clh), KEY_BITS, KEY_KIND (lib/key.clh), LENGTH (uint or ulong, the lengths' type; not
// defined: no lengths), VALUES (0: no values).
#ifndef VALUES
#define VALUES 1
#endif

#ifdef LENGTH
#define LENGTHS 1
#else
#define LENGTHS 0
#define LENGTH uint
#endif

#include "../lib/runs.clh"

// Sets counts[g] to the number of runs that begin in group g's stretch, and counts[groups + g] to 1 plus the position where
// the last of them begins, or to 0 if none begins there.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
unique_count(__global const sort_key *x, ulong n, __global ulong *counts)
{
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    ulong begin, end, count = 0, last = 0;

    share(n, group, groups, &begin, &end);
#if GROUP == 1
    for (ulong i = begin; i < end; i++)
        if (i == 0 || !same(x[i - 1], x[i])) {
            count++;
            last = i + 1;
        }
    counts[group] = count;
    counts[groups + group] = last;
#else
    __local ulong room[GROUP];
    for (ulong start = begin; start < end; start += TILE) {
        items tile;
        uint there = (uint)min(end - start, (ulong)TILE);
        load_tile(&tile, x + start, item, there);
        uint heads = find_heads(&tile, x, start, item, there);
        count += popcount(heads);
        if (heads)
            last = start + position_in_tile(item, 31 - clz(heads)) + 1;
    }
    count = sum_of_group(count, room);
    last = most_of_group(last, room);
    if (item == 0) {
        counts[group] = count;
        counts[groups + group] = last;
    }
#endif
}

#if GROUP > 1
// The elements of a tile that begin runs, and their positions in the tile, in order: `positions` as find_positions returns
// them.
inline void keep_heads(const items *tile, uint heads, const uint positions[LOADS], uint item, __local sort_key *kept,
                       __local ushort *heads_at)
{
#pragma unroll
    for (uint r = 0; r < LOADS; r++) {
        uint position = positions[r];
#pragma unroll
        for (uint j = 0; j < PER_LOAD; j++)
            if (heads & 1u << (r * PER_LOAD + j)) {
                if (VALUES)
                    kept[SLOT(position)] = tile->element[r * PER_LOAD + j];
                if (LENGTHS)
                    heads_at[SLOT(position)] = (ushort)position_in_tile(item, r * PER_LOAD + j);
                position++;
            }
    }
}
#endif

// Writes the first element of each run to values, its length to lengths, and the number of runs to counted[0].
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
unique_write(__global const sort_key *x, ulong n, __global const ulong *counts, __global sort_key *values,
#if LENGTHS
             __global LENGTH *lengths,
#endif
             __global ulong *counted)
{
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    ulong begin, end, to = 0, last = 0; // last: 1 plus the position where the open run begins; 0 if no run is open
#if !LENGTHS
    __global LENGTH *lengths = 0;
#endif

    share(n, group, groups, &begin, &end);
#if GROUP == 1
    for (uint g = 0; g < group; g++) {
        to += counts[g];
        last = max(last, counts[groups + g]);
    }
    for (ulong i = begin; i < end; i++)
        if (i == 0 || !same(x[i - 1], x[i])) {
            if (LENGTHS && to > 0)
                lengths[to - 1] = (LENGTH)(i + 1 - last);
            if (VALUES)
                values[to] = x[i];
            last = i + 1;
            to++;
        }
#else
    __local ulong room[GROUP];
    __local uint sums[SUMS];
    __local sort_key kept[VALUES ? SLOT(TILE) : 1];
    __local ushort heads_at[LENGTHS ? SLOT(TILE) : 1];
    to = counted_before(counts, group, room);
    if (LENGTHS) {
        for (uint g = item; g < group; g += GROUP)
            last = max(last, counts[groups + g]);
        last = most_of_group(last, room);
    }
    for (ulong start = begin; start < end; start += TILE) {
        items tile;
        uint there = (uint)min(end - start, (ulong)TILE), positions[LOADS];
        load_tile(&tile, x + start, item, there);
        uint heads = find_heads(&tile, x, start, item, there);
        uint count = find_positions(heads, item, positions, sums);
        keep_heads(&tile, heads, positions, item, kept, heads_at);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i < count; i += GROUP) {
            if (VALUES)
                values[to + i] = kept[SLOT(i)];
            if (LENGTHS && to + i > 0) {
                ulong before = i > 0 ? start + heads_at[SLOT(i - 1)] + 1 : last;
                lengths[to + i - 1] = (LENGTH)(start + heads_at[SLOT(i)] + 1 - before);
            }
        }
        if (LENGTHS && count > 0)
            last = start + heads_at[SLOT(count - 1)] + 1;
        to += count;
    }
#endif
    if (group + 1 == groups && item == 0) {
        counted[0] = to;
        if (LENGTHS)
            lengths[to - 1] = (LENGTH)(n + 1 - last);
    }
}
