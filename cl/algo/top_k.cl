// SPDX-License-Identifier: Apache-2.0
// The elements that come before a threshold in sorted order, and the first of those equal to it, in their original order:
// the input of a sort of the first k elements.
// Launch: top_k_count with a group for every 4,096 elements, for each part of the column; an exclusive scan of the counts
// (2 * blocks + 1); then top_k_gather in the same way.
// Cost: reads x once, and the blocks that contain selected elements once more.
// Tunables: GROUP (1: for CPUs), KEY_BITS, KEY_KIND, KEY_DESCENDING (lib/key.clh), INDEX (uint or ulong).
#ifndef GROUP
#define GROUP 256
#endif
#ifndef INDEX
#define INDEX uint
#endif

#include "../lib/key.clh"
#include "../shared/columns.h"

#define ITEMS (TOP_K_BLOCK / GROUP)

// Sets counts[first + b] to the number of elements of block b before the threshold, and counts[blocks + first + b] to the
// number equal to it. The elements are the n from x[skip] on; `threshold` is an element's bits.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
top_k_count(__global const sort_key *x, ulong skip, ulong n, ulong threshold, __global ulong *counts, ulong first,
            ulong blocks)
{
    __local uint all[2];
    uint item = (uint)get_local_id(0), before = 0, equal = 0;
    ulong start = (ulong)get_group_id(0) * TOP_K_BLOCK;
    uint count = n - start < TOP_K_BLOCK ? (uint)(n - start) : TOP_K_BLOCK;
    sort_key last = rank_key(encode_key((sort_key)threshold));

    if (item == 0)
        all[0] = all[1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < count; i += GROUP) {
        sort_key key = rank_key(encode_key(x[skip + start + i]));
        before += key < last;
        equal += key == last;
    }
    if (before)
        atomic_add(&all[0], before);
    if (equal)
        atomic_add(&all[1], equal);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        counts[first + get_group_id(0)] = all[0];
        counts[blocks + first + get_group_id(0)] = all[1];
        if (first + get_group_id(0) == 0)
            counts[2 * blocks] = 0;
    }
}

// `positions` holds the scanned counts. The first k elements go to values and indices; the first of x has number `number`.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
top_k_gather(__global const sort_key *x, ulong skip, ulong n, ulong number, ulong threshold,
             __global const ulong *positions, ulong first, ulong blocks, ulong k, __global sort_key *values,
             __global INDEX *indices)
{
    __local uint sum[2 * GROUP];
    uint item = (uint)get_local_id(0), side = 0, before = 0, equal = 0;
    ulong block = first + get_group_id(0), start = (ulong)get_group_id(0) * TOP_K_BLOCK + item * ITEMS;
    uint count = start >= n ? 0 : n - start < ITEMS ? (uint)(n - start) : ITEMS;
    ulong to = positions[block], to_equal = positions[blocks + block];
    sort_key last = rank_key(encode_key((sort_key)threshold));
    bool none = positions[block + 1] == to && (to_equal >= k || positions[blocks + block + 1] == to_equal);

    count = none ? 0 : count;
    for (uint i = 0; i < count; i++) {
        sort_key key = rank_key(encode_key(x[skip + start + i]));
        before += key < last;
        equal += key == last;
    }
    // Both counts in one word: a block has 2^12 elements.
    sum[item] = before << 16 | equal;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        uint own = sum[side + item] + (item >= distance ? sum[side + item - distance] : 0);
        side = GROUP - side;
        sum[side + item] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    to += (sum[side + item] >> 16) - before;
    to_equal += (sum[side + item] & 0xffff) - equal;
    for (uint i = 0; i < count; i++) {
        sort_key bits = x[skip + start + i], key = rank_key(encode_key(bits));
        ulong position = key < last ? to++ : key == last ? to_equal++ : k;
        if (position < k) {
            values[position] = bits;
            indices[position] = (INDEX)(number + start + i);
        }
    }
}
