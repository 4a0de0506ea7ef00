// SPDX-License-Identifier: Apache-2.0
// Stable radix sort, least significant digit first, 8 bits a pass: count, scan, scatter.
// No work-group waits for another (no look-back): each pass counts the digits of every group's chunk of keys, the counts
// are scanned, and each group moves its chunk tile by tile. A tile's keys are ranked by the lanes of a sub-group that
// hold the same digit (Ashkiani et al., GPU Multisplit, 2016; Adinets and Merrill, Onesweep, 2022), brought into order in
// local memory, and leave in runs.
//
// Launch, for every digit that is not constant:
//   count_digits     groups of GROUP, each for `chunk` keys (a multiple of TILE); zeroes the other `tables` of counts
//   scan_counts      256 groups of SCAN_GROUP, one a digit (not with `folded`: few groups, whose counts scatter_digits
//                    adds up itself)
//   scatter_digits   as count_digits; GROUP at least 256, or 1: a work-item a chunk, as CPUs like it. With AHEAD it counts
//                    the next pass's digits into the next table, where keys go: then count_digits runs for the first
//                    digit alone
// Cost: each pass reads the keys twice and writes them once; values are read once and written once.
// Tunables: KEY_BITS, KEY_KIND, KEY_DESCENDING (lib/key.clh), KN_SUBGROUP, KN_MATCH (lib/subgroup.clh), GROUP, KEYS (a
// work-item), VALUE_BYTES, RANKED (lib/element.clh),
// POSITION_BITS (64 for 2^32 elements and more), AHEAD (1: as said; folded only), PREFETCH (1: a tile is loaded before the
// one ahead of it is stored), STORES (unrolled), REPLICAS (of the bins).
#include "../../lib/element.clh"
#include "../../lib/subgroup.clh"

#include "../../shared/sort_radix.h"

#ifndef GROUP
#define GROUP 512
#endif
#ifndef KEYS
#define KEYS 16
#endif
#ifndef POSITION_BITS
#define POSITION_BITS 32
#endif
#ifndef REPLICAS
#define REPLICAS 1
#endif
#ifndef PREFETCH
#define PREFETCH 0
#endif
#ifndef STORES
#define STORES 4
#endif
#ifndef AHEAD
#define AHEAD 0
#endif
#ifndef SCAN_GROUP
#define SCAN_GROUP RADIX_SCAN_GROUP
#endif

#define TILE (GROUP * KEYS)
#define ROWS (GROUP / SUBGROUP_LEAST) // at most

#if POSITION_BITS == 64
typedef ulong position;
#else
typedef uint position;
#endif

#define LOADED(bits, flags) ((flags) & FIRST ? encode_key(bits) : (bits))
#define STORED(key, flags) ((flags) & LAST ? decode_key(key) : (key))

inline uint digit_of(sort_key key, uint shift)
{
    return (uint)(ORDER(key) >> shift) & (DIGITS - 1);
}

inline size_t count_index(uint digit, size_t group, uint groups, uint flags)
{
    return flags & FOLDED ? group * DIGITS + digit : (size_t)digit * groups + group;
}

// Which bits differ among the keys of a class: those that are set in some, and those that are clear in some. A digit that
// is constant in each class needs no pass, for the digits above tell the classes apart: negative and positive numbers,
// whose flipped bits differ, by their sign; and what lib/key.clh's rotation leaves below the sign (zeros and positive
// denormals, whose bits are not flipped) by the exponent, which is all ones there.
#if KEY_KIND == 2
#define KEY_MIDDLE KEY_INFINITY
#else
#define KEY_MIDDLE KEY_SIGN // none
#endif

typedef struct {
    sort_key set[CLASSES], clear[CLASSES];
} key_masks;

inline void gather(key_masks *masks, sort_key key)
{
    sort_key order = ORDER(key);
    uint class_of_key = order >= KEY_SIGN ? 2 : order >= KEY_MIDDLE ? 1 : 0;

#pragma unroll
    for (uint i = 0; i < CLASSES; i++) {
        masks->set[i] |= i == class_of_key ? order : 0;
        masks->clear[i] |= i == class_of_key ? (sort_key)~order : 0;
    }
}

#define MASK_WORDS (CLASSES * 4) // two for each class's set and clear

