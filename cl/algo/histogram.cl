// SPDX-License-Identifier: Apache-2.0
// Counts the elements of a column of any type in each bin of a histogram. The bin is found among `least`, the least element
// of each bin, exactly; if the bins are even, arithmetic finds it, and an element so close to an edge that rounding would
// decide is compared with that edge. Floats are compared as their stored bits, so that a device's handling of denormals has
// no influence.
// Launch: histogram_count with any number of groups for each part of the column (of at most 2^31 elements), and after each
// of them histogram_merge with a group for every 32 bins.
// Cost: reads x once.
// Tunables: GROUP (work-items, a power of two; 1: no atomics, for CPUs), LOADS (lib/tile.clh), KEY_BITS, KEY_KIND
// (lib/key.clh); BINS, ROOM (counters in local memory, at least BINS + 1; 0: in global memory), COPIES (copies of the
// counters, a power of two: neighbouring work-items use different copies), EVEN.
#ifndef GROUP
#define GROUP 256
#endif
#ifndef LOADS
#define LOADS 4
#endif
#ifndef BINS
#define BINS 256
#define ROOM 257
#endif
#ifndef COPIES
#define COPIES 4
#endif
#ifndef EVEN
#define EVEN 1
#endif

#include "../lib/key.clh"
#include "../lib/tile.clh"

#define MERGE_BINS 32
#define MERGE_ROWS 8

// The order of elements, except for NaN, which come at both ends.
#if KEY_KIND == 0
typedef sort_key ordered;
#elif KEY_BITS == 64
typedef long ordered;
#elif KEY_BITS == 32
typedef int ordered;
#elif KEY_BITS == 16
typedef short ordered;
#else
typedef char ordered;
#endif

inline ordered order_of(sort_key bits)
{
#if KEY_KIND == 2
    return (ordered)(bits ^ ((sort_key)((ordered)bits >> (KEY_BITS - 1)) & (KEY_MAX ^ KEY_SIGN)));
#else
    return (ordered)bits;
#endif
}

// The type in which an element's position among even bins is computed, in units of bins.
#if KEY_KIND == 2 && KEY_BITS == 64
typedef double real;
#else
typedef float real;
#endif

typedef struct {
    ordered first, last; // the range that is counted
    uint used;           // bins that have a least element
    real low, scale;     // of even bins: position = (x - low) * scale; of integers: (x - first + low) * scale
    real slack;          // how far a position may be from the true one, below 0.5
} range_of_bins;

#if ROOM
#define EDGES __local const ordered
#define EDGE(i) edges[i]
#else
#define EDGES __global const sort_key
#define EDGE(i) order_of(edges[i])
#endif

inline uint search(ordered element, EDGES *edges, uint used)
{
    uint low = 0, high = used; // the bin is in low..high - 1

    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (element >= EDGE(middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Returns BINS if the element is not counted.
inline uint find_bin(sort_key bits, const range_of_bins *range, EDGES *edges)
{
    ordered element = order_of(bits);

    if (element < range->first || element > range->last)
        return BINS;
#if EVEN
#if KEY_KIND < 2
    real position = ((real)(sort_key)((sort_key)element - (sort_key)range->first) + range->low) * range->scale;
#elif KEY_BITS == 64
    real position = (as_double(bits) - range->low) * range->scale;
#else
    real position = (as_float(bits) - range->low) * range->scale;
#endif
    real nearest = rint(position);
    uint edge = (uint)nearest;
    if (fabs(position - nearest) > range->slack)
        return min((uint)position, range->used - 1); // the last bin includes its upper end
    return edge == 0 || (edge < range->used && element >= EDGE(edge)) ? edge : edge - 1;
#else
    return search(element, edges, range->used);
#endif
}

#if ROOM
inline void tally(__local uint *counters, uint bin, uint item)
{
#if GROUP > 1
    atomic_inc(&counters[bin * COPIES + item % COPIES]);
#else
    counters[bin * COPIES]++;
#endif
}
#else
inline void tally(__global uint *counters, uint bin, uint item)
{
    if (bin < BINS)
        atomic_inc(&counters[bin]);
}
#endif

// Sets partial[group * BINS + i] to the number of the group's elements in bin i; without ROOM, adds it to partial[i]. The
// elements are the n from x[skip] on.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
histogram_count(__global const sort_key *x, ulong skip, ulong n, __global const sort_key *least, uint used, ulong top,
                real low, real scale, real slack, __global uint *partial)
{
#if ROOM
    __local uint counters[ROOM * COPIES];
    __local ordered edges[ROOM];
#else
    __global uint *counters = partial;
    __global const sort_key *edges = least;
#endif
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
    ulong i, end;
    range_of_bins range;

#if ROOM
    for (uint k = item; k < ROOM * COPIES; k += GROUP)
        counters[k] = 0;
    for (uint k = item; k < used; k += GROUP)
        edges[k] = order_of(least[k]);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    range.first = order_of(least[0]);
    range.last = order_of((sort_key)top);
    range.used = used;
    range.low = low;
    range.scale = scale;
    range.slack = slack;

    x += skip;
    share(n, group, (uint)get_num_groups(0), &i, &end);
    for (; i + TILE <= end; i += TILE) {
        items tile;
        load_tile(&tile, x, i);
#if GROUP > 1
#pragma unroll
#endif
        for (uint j = 0; j < ITEMS; j++)
            tally(counters, find_bin(tile.element[j], &range, edges), item);
    }
    for (i += item; i < end; i += GROUP)
        tally(counters, find_bin(x[i], &range, edges), item);
#if ROOM
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = item; bin < BINS; bin += GROUP) {
        uint all = 0;
        for (uint c = 0; c < COPIES; c++)
            all += counters[bin * COPIES + (c + item) % COPIES];
        partial[(ulong)group * BINS + bin] = all;
    }
#endif
}

// Adds up bin i of `rows` rows of `partial` in counts[i]; unless `first`, adds the sum to what was there.
__kernel __attribute__((reqd_work_group_size(MERGE_BINS, MERGE_ROWS, 1))) void
histogram_merge(__global const uint *partial, uint rows, uint bins, uint first, __global ulong *counts)
{
    __local ulong sums[MERGE_ROWS][MERGE_BINS];
    uint bin = (uint)get_global_id(0), column = (uint)get_local_id(0), row = (uint)get_local_id(1);
    ulong sum = 0;

    if (bin < bins)
        for (uint r = row; r < rows; r += MERGE_ROWS)
            sum += partial[(ulong)r * bins + bin];
    sums[row][column] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row == 0 && bin < bins) {
        for (uint r = 1; r < MERGE_ROWS; r++)
            sum += sums[r][column];
        counts[bin] = sum + (first ? 0 : counts[bin]);
    }
}
