// SPDX-License-Identifier: Apache-2.0
// Stable sort for devices whose work-items are threads with their own caches: CPUs. The highest digits come first: the keys
// go into buckets that fit a core's second-level cache, and a work-item sorts a bucket there by radix, lowest digit first.
// A key scattered outside the caches costs several times what it costs inside, and so keys are scattered there only once.
//
// A bucket is an interval of keys. The host draws the intervals from a sample (src/algo/sort/sort_buckets.c), in two steps,
// so that they hold about as many keys each whatever the distribution: the high bits of a key select a row, which gives the
// first bucket and the number of further bits that select the bucket. For a large column, a line is gathered for each
// bucket and written whole (Satish et al., Fast sort on CPUs and GPUs, 2010), past the caches where the compiler can.
// Not all bits of a bucket's m keys need a pass: passes for the highest log2(m) + SPARE_BITS of the bits that differ (and
// some more for floats) leave few keys out of order. These are inserted; if they are too many, passes for all bits follow.
//
// Launch: groups of one work-item.
//   sample_keys      a work-item for some of `count` keys, one of each of as many parts of the column
//   count_buckets    a group for `chunk` keys
//   scatter_buckets  likewise; `starts` has, for each group, where its first key of each bucket goes
//   sort_buckets     any number of groups, which take the next bucket that none has taken; `state` is 0, and where each
//                    bucket begins and the last one ends; spare memory for each group: twice `capacity` elements, the
//                    largest bucket's
//   sort_whole       one group, all keys as one bucket
// Cost: two reads and a write of the keys for the buckets, a read and a write to sort them; values likewise.
// Tunables: KEY_BITS, KEY_KIND, KEY_DESCENDING (lib/key.clh), VALUE_BYTES, RANKED (lib/element.clh), BUCKETS (at most),
// DIGIT_BITS (in the cache, at most), SPARE_BITS, BATCH.
#include "../../lib/element.clh"
#include "../../shared/sort_buckets.h"

#ifndef BUCKETS
#define BUCKETS BUCKETS_MOST
#endif
#ifndef DIGIT_BITS
#define DIGIT_BITS 10
#endif
#ifndef BATCH
#define BATCH 256
#endif
#ifndef SPARE_BITS
#define SPARE_BITS 4
#endif

// The intervals: a key is first limited to [least, most]; its bits from `shift` up select a row, bucket | low << 16; its
// bits below `shift`, without the `low` lowest, are added to the bucket.
typedef struct {
    __global const uint *rows;
    sort_key least, most;
    uint shift;
} intervals;

inline uint bucket_of(sort_key key, const intervals *in)
{
    sort_key at = clamp((sort_key)ORDER(key), in->least, in->most) - in->least;
    uint row = in->rows[at >> in->shift];

    return (row & 0xffff) + (uint)((sort_key)(at & (((sort_key)1 << in->shift) - 1)) >> (row >> 16));
}

