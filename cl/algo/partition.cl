// SPDX-License-Identifier: Apache-2.0
// Selects the elements for which a condition holds, in their order; with OTHERS, the rest follow them, in their order.
// Launch: partition_count, then partition_write with the same groups; each takes a stretch of the column (lib/compact.clh).
// Cost: reads x twice, writes the selected elements once.
// Tunables: TYPE (the elements'), ELEMENT_SIZE (its bytes), DEFINITIONS (what it and the condition need), HOLDS (an
// expression of x), OTHERS, GROUP, LOADS (lib/compact.clh).
#ifndef TYPE
#define TYPE float
#define ELEMENT_SIZE 4
#define HOLDS x > 0
#endif
#ifndef DEFINITIONS
#define DEFINITIONS
#endif
#ifndef OTHERS
#define OTHERS 0
#endif

DEFINITIONS

typedef TYPE partition_element;
typedef char type_has_not_the_size_that_was_given[sizeof(partition_element) == ELEMENT_SIZE ? 1 : -1];

#define ELEMENT partition_element
#include "../lib/compact.clh"

inline bool holds(partition_element x)
{
    return HOLDS;
}

// Marks the elements of a work-item for which the condition holds. The tile begins at x and has `count` elements.
static inline uint find_kept(const items *tile, __global const partition_element *x, uint item, uint count)
{
    uint kept = 0;

#pragma unroll
    for (uint j = 0; j < ITEMS; j++) {
#if HELD
        kept |= holds(tile->element[j]) ? 1u << j : 0;
#else
        uint position = position_in_tile(item, j);
        kept |= position < count && holds(x[position]) ? 1u << j : 0;
#endif
    }
    return marks_within(kept, item, count);
}

// Sets counts[g] to the number of elements of group g's stretch for which the condition holds.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
partition_count(__global const partition_element *x, ulong n, __global ulong *counts)
{
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
    ulong begin, end, count = 0;

    share(n, group, (uint)get_num_groups(0), &begin, &end);
#if GROUP == 1
    for (ulong i = begin; i < end; i++)
        count += holds(x[i]);
#else
    __local ulong room[GROUP];
    for (ulong start = begin; start < end; start += TILE) {
        items tile;
        uint there = (uint)min(end - start, (ulong)TILE);
        load_tile(&tile, x + start, item, there);
        count += popcount(find_kept(&tile, x + start, item, there));
    }
    count = sum_of_group(count, room);
#endif
    if (item == 0)
        counts[group] = count;
}

// Writes the elements to `out`, and the number of those for which the condition holds to counted[0].
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
partition_write(__global const partition_element *x, ulong n, __global const ulong *counts,
                __global partition_element *out, __global ulong *counted)
{
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    ulong begin, end, to = 0;
#if OTHERS
    ulong other = 0; // where the elements go for which it does not hold
#endif

    share(n, group, groups, &begin, &end);
#if GROUP == 1
    for (uint g = 0; g < group; g++)
        to += counts[g];
#if OTHERS
    for (uint g = 0; g < groups; g++)
        other += counts[g];
    other += begin - to;
#endif
    for (ulong i = begin; i < end; i++)
        if (holds(x[i]))
            out[to++] = x[i];
#if OTHERS
        else
            out[other++] = x[i];
#endif
#else
    __local ulong room[GROUP];
    __local uint sums[SUMS];
#if HELD
    __local partition_element kept[SLOT(TILE)];
#endif
    to = counted_before(counts, group, room);
#if OTHERS
    other = counted_before(counts, groups, room) + begin - to;
#endif
    for (ulong start = begin; start < end; start += TILE) {
        items tile;
        uint there = (uint)min(end - start, (ulong)TILE), positions[LOADS];
        load_tile(&tile, x + start, item, there);
        uint marks = find_kept(&tile, x + start, item, there);
        uint count = find_positions(marks, item, positions, sums);
#pragma unroll
        for (uint r = 0; r < LOADS; r++) {
            uint position = positions[r];
#pragma unroll
            for (uint j = 0; j < PER_LOAD; j++) {
                bool marked = marks >> (r * PER_LOAD + j) & 1;
#if HELD && OTHERS
                uint at = position_in_tile(item, r * PER_LOAD + j);
                if (marked || at < there)
                    kept[SLOT(marked ? position : count + at - position)] = tile.element[r * PER_LOAD + j];
#elif HELD
                if (marked)
                    kept[SLOT(position)] = tile.element[r * PER_LOAD + j];
#else
                uint at = position_in_tile(item, r * PER_LOAD + j);
                if (marked)
                    out[to + position] = x[start + at];
#if OTHERS
                else if (at < there)
                    out[other + at - position] = x[start + at];
#endif
#endif
                position += marked;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if HELD && OTHERS
        for (uint i = item; i < there; i += GROUP)
            out[i < count ? to + i : other + (i - count)] = kept[SLOT(i)];
#elif HELD
        for (uint i = item; i < count; i += GROUP)
            out[to + i] = kept[SLOT(i)];
#endif
        to += count;
#if OTHERS
        other += there - count;
#endif
    }
#endif
    if (group + 1 == groups && item == 0)
        counted[0] = to;
}
