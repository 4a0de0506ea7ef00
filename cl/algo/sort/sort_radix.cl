// SPDX-License-Identifier: Apache-2.0
// Stable radix sort, least significant digit first, 8 bits a pass: count, scan, scatter.
// No work-group waits for another (no look-back): each pass counts the digits of every group's chunk of keys, the counts
// are scanned, and each group moves its chunk tile by tile. The lanes of a sub-group that hold the same digit rank a tile's
// keys (Ashkiani et al., GPU Multisplit, 2016; Adinets and Merrill, Onesweep, 2022); the keys are brought into order in
// local memory, and written in runs.
//
// Launch, for every digit that is not constant:
//   count_digits     groups of GROUP, each for `chunk` keys (a multiple of TILE); zeroes the other `tables` of counts
//   scan_counts      256 groups of SCAN_GROUP, one a digit (not with `folded`: few groups, whose counts scatter_digits
//                    adds up itself)
//   scatter_digits   as count_digits; GROUP at least 256, or 1: a work-item a chunk, as CPUs like it. With AHEAD it counts
//                    the next pass's digits into the next table, where keys go: then count_digits runs for the first
//                    digit alone
// Cost: each pass reads the keys twice and writes them once; values are read once and written once.
// Tunables: KEY_BITS, KEY_KIND, KEY_DESCENDING (lib/key.clh), KN_SUBGROUP, KN_MATCH (lib/subgroup.clh), GROUP, KEYS (keys a
// work-item), VALUE_BYTES, RANKED (lib/element.clh), POSITION_BITS (64 for 2^32 elements and more), AHEAD (1: see above;
// folded only), PREFETCH (1: a tile is loaded before the one ahead of it is stored), STORES (unrolled), REPLICAS (of the
// bins).
#include "radix_tile.clh"

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

inline size_t count_index(uint digit, size_t group, uint groups, uint flags)
{
    return flags & FOLDED ? group * DIGITS + digit : (size_t)digit * groups + group;
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
    __local uint *own_bins = bins + (item / 32) % REPLICAS * DIGITS;
    key_masks own = {{0, 0, 0}, {0, 0, 0}};

    for (uint bin = item; bin < REPLICAS * DIGITS; bin += GROUP)
        bins[bin] = 0;
    if (item < MASK_WORDS)
        group_masks[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (; i + GROUP * PACK * PACKS <= end; i += GROUP * PACK * PACKS) {
        key_pack pack[PACKS];
        load_packs(pack, keys, i, item);
#pragma unroll
        for (uint p = 0; p < PACKS; p++)
#pragma unroll
            for (uint k = 0; k < PACK; k++)
                count_key(pack[p].keys[k], shift, flags, own_bins, &own);
    }
    for (i += item; i < end; i += GROUP)
        count_key(keys[i], shift, flags, own_bins, &own);
    if (flags & MASKS)
        share_masks(&own, group_masks, item);
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
        uint total = rank_rows(key, rank, shift, lane, row, (__local uint *)arena);
        rank_tile(key, rank, shift, lane, row, total, sums, starts, (__local uint *)arena);
        if (item < DIGITS) {
            bases[item] = running - starts[item];
            running += total;
        }
#pragma unroll
        for (uint i = 0; i < KEYS; i++)
            tile_keys[rank[i]] = key[i];
        barrier(CLK_LOCAL_MEM_FENCE);
#if PREFETCH
        if (begin + TILE < end)
            load_tile(key, from, begin + TILE, end, item, flags);
#endif

#if VALUE_BYTES
        // In flight while the keys are stored.
        position target[KEYS];
        value moving[KEYS];
        load_values(moving, values_from, begin, item, count, flags);
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
