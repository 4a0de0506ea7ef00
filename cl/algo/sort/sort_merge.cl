// SPDX-License-Identifier: Apache-2.0
// Stable merge sort of elements of any type by the caller's comparison, with values that move along, over the whole array
// or within segments of it. Merges are cut into pieces of equal size by bisection along the merge path (Odeh, Green,
// Mwassi, Shmueli, Birk 2012), so that every work-item has the same amount of work, whatever the data.
//
// With SEGMENTS, position decides: the elements of a segment stay in its range. A tile that holds whole segments sorts each
// of them; a segment over several tiles is merged in pairs of runs counted from its own first tile; neighbours of the
// segment in its first and last tile are copied.
//
// A comparison that is not a strict weak order gives elements in no particular order, or some of them twice, but never an
// access out of bounds: bisection stays inside its bounds whatever it finds, and every piece is checked before it is read.
//
// On a CPU (KN_CPU) a group is one work-item that sorts and merges its tile by itself. Mesa's llvmpipe runs vectors of
// work-items: those past the end of the group run along, and their loads return 0; a loop of theirs that never ends uses up
// the iterations that all loops of the vector may have. So no loop here runs until loaded numbers reach one that is not
// loaded.
//
// Launch, groups of GROUP (KN_CPU: of 1), a group for every TILE = GROUP * ITEMS elements unless said otherwise:
//   check_segments, find_segments   with SEGMENTS: a work-item a segment; a work-item a tile
//   sort_tiles                      every tile sorted in local memory
//   for level = 0, 1, ... until a run of TILE << level holds the longest segment:
//     find_splits                   where each tile's output begins in its two runs: a work-item a tile (or not launched,
//                                   and every group of merge_tiles looks for itself)
//     merge_tiles                   runs of TILE << level, in pairs
// Cost: 1 + ceil(log2(longest segment / TILE)) passes that read and write everything.
// Tunables: TYPE (the keys'), LESS (an expression over `a` and `b`: whether a comes before b), DEFINITIONS (what both
// need), VALUE (the values' type; not defined: no values), SEGMENTS, GROUP (work-items, a power of two), ITEMS
// (elements a work-item, at most 32; odd numbers avoid conflicts between memory banks).
#ifndef TYPE
#define TYPE float
#define LESS a < b
#endif
#ifndef DEFINITIONS
#define DEFINITIONS
#endif
#ifndef SEGMENTS
#define SEGMENTS 0
#endif
#ifndef GROUP
#define GROUP 256
#endif
#ifndef ITEMS
#define ITEMS 19
#endif
#define TILE (GROUP * ITEMS)
#if KN_CPU
#define LANES 1
#else
#define PROBES (GROUP < 32 ? GROUP : 32)
#define LANES GROUP
#endif

#include "merge.clh"

// ---- segments ----

#if SEGMENTS
// found[0] becomes the lowest level at which each segment is one run, found[1] the number of violations in the offsets: a
// descent, a first other than 0, a last other than n.
__kernel void check_segments(ulong n, __global const ulong *offsets, ulong segments, __global uint *found)
{
    ulong i = get_global_id(0);
    uint level = 0;

    if (i >= segments)
        return;
    ulong begin = offsets[i], end = offsets[i + 1];
    if (end < begin || end > n || (i == 0 && begin != 0) || (i + 1 == segments && end != n)) {
        atomic_inc(&found[1]);
        return;
    }
    if (begin == end)
        return;
    ulong tiles = (end - 1) / TILE - begin / TILE;
    while (tiles >> level)
        level++;
    if (level > 0) // no more segments than tiles: each of these crosses the end of one
        atomic_max(&found[0], level);
}

// Sets through[tile] to the number of offsets not greater than the tile's first position.
__kernel void find_segments(ulong n, __global const ulong *offsets, ulong segments, __global ulong *through)
{
    ulong tile = get_global_id(0);

    if (tile * TILE < n)
        through[tile] = count_not_greater(offsets, segments + 1, tile * TILE);
}
#endif

// ---- a tile, and a part of a merge, by one work-item ----
#if KN_CPU

#define INSERTED 8 // elements sorted by insertion

// Merges from[begin..middle) and from[middle..end) into to[begin..end).
static inline void merge_local(__local const entry *from, __local entry *to, uint begin, uint middle, uint end)
{
    uint a = begin, b = middle, i = begin;

    while (a < middle && b < end) {
        int take_b = less(KEY(from[b]), KEY(from[a])) != 0;
        to[i++] = from[take_b ? b : a];
        b += take_b;
        a += !take_b;
    }
    while (i < end)
        to[i++] = from[a < middle ? a++ : b++];
}

