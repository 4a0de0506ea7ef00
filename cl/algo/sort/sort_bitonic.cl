// SPDX-License-Identifier: Apache-2.0
// Bitonic merge sort of keys of any type, in place, in the order of lib/key.clh (numpy's; stored bits are kept).
// After the source's bitonic kernel (one compare a launch), with as many compares a pass over memory as registers
// and local memory can hold.
//
// Every stage k merges pairs of sorted runs into runs of 2^k. Its first step compares position i with its mirror image in
// the run, so that every compare puts the smaller key at the lower position. Positions past n therefore act as a run of
// largest keys that never moves: any n works, nothing is padded, nothing past n is touched.
//
// A work-item holds its window, KEYS = 2^LOG2_KEYS keys whose positions differ in LOG2_KEYS neighbouring bits, and so does
// up to LOG2_KEYS steps between one load and one store.
//
// Launch, each with ceil(n rounded up to a run / BLOCK) groups of GROUP:
//   sort_blocks             BLOCK keys a group sorted in local memory (encodes: numbers to integer keys)
//   for every stage k from log2(BLOCK) + 1:
//     merge_global          mirror step and the next LOG2_KEYS - 1, then LOG2_KEYS steps a launch down to BLOCK
//     merge_local           the steps left, in local memory (decodes on the last stage)
// Cost for n = 2^24 with BLOCK 4096: 37 passes over memory instead of 300.
// Tunables: KEY_BITS, KEY_KIND, KEY_DESCENDING (lib/key.clh), LOG2_GROUP (work-items), LOG2_KEYS (keys a work-item).
#ifndef LOG2_GROUP
#define LOG2_GROUP 8
#endif
#ifndef LOG2_KEYS
#define LOG2_KEYS 4
#endif

#include "../../lib/key.clh"

#define GROUP (1 << LOG2_GROUP)
#define KEYS (1 << LOG2_KEYS)
#define BLOCK (GROUP * KEYS)
// One slot in KEYS + 1 stays unused, so that neighbouring work-items always use different memory banks.
#define SLOT(i) ((i) + ((i) >> LOG2_KEYS))
#define SLOTS (SLOT(BLOCK - 1) + 1)

inline void order(sort_key *a, sort_key *b)
{
    sort_key smaller = min(*a, *b);
    *b = max(*a, *b);
    *a = smaller;
}

// Compares at register distances 2^(count - 1), ..., 2, 1: `count` steps of the window.
inline void steps(sort_key key[KEYS], uint count)
{
#pragma unroll
    for (int bit = LOG2_KEYS - 1; bit >= 0; bit--)
        if (bit < (int)count) {
#pragma unroll
            for (uint r = 0; r < KEYS; r++)
                if (!(r & (1u << bit)))
                    order(&key[r], &key[r | (1u << bit)]);
        }
}

// Compares r with its mirror image in runs of `run` registers.
inline void mirror(sort_key key[KEYS], uint run)
{
#pragma unroll
    for (uint r = 0; r < KEYS; r++)
        if ((r & (run - 1)) < run / 2)
            order(&key[r], &key[r ^ (run - 1)]);
}

// A window in memory: register r is at lower + r * stride or, in the upper half, at upper + r * stride.
typedef struct {
    ulong lower, upper, stride;
} window_span;

// The place of work-item `item` if the window begins at bit `window`. With `mirrored`, the upper half of the registers is
// at the mirror images of the lower half.
inline window_span span_of(ulong item, uint window, bool mirrored)
{
    window_span at;

    at.stride = (ulong)1 << window;
    at.lower = ((item >> window) << (window + LOG2_KEYS)) | (item & (at.stride - 1));
    at.upper = mirrored ? at.lower ^ (at.stride - 1) : at.lower;
    return at;
}

inline ulong position(window_span at, uint r)
{
    return (r < KEYS / 2 ? at.lower : at.upper) + r * at.stride;
}

// The place of register r of work-item `item` inside a block, in 32 bits.
inline uint local_position(uint item, uint r, uint window, bool mirrored)
{
    uint mask = (1u << window) - 1;
    uint low = item & mask;

    if (mirrored && r >= KEYS / 2)
        low = ~low & mask;
    return ((item >> window) << (window + LOG2_KEYS)) | (r << window) | low;
}

