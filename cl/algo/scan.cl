// SPDX-License-Identifier: Apache-2.0
// Prefix "sums" of a column of any type by any associative operation, in a fixed order, so that floats have the same bits
// on every device. Reduce, then scan (Blelloch 1990): no group waits for another.
//
// The order: a run is 16 consecutive elements (8 of 8 bytes), a block 256 runs. A run's total combines its elements in
// order of index; the totals of the runs before a run in its block are folded as in the scan of Hillis and Steele; a
// block's total, its runs' totals folded in pairs, is an element of the next level, which is scanned in the same way. An
// element's prefix begins with that of its block, then that of its run, and then combines its run's elements in order of
// index.
//
// Launch, each with a group a block: scan_totals, level by level until one block is left; then scan_blocks, back to the
// first level.
// Cost: reads x twice, writes it once.
// Tunables: TYPE; RUN (8 if TYPE has 8 bytes; it determines the bits of floats); COMBINE, an expression of a and b;
// IDENTITY, its neutral element; MAP, an expression of x.
#ifndef TYPE
#define TYPE float
#endif
#ifndef COMBINE
#define COMBINE a + b
#endif
#ifndef IDENTITY
#define IDENTITY 0
#endif
#ifndef MAP
#define MAP x
#endif

#include "../shared/columns.h"

#pragma OPENCL FP_CONTRACT OFF

#ifndef RUN
#define RUN 16
#endif
#define BLOCK (SCAN_GROUP * RUN)
// One slot in RUN + 1 stays unused, so that neighbouring work-items always use different memory banks.
#define SLOT(i) ((i) + (i) / RUN)

inline TYPE combine(TYPE a, TYPE b)
{
    return COMBINE;
}

inline TYPE map(TYPE x)
{
    return MAP;
}

// Loads the elements of the block, neighbours side by side, and leaves this work-item's run in `run`. `mapped`: they are
// elements of the column, not totals.
static inline void load_run(__global const TYPE *x, ulong n, ulong base, uint mapped, __local TYPE *block, TYPE *run)
{
    uint item = (uint)get_local_id(0);

#pragma unroll
    for (uint r = 0; r < RUN; r++) {
        uint i = r * SCAN_GROUP + item;
        TYPE element = IDENTITY;
        if (base + i < n) {
            element = x[base + i];
            element = mapped ? map(element) : element;
        }
        block[SLOT(i)] = element;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint r = 0; r < RUN; r++)
        run[r] = block[SLOT(item * RUN) + r];
}

inline TYPE total_of(const TYPE *run)
{
    TYPE total = run[0];

#pragma unroll
    for (uint r = 1; r < RUN; r++)
        total = combine(total, run[r]);
    return total;
}

// Sets totals[to + b] to the total of block b of x[from..from + n).
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void
scan_totals(__global const TYPE *x, ulong from, ulong n, uint mapped, __global TYPE *totals, ulong to)
{
    __local TYPE block[SLOT(BLOCK)];
    __local TYPE node[SCAN_GROUP];
    uint item = (uint)get_local_id(0);
    TYPE run[RUN];

    load_run(x + from, n, (ulong)get_group_id(0) * BLOCK, mapped, block, run);
    node[item] = total_of(run);
    for (uint distance = 1; distance < SCAN_GROUP; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item * 2 * distance + distance < SCAN_GROUP)
            node[item * 2 * distance] = combine(node[item * 2 * distance], node[item * 2 * distance + distance]);
    }
    if (item == 0)
        totals[to + get_group_id(0)] = node[0];
}

// Sets out[from + i] to the combination of x[from..from + i], without x[from + i] itself if `exclusive`. prefixes[first +
// b] is the prefix of block b, if there is more than one block.
__kernel __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void
scan_blocks(__global const TYPE *x, __global TYPE *out, ulong from, ulong n, uint mapped, uint exclusive,
            __global const TYPE *prefixes, ulong first)
{
    __local TYPE block[SLOT(BLOCK)];
    __local TYPE node[2 * SCAN_GROUP];
    uint item = (uint)get_local_id(0), side = 0;
    ulong base = (ulong)get_group_id(0) * BLOCK;
    TYPE run[RUN], before;

    load_run(x + from, n, base, mapped, block, run);
    node[item] = total_of(run);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < SCAN_GROUP; distance *= 2) {
        TYPE own = node[side + item];
        if (item >= distance)
            own = combine(node[side + item - distance], own);
        side = SCAN_GROUP - side;
        node[side + item] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    before = IDENTITY;
    if (item > 0)
        before = node[side + item - 1];
    if (n > BLOCK)
        before = combine(prefixes[first + get_group_id(0)], before);

#pragma unroll
    for (uint r = 0; r < RUN; r++) {
        TYPE after = combine(before, run[r]);
        block[SLOT(item * RUN) + r] = exclusive ? before : after;
        before = after;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint r = 0; r < RUN; r++) {
        uint i = r * SCAN_GROUP + item;
        if (base + i < n)
            out[from + base + i] = block[SLOT(i)];
    }
}
