// SPDX-License-Identifier: Apache-2.0
// Stable radix sort, least significant digit first, 8 bits a pass, in which a pass reads and writes the elements once
// (Adinets and Merrill, Onesweep, 2022): all digits are counted before the first pass, and a tile learns from the tiles
// before it how many keys of each digit they have (Merrill and Garland, decoupled look-back, 2016).
// A group waits for others, but only for groups that began before it: tiles are handed out by tickets. The device must let
// groups that have begun go on while others wait, and a group must see what others have written; the host chooses this form
// where both hold. Nothing relies on lock step.
//
// Launch, with `state` (shared/sort_radix.h) zero:
//   count_all_digits   groups of GROUP, each for `chunk` keys (a multiple of GROUP * PACK * PACKS); zeroes the first table
//   scatter_tiles      for every digit that is not constant: n / TILE groups of GROUP, rounded up
// Cost: a pass reads and writes the elements once, and a word for each digit of a tile a few times.
// Tunables: those of radix_tile.clh; STORES (unrolled), LOOKS (tiles that are looked at together).
#include "radix_tile.clh"

#ifndef STORES
#define STORES 4
#endif
#ifndef LOOKS
#define LOOKS 4
#endif

inline void count_key(sort_key bits, ulong shifts, uint flags, __local uint *bins, key_masks *own)
{
    sort_key key = LOADED(bits, flags);

#pragma unroll
    for (uint place = 0; place < KEY_BITS / 8; place++)
        atomic_inc(&bins[place * DIGITS + digit_of(key, (uint)(shifts >> place * 8) & 63)]);
    if (flags & MASKS)
        gather(own, key);
}

// shifts: one byte each.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void count_all_digits(__global const sort_key *keys, ulong n,
                                                                                  ulong chunk, ulong shifts, uint flags,
                                                                                  uint tiles, __global uint *state,
                                                                                  __global uint *tables)
{
    __local uint bins[KEY_BITS / 8 * DIGITS], group_masks[MASK_WORDS];
    uint item = (uint)get_local_id(0);
    ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, n), i = begin;
    key_masks own = {{0, 0, 0}, {0, 0, 0}};

    for (uint bin = item; bin < KEY_BITS / 8 * DIGITS; bin += GROUP)
        bins[bin] = 0;
    if (item < MASK_WORDS)
        group_masks[item] = 0;
    for (size_t row = get_global_id(0); row < (size_t)tiles * (DIGITS / 4); row += get_global_size(0))
        ((__global uint4 *)tables)[row] = (uint4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (; i + GROUP * PACK * PACKS <= end; i += GROUP * PACK * PACKS) {
        key_pack pack[PACKS];
        load_packs(pack, keys, i, item);
#pragma unroll
        for (uint p = 0; p < PACKS; p++)
#pragma unroll
            for (uint k = 0; k < PACK; k++)
                count_key(pack[p].keys[k], shifts, flags, bins, &own);
    }
    for (i += item; i < end; i += GROUP)
        count_key(keys[i], shifts, flags, bins, &own);
    if (flags & MASKS)
        share_masks(&own, group_masks, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = item; bin < KEY_BITS / 8 * DIGITS; bin += GROUP) {
        if (bins[bin])
            atomic_add(&state[ONCE_TOTALS + bin], bins[bin]);
    }
    if (flags & MASKS && item < MASK_WORDS)
        atomic_or(&state[item], group_masks[item]);
}

// A word of a table: 0 until a tile has counted its digits, then the tile's count, then the count of all tiles up to it.
#define COUNTED (1u << 30)
#define SUMMED (2u << 30)
#define COUNT_OF(word) ((word) & (COUNTED - 1))

// On NVIDIA's devices volatile accesses go to the memory that all groups share; on others, atomic accesses do.
#if KN_SUBGROUP == 1
#define READ_WORD(word) (*(volatile __global uint *)(word))
#define WRITE_WORD(word, bits) (*(volatile __global uint *)(word) = (bits))
#else
#define READ_WORD(word) atomic_or(word, 0u)
#define WRITE_WORD(word, bits) atomic_xchg(word, bits)
#endif