inline uint mask_word(const key_masks *own, uint i)
{
    ulong bits = i & 2 ? own->clear[i / 4] : own->set[i / 4];
    return (uint)(i & 1 ? bits >> 32 : bits);
}

#if GROUP == 1

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void count_digits(__global const sort_key *keys, ulong n,
                                                                          ulong chunk, uint shift, uint flags,
                                                                          uint tables, __global uint *counts,
                                                                          __global uint *masks)
{
    size_t group = get_group_id(0);
    uint groups = (uint)get_num_groups(0);
    ulong begin = group * chunk, end = min(begin + chunk, n);
    uint bins[DIGITS];
    key_masks own = {{0, 0, 0}, {0, 0, 0}};

    for (uint digit = 0; digit < DIGITS; digit++)
        bins[digit] = 0;
    for (ulong i = begin; i < end; i++) {
        sort_key key = LOADED(keys[i], flags);
        bins[digit_of(key, shift)]++;
        if (flags & MASKS)
            gather(&own, key);
    }
    for (uint digit = 0; digit < DIGITS; digit++)
        counts[count_index(digit, group, groups, flags)] = bins[digit];
    for (uint i = 0; i < MASK_WORDS && flags & MASKS; i++)
        atomic_or(&masks[i], mask_word(&own, i));
}

#else

// 16 bytes of keys.
#define PACK (128 / KEY_BITS)
#define PACKS 4
typedef union {
    uint4 words;
    sort_key keys[PACK];
} key_pack;

