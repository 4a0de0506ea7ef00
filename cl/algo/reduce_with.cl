// SPDX-License-Identifier: Apache-2.0
// Reduces a column of any type by any operation, folded in the fixed tree of cl/algo/reduce.cl: a leaf is 4,096 consecutive
// elements; in it, lane l = i mod 64 combines its elements in order of index; the lanes are folded by halving distance (32,
// 16, ..., 1), the leaves in pairs. Positions past the end count as the identity.
// Launch: reduce_with_leaves with any number of groups, which take turns, up to ceil(n / (4096 * LEAVES)); then
// reduce_with_fold with ceil(count / (16 * GROUP)) groups until one value is left.
// Cost: reads x once.
// Tunables: GROUP (work-items a group, a power of two times 64 / WIDTH), WIDTH (neighbouring lanes a work-item holds: 4, 8,
// 16); TYPE of an element, ACC of the result; COMBINE, an expression of a and b; IDENTITY, its neutral element; MAP, an
// expression of x that is applied to each element.
#ifndef GROUP
#define GROUP 256
#endif
#ifndef WIDTH
#define WIDTH 4
#endif
#ifndef TYPE
#define TYPE float
#endif
#ifndef ACC
#define ACC float
#endif
#ifndef COMBINE
#define COMBINE a + b
#endif
#ifndef IDENTITY
#define IDENTITY 0
#endif
#ifndef MAP
#define MAP (ACC)x
#endif

#include "../shared/tree.h"

#pragma OPENCL FP_CONTRACT OFF

#define ROWS (TREE_LEAF / TREE_LANES)
#define ITEMS_PER_LEAF (TREE_LANES / WIDTH)
#define LEAVES (GROUP / ITEMS_PER_LEAF)
#define KN_PASTE_(a, b) a##b
#define KN_PASTE(a, b) KN_PASTE_(a, b)

inline ACC combine(ACC a, ACC b)
{
    return COMBINE;
}

inline ACC map(TYPE x)
{
    return MAP;
}

typedef union {
    KN_PASTE(TYPE, WIDTH) vector;
    TYPE element[WIDTH];
} row_of_lanes;

// Reduces LEAVES leaves from x + start on: leaf[0].
//
// The rows are combined in order of index. Intel's CPU runtime 2026.2 does not keep that order by itself: where a product
// depends on a condition, it makes a vector of 8 rows and multiplies its components at the end, though nothing allows it to
// regroup floats. Without vectors across rows it keeps the order; compilers that do not know the pragma ignore it.
static inline void reduce_group(__global const TYPE *x, ulong n, ulong start, __local ACC *wide, __local ACC *leaf)
{
    uint item = (uint)get_local_id(0), position = item % ITEMS_PER_LEAF;
    ACC lane[WIDTH];

    start += item / ITEMS_PER_LEAF * TREE_LEAF;
#pragma unroll
    for (uint l = 0; l < WIDTH; l++)
        lane[l] = IDENTITY;
    if (start + TREE_LEAF <= n) { // a whole leaf: no checks between loads
        __global const KN_PASTE(TYPE, WIDTH) *rows = (__global const KN_PASTE(TYPE, WIDTH) *)(x + start) + position;
#if KN_CPU
#pragma clang loop vectorize(disable)
#endif
#pragma unroll 8
        for (uint r = 0; r < ROWS; r++) {
            row_of_lanes row;
            row.vector = rows[r * (TREE_LANES / WIDTH)];
#pragma unroll
            for (uint l = 0; l < WIDTH; l++)
                lane[l] = combine(lane[l], map(row.element[l]));
        }
    } else {
#if KN_CPU
#pragma clang loop vectorize(disable)
#endif
        for (uint r = 0; r < ROWS; r++)
#pragma unroll
            for (uint l = 0; l < WIDTH; l++)
                if (start + position * WIDTH + r * TREE_LANES + l < n)
                    lane[l] = combine(lane[l], map(x[start + position * WIDTH + r * TREE_LANES + l]));
    }

#pragma unroll
    for (uint l = 0; l < WIDTH; l++)
        wide[l * GROUP + item] = lane[l];
    for (uint distance = ITEMS_PER_LEAF / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (position < distance) {
#pragma unroll
            for (uint l = 0; l < WIDTH; l++)
                wide[l * GROUP + item] = combine(wide[l * GROUP + item], wide[l * GROUP + item + distance]);
        }
    }
    if (position == 0) {
        for (uint distance = WIDTH / 2; distance > 0; distance /= 2)
            for (uint l = 0; l < distance; l++)
                wide[l * GROUP + item] = combine(wide[l * GROUP + item], wide[(l + distance) * GROUP + item]);
        leaf[item / ITEMS_PER_LEAF] = wide[item];
    }
    for (uint distance = 1; distance < LEAVES; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item * 2 * distance + distance < LEAVES)
            leaf[item * 2 * distance] = combine(leaf[item * 2 * distance], leaf[item * 2 * distance + distance]);
    }
}

// Sets partial[first + i] to the result of the leaves from i * LEAVES on of x[0..n). `stride` is not used.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
reduce_with_leaves(__global const TYPE *x, ulong n, __global ACC *partial, ulong first, ulong stride)
{
    __local ACC wide[WIDTH * GROUP];
    __local ACC leaf[LEAVES];
    ulong count = (n + LEAVES * TREE_LEAF - 1) / (LEAVES * TREE_LEAF);

    for (ulong i = get_group_id(0); i < count; i += get_num_groups(0)) {
        reduce_group(x, n, i * LEAVES * TREE_LEAF, wide, leaf);
        if (get_local_id(0) == 0)
            partial[first + i] = leaf[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Sets out[group] to the result of in[16 * GROUP * group] and its neighbours, folded in pairs.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
reduce_with_fold(__global const ACC *in, ulong count, __global ACC *out)
{
    __local ACC node[GROUP];
    uint item = (uint)get_local_id(0);
    ulong first = (get_group_id(0) * GROUP + item) * TREE_FOLD_BY;
    ACC part[TREE_FOLD_BY];

    for (uint i = 0; i < TREE_FOLD_BY; i++)
        part[i] = first + i < count ? in[first + i] : (ACC)(IDENTITY);
    for (uint distance = 1; distance < TREE_FOLD_BY; distance *= 2)
        for (uint i = 0; i < TREE_FOLD_BY; i += 2 * distance)
            part[i] = combine(part[i], part[i + distance]);

    node[item] = part[0];
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item * 2 * distance + distance < GROUP)
            node[item * 2 * distance] = combine(node[item * 2 * distance], node[item * 2 * distance + distance]);
    }
    if (item == 0)
        out[get_group_id(0)] = node[0];
}
