// SPDX-License-Identifier: Apache-2.0
// Quicksort of signed integers with vectors: Bramas 2017, Blacher, Giesen, Kuehne 2022. A piece is
// partitioned by a threshold, each vector in one step; at most SMALL keys are sorted in registers, by a
// network down the columns (Green's for 16 rows) and bitonic merges across lanes.
//
// Every piece is known to lie within bounds, which end the work on equal keys: a piece whose bounds are one
// value is sorted. If partitions are too uneven too often, the threshold becomes the middle of the bounds:
// then at most KEY_BITS more levels follow, so no input takes more than O(n (log n + KEY_BITS)).
//
// Compiled for every instruction set and width (src/host/simd/simd.h).
#include <string.h>

#include "host/simd/simd.h"

#include "host_sort.h"

enum {
    ROWS = 16,
    SMALL = ROWS * LANES,
    BLOCK = 8 /* vectors that are divided at a time */,
    AHEAD = 4 /* blocks */
};

#define PAIR(i, j) order(&v[i], &v[j]);

#define UNROLL _Pragma("GCC unroll 16")

// Each column ascending from row 0; one line is one step of the network.
// clang-format off
VECTOR_OPERATION void sort_columns(vector *v, const int rows)
{
    if (rows == 2) {
        PAIR(0, 1)
    } else if (rows == 4) {
        PAIR(0, 2) PAIR(1, 3) PAIR(0, 1) PAIR(2, 3) PAIR(1, 2)
    } else if (rows == 8) {
        PAIR(0, 2) PAIR(1, 3) PAIR(4, 6) PAIR(5, 7) PAIR(0, 4) PAIR(1, 5) PAIR(2, 6) PAIR(3, 7) PAIR(0, 1) PAIR(2, 3)
        PAIR(4, 5) PAIR(6, 7) PAIR(2, 4) PAIR(3, 5) PAIR(1, 4) PAIR(3, 6) PAIR(1, 2) PAIR(3, 4) PAIR(5, 6)
    } else if (rows == 16) {
        PAIR(0, 1) PAIR(2, 3) PAIR(4, 5) PAIR(6, 7) PAIR(8, 9) PAIR(10, 11) PAIR(12, 13) PAIR(14, 15)
        PAIR(0, 2) PAIR(4, 6) PAIR(8, 10) PAIR(12, 14) PAIR(1, 3) PAIR(5, 7) PAIR(9, 11) PAIR(13, 15)
        PAIR(0, 4) PAIR(8, 12) PAIR(1, 5) PAIR(9, 13) PAIR(2, 6) PAIR(10, 14) PAIR(3, 7) PAIR(11, 15)
        PAIR(0, 8) PAIR(1, 9) PAIR(2, 10) PAIR(3, 11) PAIR(4, 12) PAIR(5, 13) PAIR(6, 14) PAIR(7, 15)
        PAIR(5, 10) PAIR(6, 9) PAIR(3, 12) PAIR(13, 14) PAIR(4, 8) PAIR(7, 11) PAIR(1, 2)
        PAIR(1, 4) PAIR(7, 13) PAIR(2, 8) PAIR(11, 14)
        PAIR(2, 4) PAIR(5, 6) PAIR(9, 10) PAIR(11, 13) PAIR(3, 8) PAIR(7, 12)
        PAIR(6, 8) PAIR(10, 12) PAIR(3, 5) PAIR(7, 9)
        PAIR(3, 4) PAIR(5, 6) PAIR(7, 8) PAIR(9, 10) PAIR(11, 12)
        PAIR(6, 7) PAIR(8, 9)
    }
}
// clang-format on