// The keys of up to a batch, encoded, and their buckets, in a separate loop, which vector units run well.
inline void find_buckets(__global const sort_key *keys, uint count, const intervals *in, sort_key *encoded,
                         ushort *found)
{
    for (uint k = 0; k < count; k++) {
        encoded[k] = encode_key(keys[k]);
        found[k] = (ushort)bucket_of(encoded[k], in);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sample_keys(__global const sort_key *keys, ulong n,
                                                                         uint count, uint seed,
                                                                         __global ulong *sample)
{
    ulong part = n / count;

    for (uint i = (uint)get_group_id(0); i < count; i += (uint)get_num_groups(0)) {
        uint chance = (i ^ seed) * 2654435769u;
        chance = (chance ^ chance >> 15) * 2246822519u;
        sample[i] = ORDER(encode_key(keys[part * i + (chance ^ chance >> 13) % part]));
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void count_buckets(__global const sort_key *keys, ulong n,
                                                                           ulong chunk, __global const uint *rows,
                                                                           ulong least, ulong most, uint shift,
                                                                           __global uint *counts)
{
    const intervals in = {rows, (sort_key)least, (sort_key)most, shift};
    size_t group = get_group_id(0);
    ulong begin = group * chunk, end = min(begin + chunk, n);
    uint bins[BUCKETS];
    sort_key batch[BATCH];
    ushort found[BATCH];

    for (uint bucket = 0; bucket < BUCKETS; bucket++)
        bins[bucket] = 0;
    for (; begin < end; begin += BATCH) {
        uint count = (uint)min((ulong)BATCH, end - begin);
        find_buckets(keys + begin, count, &in, batch, found);
        for (uint k = 0; k < count; k++)
            bins[found[k]]++;
    }
    for (uint bucket = 0; bucket < BUCKETS; bucket++)
        counts[group * BUCKETS + bucket] = bins[bucket];
}

// ---- into buckets ----

// Bytes that the memory takes at once.
#define PART 64

#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define WRITE_PAST(address, words) __builtin_nontemporal_store(words, address)
#endif
#endif
#ifndef WRITE_PAST
#define WRITE_PAST(address, words) (*(address) = (words))
#endif

// Writes what `line` holds of the positions up to `end`; `first` is the group's first position in this bucket.
#define WRITE_LINE(to, line, element, first, end)                                                                      \
    do {                                                                                                               \
        const uint held_ = LINE / sizeof(element), begin_ = ((end)-1) / held_ * held_;                                 \
        if (begin_ >= (first) && (end)-begin_ == held_) {                                                              \
            for (uint part_ = 0; part_ < LINE / PART; part_++)                                                         \
                WRITE_PAST((__global uint16 *)((to) + begin_) + part_, ((__local const uint16 *)(line))[part_]);       \
        } else {                                                                                                       \
            for (uint position_ = max(begin_, (uint)(first)); position_ < (end); position_++)                          \
                (to)[position_] = (line)[position_ - begin_];                                                          \
        }                                                                                                              \
    } while (0)

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scatter_buckets(
    __global const sort_key *from, __global sort_key *to,
#if VALUE_BYTES
    __global const value *values_from, __global value *values_to,
#endif
    ulong n, ulong chunk, __global const uint *rows, ulong least, ulong most, uint shift, uint flags,
    __global const uint *starts, __local uint16 *lines)
{
    const intervals in = {rows, (sort_key)least, (sort_key)most, shift};
    const uint held = LINE / sizeof(sort_key);
    size_t group = get_group_id(0);
    ulong begin = group * chunk, end = min(begin + chunk, n);
    __global const uint *firsts = starts + group * BUCKETS;
    __local sort_key *key_lines = (__local sort_key *)lines;
#if VALUE_BYTES
    const uint values_held = LINE / VALUE_BYTES;
    __local value *value_lines = (__local value *)(lines + BUCKETS * (LINE / PART));
#endif
    uint positions[BUCKETS];
    sort_key batch[BATCH];
    ushort found[BATCH];

    for (uint bucket = 0; bucket < BUCKETS; bucket++)
        positions[bucket] = firsts[bucket];
    for (ulong i = begin; i < end; i += BATCH) {
        uint count = (uint)min((ulong)BATCH, end - i);
        find_buckets(from + i, count, &in, batch, found);
        for (uint k = 0; k < count; k++) {
            sort_key key = batch[k];
            uint bucket = found[k], position = positions[bucket], next = position + 1;
            positions[bucket] = next;
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
            value moved = flags & IOTA ? (value)(i + k) : values_from[i + k];
#elif VALUE_BYTES
            value moved = values_from[i + k];
#endif
            if (!(flags & LARGE)) {
                to[position] = key;
#if VALUE_BYTES
                values_to[position] = moved;
#endif
                continue;
            }
            key_lines[bucket * held + position % held] = key;
            if (next % held == 0)
                WRITE_LINE(to, key_lines + bucket * held, sort_key, firsts[bucket], next);
#if VALUE_BYTES
            value_lines[bucket * values_held + position % values_held] = moved;
            if (next % values_held == 0)
                WRITE_LINE(values_to, value_lines + bucket * values_held, value, firsts[bucket], next);
#endif
        }
    }
    for (uint bucket = 0; bucket < BUCKETS && flags & LARGE; bucket++) { // the rest
        uint position = positions[bucket];
        if (position > firsts[bucket] && position % held)
            WRITE_LINE(to, key_lines + bucket * held, sort_key, firsts[bucket], position);
#if VALUE_BYTES
        if (position > firsts[bucket] && position % values_held)
            WRITE_LINE(values_to, value_lines + bucket * values_held, value, firsts[bucket], position);
#endif
    }
}

// ---- a bucket ----

typedef struct {
    __global sort_key *keys;
#if VALUE_BYTES
    __global value *values;
#endif
} run;

inline run run_at(run base, size_t position)
{
    base.keys += position;
#if VALUE_BYTES
    base.values += position;
#endif
    return base;
}

// Sorts by `count` bits from `shift` up.
inline void pass(run from, run to, uint m, uint shift, uint count, uint *positions)
{
    uint bins = 1u << count, start = 0;

    for (uint bin = 0; bin < bins; bin++)
        positions[bin] = 0;
    for (uint i = 0; i < m; i++)
        positions[(uint)(ORDER(from.keys[i]) >> shift) & (bins - 1)]++;
    for (uint bin = 0; bin < bins; bin++) {
        uint keys = positions[bin];
        positions[bin] = start;
        start += keys;
    }
    for (uint i = 0; i < m; i++) {
        sort_key key = from.keys[i];
        uint position = positions[(uint)(ORDER(key) >> shift) & (bins - 1)]++;
        to.keys[position] = key;
#if VALUE_BYTES
        to.values[position] = from.values[i];
#endif
    }
}

// Sorts by the bits from `begin` to `end`, in as many passes as are needed; true if the keys are then at `other`.
inline bool passes(run here, run other, uint m, uint begin, uint end, uint *positions)
{
    uint most = m < 8192 ? min(9u, (uint)DIGIT_BITS) : DIGIT_BITS, count = (end - begin + most - 1) / most;
    bool there = false;

    for (uint p = 0; p < count; p++) {
        uint next = begin + (end - begin) / (count - p);
        if (there)
            pass(other, here, m, begin, next - begin, positions);
        else
            pass(here, other, m, begin, next - begin, positions);
        begin = next;
        there = !there;
    }
    return there;
}

// Inserts keys that are out of order where they belong; false if that would take more than m moves.
inline bool insert_keys(run here, uint m)
{
    uint moves = 0;

    for (uint i = 1; i < m; i++) {
        sort_key key = here.keys[i], order = ORDER(key);
        uint position = i;
        if (order >= ORDER(here.keys[i - 1]))
            continue;
#if VALUE_BYTES
        value moved = here.values[i];
#endif
        for (; position > 0 && order < ORDER(here.keys[position - 1]); position--) {
            here.keys[position] = here.keys[position - 1];
#if VALUE_BYTES
            here.values[position] = here.values[position - 1];
#endif
        }
        here.keys[position] = key;
#if VALUE_BYTES
        here.values[position] = moved;
#endif
        moves += i - position;
        if (moves > m)
            return false;
    }
    return true;
}

// The bits up to `top` of a float's exponent that hardly tell numbers apart: most of a column has few exponents.
inline uint idle_bits(uint top)
{
#if KEY_KIND == 2
    const uint used = (KEY_BITS == 64 ? 52 : 23) + 2;
    return top > used ? top - used : 0;
#else
    return 0;
#endif
}

// Sorts m encoded keys that differ in the bits of `differing`; true if they are then at `other`.
inline bool sort_run(run here, run other, uint m, sort_key differing, uint *positions)
{
    uint top = KEY_BITS - (uint)clz(differing), wanted = 32 - (uint)clz(m) + SPARE_BITS + idle_bits(top);
    bool there;

    if (m < 2 || !differing)
        return false;
    there = passes(here, other, m, top > wanted ? top - wanted : 0, top, positions);
    if (top <= wanted || insert_keys(there ? other : here, m))
        return there;
    return there != (there ? passes(other, here, m, 0, top, positions) : passes(here, other, m, 0, top, positions));
}

// Writes AS(from[i]) to to[i], in whole parts past the caches if the column is LARGE.
#define DELIVER(from, to, element, AS, m, flags)                                                                       \
    do {                                                                                                               \
        const uint held_ = PART / sizeof(element);                                                                     \
        uint i_ = 0;                                                                                                   \
        if ((flags)&LARGE) {                                                                                           \
            uint head_ = (uint)((PART - (size_t)(to) % PART) % PART / sizeof(element));                                \
            for (; i_ < min(head_, m); i_++)                                                                           \
                (to)[i_] = AS((from)[i_]);                                                                             \
            for (; i_ + held_ <= (m); i_ += held_) {                                                                   \
                union {                                                                                                \
                    uint16 words;                                                                                      \
                    element elements[PART / sizeof(element)];                                                          \
                } part_;                                                                                               \
                for (uint k_ = 0; k_ < held_; k_++)                                                                    \
                    part_.elements[k_] = AS((from)[i_ + k_]);                                                          \
                WRITE_PAST((__global uint16 *)((to) + i_), part_.words);                                               \
            }                                                                                                          \
        }                                                                                                              \
        for (; i_ < (m); i_++)                                                                                         \
            (to)[i_] = AS((from)[i_]);                                                                                 \
    } while (0)
#define AS_IT_IS(x) (x)

// Writes the keys, decoded, where they are wanted.
inline void deliver(run from, run to, uint m, uint flags)
{
    if (!(flags & NO_KEYS))
        DELIVER(from.keys, to.keys, sort_key, decode_key, m, flags);
#if VALUE_BYTES
    DELIVER(from.values, to.values, value, AS_IT_IS, m, flags);
#endif
}

#define POSITIONS (1 << DIGIT_BITS)

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sort_buckets(__global sort_key *from, __global sort_key *to,
                                                                          __global sort_key *spare,
#if VALUE_BYTES
                                                                          __global value *values_from,
                                                                          __global value *values_to,
                                                                          __global value *spare_values,
#endif
                                                                          uint capacity, uint buckets, uint flags,
                                                                          __global uint *state)
{
#if VALUE_BYTES
    const run source = {from, values_from}, target = {to, values_to}, spares = {spare, spare_values};
#else
    const run source = {from}, target = {to}, spares = {spare};
#endif
    size_t group = get_group_id(0);
    const run first = run_at(spares, 2 * group * capacity), second = run_at(first, capacity);
    __global const uint *bounds = state + 1;
    uint positions[POSITIONS];

    for (uint bucket = atomic_inc(state); bucket < buckets; bucket = atomic_inc(state)) {
        uint begin = bounds[bucket], m = bounds[bucket + 1] - begin;
        run here = run_at(source, begin);
        sort_key set = 0, clear = 0;
        for (uint i = 0; i < m; i++) {
            sort_key key = here.keys[i], order = ORDER(key);
            set |= order;
            clear |= ~order;
            first.keys[i] = key;
#if VALUE_BYTES
            first.values[i] = here.values[i];
#endif
        }
        deliver(sort_run(first, second, m, set & clear, positions) ? second : first, run_at(target, begin), m, flags);
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sort_whole(__global sort_key *keys, __global sort_key *spare,
#if VALUE_BYTES
                                                                        __global value *values,
                                                                        __global value *spare_values,
#endif
                                                                        uint n, uint flags)
{
#if VALUE_BYTES
    const run all = {keys, values}, first = {spare, spare_values};
#else
    const run all = {keys}, first = {spare};
#endif
    const run second = run_at(first, n);
    sort_key set = 0, clear = 0;
    uint positions[POSITIONS];

    for (uint i = 0; i < n; i++) {
        sort_key key = encode_key(keys[i]), order = ORDER(key);
        set |= order;
        clear |= ~order;
        first.keys[i] = key;
#if VALUE_BYTES == 4 || VALUE_BYTES == 8
        first.values[i] = flags & IOTA ? (value)i : values[i];
#elif VALUE_BYTES
        first.values[i] = values[i];
#endif
    }
    deliver(sort_run(first, second, n, set & clear, positions) ? second : first, all, n, flags);
}