// The number of keys of a digit in the tiles before this one (which is not the first), from the digit's column of the
// table, and where the digit's keys begin.
inline uint look_back(__global uint *column, uint tile)
{
    uint before = 0;
    bool summed = false;

    while (!summed) {
        uint words[LOOKS];
        bool ready = true;
#pragma unroll
        for (uint i = 0; i < LOOKS; i++)
            words[i] = READ_WORD(column + (size_t)(tile > i ? tile - 1 - i : 0) * DIGITS);
#pragma unroll
        for (uint i = 0; i < LOOKS; i++) {
            ready = ready && !summed && words[i] != 0;
            if (ready) {
                before += COUNT_OF(words[i]);
                summed = (words[i] & SUMMED) != 0;
                tile--;
            }
        }
    }
    return before;
}

// There is no condition between the loads, so that they are in flight together.
inline void store_full_tile(__global sort_key *to, const __local sort_key *tile_keys, const __local uint *bases, uint item,
                            uint shift, uint flags)
{
#pragma unroll STORES
    for (uint i = 0; i < KEYS; i++) {
        sort_key moved = tile_keys[i * GROUP + item];
        to[bases[digit_of(moved, shift)] + i * GROUP + item] = STORED(moved, flags);
    }
}

// arena: the larger of TILE keys (or values) and ROWS * 256 counts (with KN_MATCH 2, three times that).
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void scatter_tiles(
    __global const sort_key *from, __global sort_key *to,
#if VALUE_BYTES
    __global const value *values_from, __global value *values_to,
#endif
    ulong n, uint shift, uint flags, uint pass, uint place, uint tiles, __global uint *state, __global uint *tables,
    __local uint4 *arena)
{
    __local uint bases[DIGITS], sums[DIGITS], starts[DIGITS];
    __local sort_key *tile_keys = (__local sort_key *)arena;
    uint lane = sub_lane((uint)get_local_id(0)), row = sub_row((uint)get_local_id(0)), item = row * sub_width() + lane;
    __global uint *column = tables + (pass % 2 ? (size_t)tiles * DIGITS : 0) + item;
    __global uint *next_column = tables + (pass % 2 ? 0 : (size_t)tiles * DIGITS) + item;
    sort_key key[KEYS];
    uint rank[KEYS], before = 0;

    if (item == 0)
        starts[0] = atomic_inc(&state[ONCE_TICKETS + pass]);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint tile = starts[0], begin = tile * TILE, count = min((uint)TILE, (uint)n - begin);

    load_tile(key, from, begin, (uint)n, item, flags);
    if (item < DIGITS)
        next_column[(size_t)tile * DIGITS] = 0;
    if (tile == 0) {
        before = scan_digits(item < DIGITS ? state[ONCE_TOTALS + place * DIGITS + item] : 0, item, sums);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint total = rank_rows(key, rank, shift, lane, row, (__local uint *)arena);
    if (item < DIGITS)
        WRITE_WORD(column + (size_t)tile * DIGITS, (tile ? COUNTED : SUMMED) + before + total);
    rank_tile(key, rank, shift, lane, row, total, sums, starts, (__local uint *)arena);
#pragma unroll
    for (uint i = 0; i < KEYS; i++)
        tile_keys[rank[i]] = key[i];
    if (item < DIGITS) {
        if (tile) {
            before = look_back(column, tile);
            WRITE_WORD(column + (size_t)tile * DIGITS, SUMMED + before + total);
        }
        bases[item] = before - starts[item];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

#if !VALUE_BYTES
    if (count == TILE) {
        store_full_tile(to, tile_keys, bases, item, shift, flags);
        return;
    }
#pragma unroll 1
#else
    // In flight while the keys are stored.
    uint target[KEYS];
    value moving[KEYS];
    load_values(moving, values_from, begin, item, count, flags);
#pragma unroll
#endif
    for (uint i = 0; i < KEYS; i++) {
        uint slot = i * GROUP + item;
        if (slot < count) {
            sort_key moved = tile_keys[slot];
            uint at = bases[digit_of(moved, shift)] + slot;
#if VALUE_BYTES
            target[i] = at;
            if (!(flags & NO_KEYS))
#endif
                to[at] = STORED(moved, flags);
        }
    }
#if VALUE_BYTES
    barrier(CLK_LOCAL_MEM_FENCE);
    store_values(moving, rank, target, values_to, item, count, (__local value *)arena);
#endif
}
