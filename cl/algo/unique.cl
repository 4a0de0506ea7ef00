// SPDX-License-Identifier: Apache-2.0
// The runs of a column of any type (lib/runs.clh): of neighbours that are equal, the first one, and how many they are.
// Launch: unique_count, then unique_write with the same groups; each takes a stretch of the column (lib/compact.clh).
// Cost: reads x twice, writes what is kept once.
// Tunables: GROUP, LOADS (lib/compact.clh), KEY_BITS, KEY_KIND (lib/key.clh), LENGTH (uint or ulong, the lengths' type; not
// defined: no lengths), VALUES (0: no values).
#ifndef VALUES
#define VALUES 1
#endif

#include "../lib/runs.clh"

// counts[g]: how many runs begin in group g's stretch; counts[groups + g]: where the last of them does, and 1; 0 if none.
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
            last = start + place_in_tile(item, 31 - clz(heads)) + 1;
    }
    count = sum_of_group(count, room);
    last = most_of_group(last, room);
    if (item == 0) {
        counts[group] = count;
        counts[groups + group] = last;
    }
#endif
}

// The first element of each run to values, how many it has to lengths, and the number of runs to counted[0].
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
unique_write(__global const sort_key *x, ulong n, __global const ulong *counts, __global sort_key *values,
#ifdef LENGTH
             __global LENGTH *lengths,
#endif
             __global ulong *counted)
{
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    ulong begin, end, to = 0;
#ifdef LENGTH
    ulong last = 0; // where the run that is open begins, and 1; 0: none does
#endif

    share(n, group, groups, &begin, &end);
#if GROUP == 1
    for (uint g = 0; g < group; g++) {
        to += counts[g];
#ifdef LENGTH
        last = max(last, counts[groups + g]);
#endif
    }
    for (ulong i = begin; i < end; i++)
        if (i == 0 || !same(x[i - 1], x[i])) {
#ifdef LENGTH
            if (to > 0)
                lengths[to - 1] = (LENGTH)(i + 1 - last);
            last = i + 1;
#endif
#if VALUES
            values[to] = x[i];
#endif
            to++;
        }
#else
    __local ulong room[GROUP];
    __local uint sums[SUMS];
    to = counted_before(counts, group, room);
#if VALUES
    __local sort_key kept[SLOT(TILE)];
#endif
#ifdef LENGTH
    __local ushort heads_at[SLOT(TILE)];
    for (uint g = item; g < group; g += GROUP)
        last = max(last, counts[groups + g]);
    last = most_of_group(last, room);
#endif
    for (ulong start = begin; start < end; start += TILE) {
        items tile;
        uint there = (uint)min(end - start, (ulong)TILE), places[LOADS];
        load_tile(&tile, x + start, item, there);
        uint heads = find_heads(&tile, x, start, item, there);
        uint count = find_places(heads, item, places, sums);
#pragma unroll
        for (uint r = 0; r < LOADS; r++) {
            uint place = places[r];
#pragma unroll
            for (uint j = 0; j < PER_LOAD; j++)
                if (heads & 1u << (r * PER_LOAD + j)) {
#if VALUES
                    kept[SLOT(place)] = tile.element[r * PER_LOAD + j];
#endif
#ifdef LENGTH
                    heads_at[SLOT(place)] = (ushort)place_in_tile(item, r * PER_LOAD + j);
#endif
                    place++;
                }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i < count; i += GROUP) {
#if VALUES
            values[to + i] = kept[SLOT(i)];
#endif
#ifdef LENGTH
            ulong head = start + heads_at[SLOT(i)] + 1, before = last;
            if (i > 0)
                before = start + heads_at[SLOT(i - 1)] + 1;
            if (to + i > 0)
                lengths[to + i - 1] = (LENGTH)(head - before);
#endif
        }
#ifdef LENGTH
        if (count > 0)
            last = start + heads_at[SLOT(count - 1)] + 1;
#endif
        to += count;
    }
#endif
    if (group + 1 == groups && item == 0) {
        counted[0] = to;
#ifdef LENGTH
        lengths[to - 1] = (LENGTH)(n + 1 - last);
#endif
    }
}
