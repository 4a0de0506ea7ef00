// SPDX-License-Identifier: Apache-2.0
// Sum, and optionally sum of squares, of x[i] - shift, folded in one fixed tree: bit-equal on every device with the same
// accumulator, whatever the launch.
//
// The tree: a leaf is 4,096 consecutive elements. In a leaf, lane l = i mod 64 adds its elements in order of index; the
// lanes are folded by halving distance (32, 16, 8, 4, 2, 1); leaves are folded in pairs (0,1) (2,3), then pairs of pairs,
// and so on. Positions past the end count as +0.
//
// Launch: reduce_leaves with any number of groups, which take turns, up to ceil(n / (4096 * LEAVES)); then reduce_fold
// with ceil(count / (16 * GROUP)) groups (in dimension 1: one for the sums, one for the squares) until one value is left.
// Cost: reads x once.
// Tunables: GROUP (work-items a group, a power of two times 64 / WIDTH), WIDTH (neighbouring lanes a work-item holds),
// REAL_BITS, ACC_SOFT, SQUARES (1: the squares too), UNROLL (rows).
#ifndef GROUP
#define GROUP 256
#endif
#ifndef SQUARES
#define SQUARES 1
#endif

#include "../lib/tree.clh"

#ifndef UNROLL
#define UNROLL (ACC_SOFT ? 1 : 8)
#endif

#define KINDS (1 + SQUARES)
enum { SUM, SUM_OF_SQUARES };

inline void add_row(realw row, real shift, accw *lanes)
{
    accw d = accw_difference(row, shift);

    lanes[SUM] = accw_add(lanes[SUM], d);
#if SQUARES
    lanes[SUM_OF_SQUARES] = accw_add_square(lanes[SUM_OF_SQUARES], d);
#endif
}

// Sums LEAVES leaves from x + start on into leaf[kind * LEAVES]. The next call writes to the same local memory: the caller
// needs a barrier between two calls.
static inline void sum_leaves(__global const real *x, ulong n, ulong start, real shift, __local accw *wide, __local acc *leaf)
{
    uint item = (uint)get_local_id(0);
    accw lanes[KINDS];

    for (uint kind = 0; kind < KINDS; kind++)
        lanes[kind] = accw_zero();
    start += item / ITEMS_PER_LEAF * TREE_LEAF;
    if (start + TREE_LEAF <= n) { // a whole leaf: no checks between loads
        __global const realw *rows = (__global const realw *)(x + start) + item % ITEMS_PER_LEAF;
#pragma unroll UNROLL
        for (uint row = 0; row < ROWS; row++)
            add_row(rows[row * (TREE_LANES / WIDTH)], shift, lanes);
    } else {
        start += item % ITEMS_PER_LEAF * WIDTH;
        for (uint row = 0; row < ROWS; row++)
            add_row(load_guarded(x, n, start + row * TREE_LANES, shift), shift, lanes);
    }
    fold_group(lanes, KINDS, wide, leaf);
}

// Sets partial[first + i] to the sum of the leaves from i * LEAVES on of x[0..n), and partial[stride + first + i] to that
// of their squares.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
reduce_leaves(__global const real *x, ulong n, real shift, __global acc *partial, ulong first, ulong stride)
{
    __local accw wide[KINDS * GROUP];
    __local acc leaf[KINDS * LEAVES];
    ulong count = (n + LEAVES * TREE_LEAF - 1) / (LEAVES * TREE_LEAF);

    for (ulong i = get_group_id(0); i < count; i += get_num_groups(0)) {
        sum_leaves(x, n, i * LEAVES * TREE_LEAF, shift, wide, leaf);
        if (get_local_id(0) == 0)
            for (uint kind = 0; kind < KINDS; kind++)
                partial[kind * stride + first + i] = leaf[kind * LEAVES];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Sets out[group] to the sum of in[16 * GROUP * group] and its neighbours, folded in pairs. Dimension 1 selects the sums
// (in[0..count)) or the squares (in[count..2 * count)).
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
reduce_fold(__global const acc *in, ulong count, __global acc *out)
{
    __local acc node[GROUP];
    uint item = (uint)get_local_id(0);
    ulong first = (get_group_id(0) * GROUP + item) * TREE_FOLD_BY;
    acc part[TREE_FOLD_BY];

    in += count * get_group_id(1);
    for (uint i = 0; i < TREE_FOLD_BY; i++)
        part[i] = first + i < count ? in[first + i] : ACC_ZERO;
    acc sum = fold_nodes(part, node);
    if (item == 0)
        out[get_num_groups(0) * get_group_id(1) + get_group_id(0)] = sum;
}