// One window's steps on a block in local memory: a mirror step and all that the window holds, or `count` steps.
inline void local_round(__local sort_key *block, uint item, uint window, uint count, bool mirrored)
{
    sort_key key[KEYS];

#pragma unroll
    for (uint r = 0; r < KEYS; r++)
        key[r] = block[SLOT(local_position(item, r, window, mirrored))];
    if (mirrored) {
        mirror(key, KEYS);
        steps(key, LOG2_KEYS - 1);
    } else {
        steps(key, count);
    }
#pragma unroll
    for (uint r = 0; r < KEYS; r++)
        block[SLOT(local_position(item, r, window, mirrored))] = key[r];
    barrier(CLK_LOCAL_MEM_FENCE);
}

// The steps at distances 2^(bits - 1), ..., 1 on a block in local memory.
inline void local_steps(__local sort_key *block, uint item, uint bits)
{
    while (bits > 0) {
        uint window = bits > LOG2_KEYS ? bits - LOG2_KEYS : 0;
        local_round(block, item, window, bits - window, false);
        bits = window;
    }
}

// Writes the block back to memory, neighbours side by side.
inline void store_block(__global sort_key *data, ulong n, ulong base, __local const sort_key *block, uint item,
                        uint decode)
{
#pragma unroll
    for (uint r = 0; r < KEYS; r++) {
        uint i = r * GROUP + item;
        sort_key key = block[SLOT(i)];
        if (base + i < n)
            data[base + i] = decode ? decode_key(key) : key;
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void sort_blocks(__global sort_key *data, ulong n,
                                                                             uint decode)
{
    __local sort_key block[SLOTS];
    uint item = (uint)get_local_id(0);
    ulong base = (ulong)get_group_id(0) * BLOCK;
    sort_key key[KEYS];

    // The order in which unsorted keys are loaded does not matter: neighbours side by side.
#pragma unroll
    for (uint r = 0; r < KEYS; r++) {
        ulong i = base + r * GROUP + item;
        key[r] = i < n ? encode_key(data[i]) : KEY_MAX;
    }
#pragma unroll
    for (uint k = 1; k <= LOG2_KEYS; k++) {
        mirror(key, 1u << k);
        steps(key, k - 1);
    }
#pragma unroll
    for (uint r = 0; r < KEYS; r++)
        block[SLOT(item * KEYS + r)] = key[r];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint k = LOG2_KEYS + 1; k <= LOG2_GROUP + LOG2_KEYS; k++) {
        local_round(block, item, k - LOG2_KEYS, 0, true);
        local_steps(block, item, k - LOG2_KEYS);
    }
    store_block(data, n, base, block, item, decode);
}

// One window of a stage over the whole array: the stage's first LOG2_KEYS steps (`mirrored`), or LOG2_KEYS others.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void merge_global(__global sort_key *data, ulong n,
                                                                              uint window, uint mirrored)
{
    window_span at = span_of(get_global_id(0), window, mirrored);
    bool whole = at.lower + KEYS * at.stride <= n;
    sort_key key[KEYS];

    if (at.lower >= n)
        return;
    if (whole) { // the registers' positions are all inside: no checks between loads
#pragma unroll
        for (uint r = 0; r < KEYS; r++)
            key[r] = data[position(at, r)];
    } else {
#pragma unroll
        for (uint r = 0; r < KEYS; r++) {
            ulong i = position(at, r);
            key[r] = i < n ? data[i] : KEY_MAX;
        }
    }
    if (mirrored) {
        mirror(key, KEYS);
        steps(key, LOG2_KEYS - 1);
    } else {
        steps(key, LOG2_KEYS);
    }
    if (whole) {
#pragma unroll
        for (uint r = 0; r < KEYS; r++)
            data[position(at, r)] = key[r];
    } else {
#pragma unroll
        for (uint r = 0; r < KEYS; r++) {
            ulong i = position(at, r);
            if (i < n)
                data[i] = key[r];
        }
    }
}

// The steps at distances 2^(bits - 1), ..., 1 of a stage, LOG2_KEYS <= bits <= log2(BLOCK).
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void merge_local(__global sort_key *data, ulong n,
                                                                             uint bits, uint decode)
{
    __local sort_key block[SLOTS];
    uint item = (uint)get_local_id(0);
    ulong base = (ulong)get_group_id(0) * BLOCK;
    uint window = bits - LOG2_KEYS;
    sort_key key[KEYS];

#pragma unroll
    for (uint r = 0; r < KEYS; r++) {
        ulong i = base + local_position(item, r, window, false);
        key[r] = i < n ? data[i] : KEY_MAX;
    }
    steps(key, LOG2_KEYS);
#pragma unroll
    for (uint r = 0; r < KEYS; r++)
        block[SLOT(local_position(item, r, window, false))] = key[r];
    // Other work-items will write what this one has read.
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    local_steps(block, item, window);
    store_block(data, n, base, block, item, decode);
}
