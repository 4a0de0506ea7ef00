// SPDX-License-Identifier: Apache-2.0
// Merging with vectors: ROWS of them at a time go through a bitonic network (Batcher 1968; Inoue, Moriyama,
// Komatsu, Nakatani 2007). The greater half is carried on; the next keys are read from the piece whose next
// key is less, so that the lesser half is final.
//
// Compiled for every instruction set with vectors and every width (src/host/simd/simd.h).
#include <string.h>

#include "host/simd/simd.h"
#include "merge_code.h"

enum { ROWS = 4, STEP = ROWS * LANES, RUN = 16 * LANES };

#define UNROLL _Pragma("GCC unroll 8")

// A piece being read, padded with KEY_MAX.
struct reading {
    const key *keys;
    size_t at, count;
};

VECTOR_OPERATION bool holds_step(const struct reading *r)
{
    return r->count - r->at >= STEP;
}

VECTOR_OPERATION key head(const struct reading *r)
{
    return r->at < r->count ? r->keys[r->at] : KEY_MAX;
}

VECTOR_OPERATION void read_step(struct reading *r, vector *v)
{
    UNROLL
    for (size_t i = 0; i < ROWS; i++) {
        size_t at = r->at + i * LANES, left = r->count > at ? r->count - at : 0;
        if (left >= LANES)
            v[i] = load(r->keys + at);
        else
            v[i] = left ? load_first(r->keys + at, left) : broadcast(KEY_MAX);
    }
    r->at = r->count - r->at > STEP ? r->at + STEP : r->count;
}

// Sorts rows that form a bitonic sequence.
VECTOR_OPERATION void sort_bitonic(vector *v)
{
    UNROLL
    for (int distance = ROWS / 2; distance > 0; distance /= 2)
        UNROLL
    for (int i = 0; i < ROWS; i++)
        if ((i & distance) == 0)
            order(&v[i], &v[i + distance]);
    UNROLL
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        UNROLL
    for (int i = 0; i < ROWS; i++)
        v[i] = order_by_lane(v[i], exchange(v[i], distance), distance);
}

// Both are ascending before and after; afterwards no key of `low` is greater than one of `high`.
VECTOR_OPERATION void merge_rows(vector *low, vector *high)
{
    vector mirrored[ROWS];

    UNROLL
    for (int i = 0; i < ROWS; i++)
        mirrored[i] = exchange(high[ROWS - 1 - i], LANES - 1);
    UNROLL
    for (int i = 0; i < ROWS; i++) {
        high[i] = mirrored[i];
        order(&low[i], &high[i]);
    }
    sort_bitonic(low);
    sort_bitonic(high);
}

VECTOR_OPERATION void write_step(key *to, size_t room, const vector *v)
{
    UNROLL
    for (size_t i = 0; i < ROWS; i++)
        if (room >= (i + 1) * LANES)
            store(to + i * LANES, v[i]);
        else if (room > i * LANES)
            store_first(to + i * LANES, v[i], room - i * LANES);
}

VECTOR_CODE static void merge(const void *left, size_t a_count, const void *right, size_t b_count, void *out)
{
    struct reading a = {left, 0, a_count}, b = {right, 0, b_count};
    key *to = out, *end = to + a_count + b_count;
    vector carried[ROWS], next[ROWS];

    if (a_count == 0 || b_count == 0) {
        memcpy(to, a_count ? left : right, (a_count + b_count) * sizeof *to);
        return;
    }
    read_step(&a, carried);
    read_step(&b, next);
    merge_rows(next, carried);
    while (holds_step(&a) && holds_step(&b)) {
        UNROLL
        for (size_t i = 0; i < ROWS; i++)
            store(to + i * LANES, next[i]);
        to += STEP;
        bool from_a = a.keys[a.at] <= b.keys[b.at];
        const key *from = from_a ? a.keys + a.at : b.keys + b.at;
        a.at += from_a ? STEP : 0;
        b.at += from_a ? 0 : STEP;
        UNROLL
        for (size_t i = 0; i < ROWS; i++)
            next[i] = load(from + i * LANES);
        merge_rows(next, carried);
    }
    while (end - to > STEP) {
        write_step(to, STEP, next);
        to += STEP;
        read_step(head(&a) <= head(&b) && a.at < a.count ? &a : &b, next);
        merge_rows(next, carried);
    }
    write_step(to, (size_t)(end - to), next);
}

const struct merge_code SIMD_NAME(merge_code) = {SIMD_LEVEL, RUN, merge};