// Columns are sorted runs of `rows` keys; neighbours are merged until all are one run, lane after lane.
VECTOR_OPERATION void merge_columns(vector *v, const int rows)
{
    UNROLL
    for (int span = 2; span <= LANES; span *= 2) {
        // Compares a key with its mirror image in the two runs together.
        UNROLL
        for (int i = 0; i < (rows + 1) / 2; i++) {
            vector mirrored = exchange(v[i], span - 1);
            vector other = exchange(v[rows - 1 - i], span - 1);
            v[i] = order_by_lane(v[i], other, span / 2);
            if (rows > 1)
                v[rows - 1 - i] = order_by_lane(v[rows - 1 - i], mirrored, span / 2);
        }
        UNROLL
        for (int distance = span / 4; distance > 0; distance /= 2)
            UNROLL
        for (int i = 0; i < rows; i++)
            v[i] = order_by_lane(v[i], exchange(v[i], distance), distance);
        UNROLL
        for (int distance = rows / 2; distance > 0; distance /= 2)
            UNROLL
        for (int i = 0; i < rows; i++)
            if ((i & distance) == 0)
                order(&v[i], &v[i + distance]);
    }
}

// From lane after lane to row after row: log2(rows) perfect shuffles.
VECTOR_OPERATION void transpose(vector *v, const int rows)
{
    UNROLL
    for (int step = 1; step < rows; step *= 2) {
        vector shuffled[ROWS];
        UNROLL
        for (int i = 0; i < rows / 2; i++) {
            shuffled[2 * i] = v[i];
            shuffled[2 * i + 1] = v[i + rows / 2];
            interleave(&shuffled[2 * i], &shuffled[2 * i + 1]);
        }
        UNROLL
        for (int i = 0; i < rows; i++)
            v[i] = shuffled[i];
    }
}

// 1 <= n <= rows * LANES.
VECTOR_OPERATION void sort_rows(key *keys, size_t n, const int rows)
{
    vector v[ROWS];

    UNROLL
    for (int i = 0; i < rows; i++) {
        size_t first = (size_t)i * LANES;
        if (n >= first + LANES)
            v[i] = load(keys + first);
        else
            v[i] = n > first ? load_first(keys + first, n - first) : broadcast(KEY_MAX);
    }
    sort_columns(v, rows);
    merge_columns(v, rows);
    transpose(v, rows);
    UNROLL
    for (int i = 0; i < rows; i++) {
        size_t first = (size_t)i * LANES;
        if (n >= first + LANES)
            store(keys + first, v[i]);
        else if (n > first)
            store_first(keys + first, v[i], n - first);
    }
}

VECTOR_CODE static __attribute__((noinline)) void sort_16_rows(key *keys, size_t n)
{
    sort_rows(keys, n, 16);
}

VECTOR_CODE static __attribute__((noinline)) void sort_8_rows(key *keys, size_t n)
{
    sort_rows(keys, n, 8);
}

VECTOR_CODE static __attribute__((noinline)) void sort_small(key *keys, size_t n)
{
    if (n > 8 * LANES)
        sort_16_rows(keys, n);
    else if (n > 4 * LANES)
        sort_8_rows(keys, n);
    else if (n > 2 * LANES)
        sort_rows(keys, n, 4);
    else if (n > LANES)
        sort_rows(keys, n, 2);
    else if (n > 1)
        sort_rows(keys, n, 1);
}

VECTOR_OPERATION vector encoded(vector v, const struct host_codec *codec)
{
    return codec ? encode(v, codec) : v;
}