// Sorts tile[begin..end).
static inline void sort_run(__local entry *tile, __local entry *spare, uint begin, uint end)
{
    __local entry *from = tile, *to = spare;

    for (uint i = begin; i < end; i++) {
        uint least = begin + (i - begin) / INSERTED * INSERTED;
        uint j = i;
        entry e = tile[i];
        while (j > least && less(KEY(e), KEY(tile[j - 1]))) {
            tile[j] = tile[j - 1];
            j--;
        }
        tile[j] = e;
    }
    for (uint run = INSERTED; run < end - begin; run *= 2) {
        for (uint i = begin; i < end; i += 2 * run)
            merge_local(from, to, i, min(i + run, end), min(i + 2 * run, end));
        __local entry *swapped = from;
        from = to;
        to = swapped;
    }
    for (uint i = begin; i < end && from != tile; i++)
        tile[i] = from[i];
}

static inline void merge_part(__global const TYPE *keys, __global const VALUE *values, part p, __local entry *tile,
                       __global TYPE *out_keys, __global VALUE *out_values)
{
    ulong a = p.a, b = p.b, end_a = p.a + p.of_a, end_b = p.b + (p.count - p.of_a), i = p.at;

    while (a < end_a && b < end_b) {
        int take_b = less(keys[b], keys[a]) != 0;
        store_entry(out_keys, out_values, i++, load_entry(keys, values, take_b ? b : a));
        b += take_b;
        a += !take_b;
    }
    for (; a < end_a; a++)
        store_entry(out_keys, out_values, i++, load_entry(keys, values, a));
    for (; b < end_b; b++)
        store_entry(out_keys, out_values, i++, load_entry(keys, values, b));
}

__kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
sort_tiles(__global const TYPE *keys, __global const VALUE *values, ulong n, __global const ulong *offsets,
           ulong segments, __global const ulong *through, __global TYPE *out_keys, __global VALUE *out_values)
{
    __local entry tile[TILE], spare[TILE];
    ulong base = (ulong)get_group_id(0) * TILE;
#if SEGMENTS
    n = offsets[segments]; // the same value, but the bound of the loop over segments is then loaded as they are (see above)
#endif
    uint count = (uint)min((ulong)TILE, n - base);

    for (uint i = 0; i < count; i++)
        tile[i] = load_entry(keys, values, base + i);
#if SEGMENTS
    uint begin = 0;
    for (ulong i = through[get_group_id(0)]; begin < count; i++) {
        uint end = (uint)min(offsets[i] - base, (ulong)count);
        sort_run(tile, spare, begin, end);
        begin = end;
    }
#else
    sort_run(tile, spare, 0, count);
#endif
    for (uint i = 0; i < count; i++)
        store_entry(out_keys, out_values, base + i, tile[i]);
}

// ---- the same by a group ----
#else

// Positions [at, at + ITEMS) of the result of merging tile[begin..middle) with tile[middle..end).
static inline void merge_own(__local const entry *tile, uint begin, uint middle, uint end, uint at, entry own[ITEMS])
{
    uint a = split_tile(tile, begin, middle, end, at);
    uint b = middle + at - a;
    entry from_a = tile[min(a, TILE - 1u)];
    entry from_b = tile[min(b, TILE - 1u)];

#pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        int first = less(KEY(from_b), KEY(from_a)) != 0;
        int take_b = (a >= middle) | ((b < end) & first);
#if SEGMENTS
        take_b &= (a >= begin);
#endif
        own[k] = take_b ? from_b : from_a;
        a += !take_b;
        b += take_b;
        entry next = tile[min(take_b ? b : a, TILE - 1u)];
        if (take_b)
            from_b = next;
        else
            from_a = next;
    }
}

// Odd-even transposition: only neighbours are exchanged, so that it is stable and no element leaves its segment. Bit k of
// `heads`: a segment begins at own[k].
static inline void sort_own(entry own[ITEMS], uint heads)
{
#pragma unroll
    for (uint round = 0; round < ITEMS; round++) {
#pragma unroll
        for (uint k = round & 1; k + 1 < ITEMS; k += 2) {
            int swapped = less(KEY(own[k + 1]), KEY(own[k])) != 0;
#if SEGMENTS
            swapped &= !(heads >> (k + 1) & 1);
#endif
            if (swapped) {
                entry e = own[k];
                own[k] = own[k + 1];
                own[k + 1] = e;
            }
        }
    }
}

// Replaces the others by the greatest of a work-item's first `count` elements: padding that stays behind.
static inline void fill_own(entry own[ITEMS], uint count)
{
    entry greatest = own[0];

#pragma unroll
    for (uint k = 1; k < ITEMS; k++) {
        if (k >= count)
            own[k] = greatest;
        else if (!less(KEY(own[k]), KEY(greatest)))
            greatest = own[k];
    }
}