inline void count_key(sort_key bits, uint shift, uint flags, __local uint *bins, key_masks *own)
{
    sort_key key = LOADED(bits, flags);

    atomic_inc(&bins[digit_of(key, shift)]);
    if (flags & MASKS)
        gather(own, key);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void count_digits(__global const sort_key *keys, ulong n,
                                                                              ulong chunk, uint shift, uint flags,
                                                                              uint tables, __global uint *counts,
                                                                              __global uint *masks)
{
    __local uint bins[REPLICAS * DIGITS], group_masks[MASK_WORDS];
    uint item = (uint)get_local_id(0);
    size_t group = get_group_id(0);
    uint groups = (uint)get_num_groups(0);
    ulong begin = group * chunk, end = min(begin + chunk, n), i = begin;
    __global const uint4 *packs = (__global const uint4 *)keys;
    __local uint *own_bins = bins + (item / 32) % REPLICAS * DIGITS;
    key_masks own = {{0, 0, 0}, {0, 0, 0}};

    for (uint bin = item; bin < REPLICAS * DIGITS; bin += GROUP)
        bins[bin] = 0;
    if (item < MASK_WORDS)
        group_masks[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (; i + GROUP * PACK * PACKS <= end; i += GROUP * PACK * PACKS) {
        key_pack pack[PACKS];
#pragma unroll
        for (uint p = 0; p < PACKS; p++)
            pack[p].words = packs[i / PACK + p * GROUP + item];
#pragma unroll
        for (uint p = 0; p < PACKS; p++)
#pragma unroll
            for (uint k = 0; k < PACK; k++)
                count_key(pack[p].keys[k], shift, flags, own_bins, &own);
    }
    for (i += item; i < end; i += GROUP)
        count_key(keys[i], shift, flags, own_bins, &own);
    if (flags & MASKS) {
#pragma unroll
        for (uint word = 0; word < MASK_WORDS; word++)
            sub_add_bits(&group_masks[word], mask_word(&own, word), item % SUBGROUP_LEAST);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item; digit < DIGITS; digit += GROUP) {
        uint count = 0;
        for (uint replica = 0; replica < REPLICAS; replica++)
            count += bins[replica * DIGITS + digit];
        counts[count_index(digit, group, groups, flags)] = count;
        for (uint table = 1; table < tables; table++)
            counts[((size_t)table * groups + group) * DIGITS + digit] = 0;
    }
    if (flags & MASKS && item < MASK_WORDS)
        atomic_or(&masks[item], group_masks[item]);
}

#endif

// offsets[digit][group]: keys of this digit in earlier groups; totals[digit]: in all.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void scan_counts(__global const uint *counts,
                                                                                  uint groups,
                                                                                  __global position *offsets,
                                                                                  __global position *totals)
{
    __local position sums[2][SCAN_GROUP];
    uint item = (uint)get_local_id(0), from = 0;
    size_t row = (size_t)get_group_id(0) * groups;
    uint span = (groups + SCAN_GROUP - 1) / SCAN_GROUP;
    uint begin = min(item * span, groups), end = min(begin + span, groups);
    position sum = 0;

    for (uint i = begin; i < end; i++)
        sum += counts[row + i];
    sums[0][item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < SCAN_GROUP; step *= 2) {
        sums[1 - from][item] = sums[from][item] + (item >= step ? sums[from][item - step] : 0);
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == SCAN_GROUP - 1)
        totals[get_group_id(0)] = sums[from][item];
    sum = sums[from][item] - sum;
    for (uint i = begin; i < end; i++) {
        offsets[row + i] = sum;
        sum += counts[row + i];
    }
}

#if GROUP == 1

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scatter_digits(
    __global const sort_key *from, __global sort_key *to,
#if VALUE_BYTES
    __global const value *values_from, __global value *values_to,
#endif
    ulong n, ulong chunk, uint shift, uint flags, uint table, uint next_shift, __global uint *counts,
    __global const position *offsets, __global const position *totals, __local uint4 *arena)
{
    size_t group = get_group_id(0);
    uint groups = (uint)get_num_groups(0);
    ulong begin = group * chunk, end = min(begin + chunk, n);
    position next[DIGITS], start = 0;

    for (uint digit = 0; digit < DIGITS; digit++) {
        position before = 0, total = 0;
        if (flags & FOLDED) {
            for (uint g = 0; g < groups; g++) {
                uint count = counts[count_index(digit, g, groups, flags)];
                before += g < group ? count : 0;
                total += count;
            }
        } else {
            before = offsets[(size_t)digit * groups + group];
            total = totals[digit];
        }
        next[digit] = start + before;
        start += total;
    }
    for (ulong i = begin; i < end; i++) {
        sort_key key = LOADED(from[i], flags);
        position target = next[digit_of(key, shift)]++;
        if (!(flags & NO_KEYS))
            to[target] = STORED(key, flags);
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
        values_to[target] = flags & IOTA ? (value)i : values_from[i];
#elif VALUE_BYTES
        values_to[target] = values_from[i];
#endif
    }
}

#else

// Exclusive scan of `value` over the first 256 work-items; every work-item of the group calls it.
inline uint scan_digits(uint value_of_item, uint item, __local uint *sums)
{
#if KN_SUBGROUP
    uint lane = item % sub_width(), sum = sub_scan_inclusive(value_of_item, lane), before = 0;

    if (lane == sub_width() - 1)
        sums[item / sub_width()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint row = 0; row < DIGITS / sub_width(); row++)
        before += row < item / sub_width() ? sums[row] : 0;
    return before + sum - value_of_item;
#else
    uint sum = value_of_item;

    for (uint step = 1; step < DIGITS; step *= 2) {
        if (item < DIGITS)
            sums[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < DIGITS && item >= step)
            sum += sums[item - step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sum - value_of_item;
#endif
}

// Exclusive scan of the digits' totals, where positions need more than 32 bits.
inline position scan_positions(position value_of_item, uint item, __local position *sums)
{
#if POSITION_BITS == 32
    return scan_digits(value_of_item, item, sums);
#else
    position sum = value_of_item;

    for (uint step = 1; step < DIGITS; step *= 2) {
        if (item < DIGITS)
            sums[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < DIGITS && item >= step)
            sum += sums[item - step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sum - value_of_item;
#endif
}

// Where this group's keys of digit `item` go. The groups' counts are added up here (FOLDED, 32 bits) by all work-items,
// four digits each, or come from scan_counts.
#define SHARES (GROUP * 4 / DIGITS)
inline position first_position(uint item, uint flags, __global const uint *counts, __global const position *offsets,
                         __global const position *totals, __local position *sums, __local uint4 *shares)
{
    uint group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    position before = 0, total = 0;

    if (flags & FOLDED) {
        __global const uint4 *rows = (__global const uint4 *)counts + item % (DIGITS / 4);
        uint4 earlier = (uint4)(0), all = (uint4)(0);

        if (item < SHARES * (DIGITS / 4)) {
#pragma unroll 8
            for (uint g = item / (DIGITS / 4); g < groups; g += SHARES) {
                uint4 row = rows[g * (DIGITS / 4)];
                all += row;
                earlier += g < group ? row : (uint4)(0);
            }
            shares[item] = earlier;
            shares[SHARES * (DIGITS / 4) + item] = all;
        }
    } else if (item < DIGITS) {
        before = offsets[(size_t)item * groups + group];
        total = totals[item];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (flags & FOLDED && item < DIGITS) {
#pragma unroll
        for (uint share = 0; share < SHARES; share++) {
            before += ((__local uint *)shares)[share * DIGITS + item];
            total += ((__local uint *)shares)[(SHARES + share) * DIGITS + item];
        }
    }
    return scan_positions(total, item, sums) + before;
}

// A key's number among those of its sub-group with the same digit so far: `count` has the digits' numbers, `masks` the
// lanes that hold them (KN_MATCH 2: two sets, used in turns, all zero before and after).
inline uint rank_in_row(uint digit, uint lane, uint turn, __local uint *count, __local uint *masks)
{
    sub_lanes peers;
#if KN_MATCH == 2
    __local uint *mask = masks + turn % 2 * (ROWS * DIGITS) + digit;

    atomic_or(mask, 1u << lane);
    sub_sync();
    peers = *mask;
#else
    peers = sub_match(digit);
#endif
    uint before = count[digit], upto = sub_upto(peers, lane);
    sub_sync();
    if (sub_is_last(peers, lane)) {
        count[digit] = before + upto;
#if KN_MATCH == 2
        *mask = 0;
#endif
    }
#if KN_MATCH != 2
    sub_sync();
#endif
    return before + upto - 1;
}

// Where the work-item's key i of a tile stands: the lanes of a sub-group side by side.
inline uint tile_index(uint item, uint i)
{
    uint lane = item % sub_width();
    return (item - lane) * KEYS + i * sub_width() + lane;
}

inline void load_tile(sort_key key[KEYS], __global const sort_key *from, position begin, position end, uint item, uint flags)
{
    from += begin;
    if (begin + TILE <= end) {
#pragma unroll
        for (uint i = 0; i < KEYS; i++)
            key[i] = from[tile_index(item, i)];
#pragma unroll
        for (uint i = 0; i < KEYS; i++)
            key[i] = LOADED(key[i], flags);
    } else {
        uint count = begin < end ? (uint)(end - begin) : 0;
#pragma unroll
        for (uint i = 0; i < KEYS; i++)
            key[i] = tile_index(item, i) < count ? LOADED(from[tile_index(item, i)], flags) : KEY_MAX;
    }
}

// Where the work-item's keys go in the tile: by digits, equal ones as they came. Those of digit i begin at starts[i]
// there, and bases[i] more where they are written to; `running`, which is that of digit `item`, is moved on. row_counts
// has ROWS rows, with KN_MATCH 2 three times as many. Barriers come last.
inline void rank_tile(const sort_key key[KEYS], uint rank[KEYS], uint shift, uint lane, uint row, position *running,
                      __local position *bases, __local uint *sums, __local uint *starts, __local uint *row_counts)
{
    uint item = row * sub_width() + lane, total = 0;
    __local uint *own_counts = row_counts + row * DIGITS;
    __local uint *own_masks = row_counts + (ROWS + row) * DIGITS;

#if KN_MATCH == 2
    for (uint i = item; i < 3 * ROWS * DIGITS; i += GROUP)
        row_counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#else
#pragma unroll
    for (uint i = 0; i < DIGITS; i += sub_width())
        own_counts[i + lane] = 0;
    sub_sync();
#endif
#if KN_SUBGROUP // else it would be a great many barriers, over which a CPU's compiler sits for a minute
#pragma unroll
#endif
    for (uint i = 0; i < KEYS; i++)
        rank[i] = rank_in_row(digit_of(key[i], shift), lane, i, own_counts, own_masks);
    barrier(CLK_LOCAL_MEM_FENCE);

    // The tile's digits: the rows' counts become positions in the tile.
    if (item < DIGITS) {
#pragma unroll
        for (uint r = 0; r < GROUP / sub_width(); r++) {
            uint row_count = row_counts[r * DIGITS + item];
            row_counts[r * DIGITS + item] = total;
            total += row_count;
        }
    }
    uint start = scan_digits(total, item, sums);
    if (item < DIGITS) {
        starts[item] = start;
        bases[item] = *running - start;
        *running += total;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#if KN_SUBGROUP
    // A row for each sub-group, and nobody else's.
#pragma unroll
    for (uint i = 0; i < DIGITS; i += sub_width())
        own_counts[i + lane] += starts[i + lane];
    sub_sync();
#else
    for (uint i = item; i < ROWS * DIGITS; i += GROUP)
        row_counts[i] += starts[i % DIGITS];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll
    for (uint i = 0; i < KEYS; i++)
        rank[i] += own_counts[digit_of(key[i], shift)];
    barrier(CLK_LOCAL_MEM_FENCE);
}

#if VALUE_BYTES
// The tile's values go where its keys went. Barriers come last.
inline void store_values(const value moving[KEYS], const uint rank[KEYS], const position target[KEYS],
                         __global value *to, uint item, uint count, __local value *tile)
{
#pragma unroll
    for (uint i = 0; i < KEYS; i++)
        if (tile_index(item, i) < count)
            tile[rank[i]] = moving[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < KEYS; i++)
        if (i * GROUP + item < count)
            to[target[i]] = tile[i * GROUP + item];
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

// arena: the larger of TILE keys (or values) and ROWS * 256 counts (with KN_MATCH 2, three times that).
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void scatter_digits(
    __global const sort_key *from, __global sort_key *to,
#if VALUE_BYTES
    __global const value *values_from, __global value *values_to,
#endif
    ulong n, ulong chunk, uint shift, uint flags, uint table, uint next_shift, __global uint *counts,
    __global const position *offsets, __global const position *totals, __local uint4 *arena)
{
    __local position bases[DIGITS];
    __local uint sums[DIGITS], starts[DIGITS];
    __local sort_key *tile_keys = (__local sort_key *)arena;
    uint lane = sub_lane((uint)get_local_id(0)), row = sub_row((uint)get_local_id(0)), item = row * sub_width() + lane;
    position first = (position)(get_group_id(0) * chunk), end = (position)min(get_group_id(0) * chunk + chunk, n);
    __global uint *next_counts = counts + (size_t)(table + 1) * get_num_groups(0) * DIGITS;
    position running = first_position(item, flags, next_counts - get_num_groups(0) * DIGITS, offsets, totals, bases, arena);
    sort_key key[KEYS];

#if PREFETCH
    load_tile(key, from, first, end, item, flags);
#endif
    for (position begin = first; begin < end; begin += TILE) { // n is farther from the greatest position than a tile
        uint count = (uint)min((position)TILE, end - begin);
        uint rank[KEYS];

#if !PREFETCH
        load_tile(key, from, begin, end, item, flags);
#endif
        rank_tile(key, rank, shift, lane, row, &running, bases, sums, starts, (__local uint *)arena);
#pragma unroll
        for (uint i = 0; i < KEYS; i++)
            tile_keys[rank[i]] = key[i];
        barrier(CLK_LOCAL_MEM_FENCE);
#if PREFETCH
        if (begin + TILE < end)
            load_tile(key, from, begin + TILE, end, item, flags);
#endif

#if VALUE_BYTES
        // On their way while the keys are stored.
        position target[KEYS];
        value moving[KEYS];
#pragma unroll
        for (uint i = 0; i < KEYS; i++) {
            uint at = tile_index(item, i);
            if (at < count)
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
                moving[i] = flags & IOTA ? (value)(begin + at) : values_from[begin + at];
#else
                moving[i] = values_from[begin + at];
#endif
        }
#pragma unroll
#else
#pragma unroll STORES
#endif
        for (uint i = 0; i < KEYS; i++) {
            uint slot = i * GROUP + item;
            if (slot < count) {
                sort_key moved = tile_keys[slot];
                position at = bases[digit_of(moved, shift)] + slot;
#if VALUE_BYTES
                target[i] = at;
                if (!(flags & NO_KEYS))
#endif
                    to[at] = STORED(moved, flags);
#if AHEAD
                if (!(flags & LAST))
                    atomic_inc(&next_counts[(uint)at / (uint)chunk * DIGITS + digit_of(moved, next_shift)]);
#endif
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if VALUE_BYTES
        store_values(moving, rank, target, values_to, item, count, (__local value *)arena);
#endif
    }
}

#endif