// Puts keys up to `threshold` first; returns how many there are. n >= 2 * BLOCK * LANES. Where this is
// inlined, the compiler knows whether `codec` is NULL.
VECTOR_OPERATION size_t divide_blocks(key *keys, size_t n, key threshold, const struct host_codec *codec)
{
    enum { STEP = BLOCK * LANES };
    size_t rest = n % STEP, saved = 2 * STEP + rest;
    key kept[3 * STEP], divided[3 * STEP + 2 * LANES];
    key *read_left = keys + STEP, *read_right = keys + n - STEP - rest; // the unread keys lie between them
    key *left = keys, *right = keys + n; // the partitioned keys lie outside them
    key *low = divided, *high = divided + saved + 2 * LANES;
    vector limit = broadcast(threshold);

    memcpy(kept, keys, STEP * sizeof *keys);
    memcpy(kept + STEP, read_right, (STEP + rest) * sizeof *keys);
    while (read_left < read_right) {
        vector v[BLOCK];
        const key *from, *ahead;
        // Reads on the side with less room to write. That is known late, so memory is prefetched long before.
        if (read_left - left <= right - read_right) {
            from = read_left;
            ahead = from + AHEAD * STEP;
            read_left += STEP;
        } else {
            from = read_right -= STEP;
            ahead = from - AHEAD * STEP;
        }
        UNROLL
        for (int i = 0; i < BLOCK; i++) {
            fetch(ahead + i * LANES);
            v[i] = encoded(load(from + i * LANES), codec);
        }
        UNROLL
        for (int i = 0; i < BLOCK; i++) {
            size_t count = divide(v[i], limit, left, right);
            left += count;
            right -= LANES - count;
        }
    }

    for (size_t i = 0; i < saved; i += LANES) {
        size_t count = saved - i < LANES ? saved - i : LANES;
        vector v = encoded(count < LANES ? load_first(kept + i, count) : load(kept + i), codec);
        if (count < LANES) {
            store(kept + i, v);
            break;
        }
        count = divide(v, limit, low, high);
        low += count;
        high -= LANES - count;
    }
    for (size_t i = saved - saved % LANES; i < saved; i++)
        if (kept[i] > threshold)
            *--high = kept[i];
        else
            *low++ = kept[i];
    size_t lows = (size_t)(low - divided);
    memcpy(left, divided, lows * sizeof *keys);
    memcpy(left + lows, high, (saved - lows) * sizeof *keys);
    return (size_t)(left - keys) + lows;
}

VECTOR_CODE static size_t partition(key *keys, size_t n, key threshold)
{
    return divide_blocks(keys, n, threshold, NULL);
}

VECTOR_OPERATION size_t random_below(size_t n, uint64_t *chance) // Marsaglia 2003
{
    *chance ^= *chance << 13;
    *chance ^= *chance >> 7;
    *chance ^= *chance << 17;
    return (size_t)(((*chance >> 32) * n) >> 32);
}

// A pivot from a few keys: the medians, lane by lane, of five vectors from different places, and their
// middle.
VECTOR_CODE static key pivot_of_few(const key *keys, size_t n, uint64_t *chance)
{
    key middle[LANES];
    vector v[5];

    for (int i = 0; i < 5; i++)
        v[i] = load(keys + random_below(n - LANES, chance));
    // clang-format off
    PAIR(0, 1) PAIR(3, 4) PAIR(0, 3) PAIR(1, 4) PAIR(1, 2) PAIR(2, 3) PAIR(1, 2)
    merge_columns(v + 2, 1);
    // clang-format on
    store(middle, v[2]);
    return middle[LANES / 2];
}

VECTOR_CODE static key pivot_of_many(const key *keys, size_t n, uint64_t *chance,
                                     const struct host_codec *codec)
{
    enum { SAMPLE = 8 * LANES };
    key sample[SAMPLE];

    for (size_t i = 0; i < SAMPLE; i++)
        sample[i] = keys[random_below(n, chance)];
    for (size_t i = 0; i < SAMPLE; i += LANES)
        store(sample + i, encoded(load(sample + i), codec));
    sort_8_rows(sample, SAMPLE);
    return sample[SAMPLE / 2];
}

// A piece being sorted: its bounds, and how many more times its threshold may be a pivot.
struct piece {
    key least, most;
    unsigned tries;
    uint64_t chance;
};

enum { MANY = 4096 /* keys */ };

// Partitions n > SMALL keys with different bounds, and sets *threshold to the one used: at least `least`,
// less than `most`.
VECTOR_CODE static size_t divide_piece(key *keys, size_t n, struct piece *piece, key *threshold)
{
    if (piece->tries > 0) {
        piece->tries--;
        *threshold =
            n < MANY ? pivot_of_few(keys, n, &piece->chance) : pivot_of_many(keys, n, &piece->chance, NULL);
    } else {
        *threshold =
            (piece->least & piece->most) + ((piece->least ^ piece->most) >> 1); // their mean, rounded down
    }
    if (*threshold == piece->most)
        --*threshold;
    return partition(keys, n, *threshold);
}

VECTOR_CODE static void quicksort(key *keys, size_t n, struct piece piece)
{
    while (n > SMALL && piece.least < piece.most) {
        struct piece low = piece;
        size_t lows = divide_piece(keys, n, &piece, &low.most);
        low.tries = piece.tries;
        low.chance = piece.chance;
        quicksort(keys, lows, low);
        keys += lows;
        n -= lows;
        piece.least = low.most + 1;
    }
    if (piece.least < piece.most)
        sort_small(keys, n);
}