static inline void take_own(__local const entry *tile, uint item, entry own[ITEMS])
{
#pragma unroll
    for (uint k = 0; k < ITEMS; k++)
        own[k] = tile[item * ITEMS + k];
}

// Belongs between two barriers: others have read what is written here, and will read it.
static inline void put_own(__local entry *tile, uint item, const entry own[ITEMS])
{
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint k = 0; k < ITEMS; k++)
        tile[item * ITEMS + k] = own[k];
    barrier(CLK_LOCAL_MEM_FENCE);
}

static inline void store_tile(__global TYPE *keys, __global VALUE *values, ulong at, uint count, __local const entry *tile)
{
    uint item = (uint)get_local_id(0);

#pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        uint i = k * GROUP + item;
        if (i < count)
            store_entry(keys, values, at + i, tile[i]);
    }
}

#if SEGMENTS
// The heads of segments in a tile: as bits for each work-item's elements; and where the segment of its first element begins
// and ends.
static inline void find_heads(ulong base, uint count, __global const ulong *offsets, ulong first, ulong last,
                       __local uint *heads, __local uint *left, __local uint *right)
{
    uint item = (uint)get_local_id(0);
    ulong at = base + min(item * ITEMS, count - 1);
    ulong through = first - 1 + count_not_greater(offsets + (first - 1), last - (first - 1), at);
    ulong begin = offsets[through - 1], end = offsets[through];

    left[item] = begin > base ? (uint)(begin - base) : 0;
    right[item] = (uint)min(end - base, (ulong)count);
    heads[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = first + item; i < last; i += GROUP) {
        ulong head = offsets[i] - base;
        if (head < count)
            atomic_or(&heads[(uint)head / ITEMS], 1u << ((uint)head % ITEMS));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

__kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
sort_tiles(__global const TYPE *keys, __global const VALUE *values, ulong n, __global const ulong *offsets,
           ulong segments, __global const ulong *through, __global TYPE *out_keys, __global VALUE *out_values)
{
    __local entry tile[TILE];
    uint item = (uint)get_local_id(0);
    ulong base = (ulong)get_group_id(0) * TILE;
    uint count = (uint)min((ulong)TILE, n - base);
    uint at = min(item * ITEMS, count);
    uint own_heads = 0;
    entry own[ITEMS];
#if SEGMENTS
    __local uint heads[GROUP], left[GROUP], right[GROUP];
    ulong number = get_group_id(0);
    find_heads(base, count, offsets, through[number], base + TILE < n ? through[number + 1] : segments + 1, heads, left,
               right);
    own_heads = heads[item];
#endif

#pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        uint i = k * GROUP + item;
        tile[i] = load_entry(keys, values, base + (i < count ? i : 0));
    }
    // In place: the first element is written by one work-item, and others have read it.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    take_own(tile, item, own);
    if (count - at < ITEMS) {
#if SEGMENTS
        own_heads |= 1u << (count - at); // what follows belongs to no segment
#else
        fill_own(own, count - at);
#endif
    }
    sort_own(own, own_heads);
    for (uint lanes = 1; lanes < GROUP && lanes * ITEMS < count; lanes *= 2) {
        uint pair = item & ~(2 * lanes - 1);
        uint begin = min(pair * ITEMS, count);
        uint middle = min((pair + lanes) * ITEMS, count);
        uint end = min((pair + 2 * lanes) * ITEMS, count);
#if SEGMENTS
        begin = middle < count ? max(begin, left[pair + lanes]) : middle;
        end = middle < count ? min(end, right[pair + lanes]) : middle;
#endif
        put_own(tile, item, own);
        merge_own(tile, begin, middle, end, at, own);
    }
    put_own(tile, item, own);
    store_tile(out_keys, out_values, base, count, tile);
}

static inline void merge_part(__global const TYPE *keys, __global const VALUE *values, part p, __local entry *tile,
                       __global TYPE *out_keys, __global VALUE *out_values)
{
    uint item = (uint)get_local_id(0);
    entry own[ITEMS];

    barrier(CLK_LOCAL_MEM_FENCE); // the tile may hold another part
#pragma unroll
    for (uint k = 0; k < ITEMS; k++) {
        uint i = min(k * GROUP + item, p.count - 1);
        tile[k * GROUP + item] = load_entry(keys, values, i < p.of_a ? p.a + i : p.b + (i - p.of_a));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    merge_own(tile, 0, p.of_a, p.count, min(item * ITEMS, p.count), own);
    put_own(tile, item, own);
    store_tile(out_keys, out_values, p.at, p.count, tile);
}
#endif

// ---- merges ----

// Sets split[tile] to the place in the first of its two runs where a tile's output begins.
__kernel void find_splits(__global const TYPE *keys, ulong n, uint level, __global const ulong *offsets,
                          __global const ulong *through, __global ulong *split)
{
    ulong tile = get_global_id(0);
    ulong at = tile * TILE;

    if (at >= n)
        return;
    runs r = runs_around(segment_of(n, offsets, through, tile), tile, level);
    split[tile] = r.middle < r.end ? split_memory(keys, r.begin, r.middle, r.end, at) : at;
}

// Where [at, until) begins and ends in the first run of its pair: of `r`, and of `e`, which contains `until`.
typedef struct {
    ulong from, to;
} span;

#if KN_CPU
static inline span search_splits(__global const TYPE *keys, runs r, ulong at, runs e, ulong until)
{
    span s = {split_memory(keys, r.begin, r.middle, r.end, at), split_memory(keys, e.begin, e.middle, e.end, until)};

    return s;
}
#else

typedef struct {
    runs r;
    ulong at, low, high;
    uint below; // number of probes below the place sought
} search;

static inline search search_for(runs r, ulong at)
{
    search s = {r, at, r.begin, min(at, r.middle), 0};

    if (at - r.begin > r.end - r.middle)
        s.low = at - (r.end - r.middle);
    if (at <= r.begin)
        s.low = s.high = at;
    if (at >= r.end)
        s.low = s.high = r.middle;
    return s;
}

// PROBES work-items look at PROBES positions at once: fewer steps than bisection, each of which waits for memory.
static inline span search_splits(__global const TYPE *keys, runs r, ulong at, runs e, ulong until, __local search both[2])
{
    uint item = (uint)get_local_id(0);
    span found;

    if (item == 0) {
        both[0] = search_for(r, at);
        both[1] = search_for(e, until);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    while (both[0].low < both[0].high || both[1].low < both[1].high) {
        for (uint i = 0; i < 2 && item < PROBES; i++) {
            ulong low = both[i].low, size = both[i].high - low;
            ulong a = low + size * (item + 1) / (PROBES + 1);
            if (size > 0 && !less(keys[both[i].r.middle + (both[i].at - 1 - a)], keys[a]))
                atomic_inc(&both[i].below);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < 2 && item == 0; i++) {
            ulong low = both[i].low, size = both[i].high - low;
            uint below = both[i].below;
            if (below > 0)
                both[i].low = low + size * below / (PROBES + 1) + 1;
            if (size > 0 && below < PROBES)
                both[i].high = low + size * (below + 1) / (PROBES + 1);
            both[i].high = max(both[i].high, both[i].low); // without a strict weak order, `low` may have passed it
            both[i].below = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    found.from = both[0].low;
    found.to = both[1].low;
    return found;
}
#endif

// `given`: split holds what find_splits found; otherwise every group finds it for itself.
__kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
merge_tiles(__global const TYPE *keys, __global const VALUE *values, ulong n, uint level, __global const ulong *offsets,
            __global const ulong *through, __global const ulong *split, uint given, __global TYPE *out_keys,
            __global VALUE *out_values)
{
    ulong number = get_group_id(0);
    ulong at = number * TILE;
    ulong until = min(n, at + TILE);
    segment s = segment_of(n, offsets, through, number);
    runs r = runs_around(s, number, level);
    runs e = r; // the pair in which the tile ends
    ulong stop = max(at, min(until, s.end)), begin = until;
#if SEGMENTS
    segment next = until < n ? segment_of(n, offsets, through, number + 1) : s;
    if (next.begin > at && next.begin < until) { // it goes on in the next tile
        begin = next.begin;
        e = runs_around(next, number, level);
    }
    for (ulong i = stop + get_local_id(0); i < begin; i += LANES)
        store_entry(out_keys, out_values, i, load_entry(keys, values, i));
#endif
    ulong last = min(until, e.end);
#if KN_CPU
    __local entry tile[1];
    span found = search_splits(keys, r, at, e, last);
#else
    __local entry tile[TILE];
    __local search both[2];
    span found = search_splits(keys, r, given ? r.begin : at, e, given ? e.begin : last, both);
#endif
    if (given) {
        found.from = split[number];
        found.to = last < e.end ? split[number + 1] : e.middle;
    }

    part first = part_of(r, at, found.from, stop, begin < until ? r.middle : found.to);
    part second = part_of(e, begin, begin, until, found.to);
    for (uint i = 0; i < (begin < until ? 2 : 1); i++) // a loop: compilers that split kernels at barriers double a branch
        merge_part(keys, values, i == 0 ? first : second, tile, out_keys, out_values);
}