// ---- stored elements ----

VECTOR_CODE static void encode_all(void *data, size_t n, const struct host_codec *codec)
{
    key *keys = data;
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        store(keys + i, encode(load(keys + i), codec));
    store_first(keys + i, encode(load_first(keys + i, n - i), codec), n - i);
}

VECTOR_CODE static void decode_all(void *data, size_t n, const struct host_codec *codec)
{
    key *keys = data;
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        store(keys + i, decode(load(keys + i), codec));
    store_first(keys + i, decode(load_first(keys + i, n - i), codec), n - i);
}

enum { CACHED = (1 << 18) / sizeof(key) };

// Decodes while the keys are in the cache.
VECTOR_CODE static void sort_and_decode(key *keys, size_t n, struct piece piece,
                                        const struct host_codec *codec)
{
    while (n > CACHED && piece.least < piece.most) {
        struct piece low = piece;
        size_t lows = divide_piece(keys, n, &piece, &low.most);
        low.tries = piece.tries;
        low.chance = piece.chance;
        sort_and_decode(keys, lows, low, codec);
        keys += lows;
        n -= lows;
        piece.least = low.most + 1;
    }
    quicksort(keys, n, piece);
    decode_all(keys, n, codec);
}

VECTOR_CODE static void sort_encoded(void *keys, size_t n, int64_t least, int64_t most,
                                     const struct host_codec *codec)
{
    struct piece piece = {(key)least, (key)most, 0, UINT64_C(0x9e3779b97f4a7c15)};

    for (size_t left = n; left > 0; left /= 2)
        piece.tries += 2;
    sort_and_decode(keys, n, piece, codec);
}

VECTOR_CODE static int64_t pivot(const void *keys, size_t n, const struct host_codec *codec, uint64_t *chance)
{
    return pivot_of_many(keys, n, chance, codec);
}

VECTOR_CODE static size_t divide_stored(void *keys, size_t n, int64_t threshold,
                                        const struct host_codec *codec)
{
    size_t left = 0;

    if (n >= 2 * BLOCK * LANES)
        return codec ? divide_blocks(keys, n, (key)threshold, codec) : partition(keys, n, (key)threshold);
    if (codec)
        encode_all(keys, n, codec);
    for (size_t i = 0; i < n; i++) {
        key value = ((key *)keys)[i];
        ((key *)keys)[i] = ((key *)keys)[left];
        ((key *)keys)[left] = value;
        left += value <= (key)threshold;
    }
    return left;
}

VECTOR_CODE static size_t keep_between(const void *data, size_t n, const struct host_codec *codec,
                                       struct host_bracket *bracket, void *to)
{
    const key *keys = data;
    const vector low = broadcast((key)bracket->low), high = broadcast((key)bracket->high);
    const vector limit = broadcast((key)bracket->limit);
    size_t kept = 0, below = 0, above_low = 0, above_high = 0, beyond = 0;

    for (size_t i = 0; i < n; i += LANES) {
        bool whole = n - i >= LANES;
        vector v = encode(whole ? load(keys + i) : load_first(keys + i, n - i), codec);
        lane_set valid = whole ? (lane_set)-1 : first_lane_set(n - i);
        lane_set greater = greater_lanes(v, low) & valid, between = greater & greater_lanes(high, v);
        keep_lanes(v, between, (key *)to + kept);
        kept += count_lanes(between);
        below += count_lanes(greater_lanes(low, v) & valid);
        above_low += count_lanes(greater);
        above_high += count_lanes(greater_lanes(v, high) & valid);
        beyond += count_lanes(greater_lanes(v, limit) & valid);
    }
    bracket->below += below;
    bracket->at_low += n - below - above_low;
    bracket->at_high += above_low - kept - above_high;
    bracket->beyond += beyond;
    return kept;
}

const struct host_quicksort SIMD_NAME(host_quicksort) = {pivot,      divide_stored, sort_encoded,
                                                         encode_all, decode_all,    keep_between};
