// SPDX-License-Identifier: Apache-2.0
// Spans of a column, of equal length at equal distances, each in sorted order with its positions: window_gather copies
// them, kn_sort_segments_by_key sorts them; then window_rank inverts the order, or window_pick takes elements of given
// ranks.
// Launch: a work-item an element; for window_pick, a work-item an answer.
// Tunables: REAL_BITS.
#include "../../lib/real.clh"

// Span s has the `length` elements from first + s * stride - before on; positions outside the column hold NaN.
__kernel void window_gather(__global const real *x, ulong n, ulong first, ulong stride, ulong before, ulong length,
                            ulong spans, __global real *keys, __global uint *order, __global ulong *offsets)
{
    ulong i = get_global_id(0);

    if (i >= spans * length)
        return;
    ulong span = i / length, position = i - span * length, element = first + span * stride + position;
    keys[i] = element >= before && element - before < n ? x[element - before] : (real)NAN;
    order[i] = (uint)position;
    if (position == 0)
        offsets[span] = i;
    if (i + 1 == spans * length)
        offsets[spans] = i + 1;
}

// Sets rank[p] of a span to the rank of its position p in sorted order.
__kernel void window_rank(__global const uint *order, ulong length, ulong total, __global uint *rank)
{
    ulong i = get_global_id(0);

    if (i >= total)
        return;
    ulong begin = i / length * length;
    rank[begin + order[i]] = (uint)(i - begin);
}

// Sets picked[span * count + k] to the element of rank ranks[k].
__kernel void window_pick(__global const real *keys, ulong length, ulong spans, __global const ulong *ranks, ulong count,
                          __global real *picked)
{
    ulong i = get_global_id(0);

    if (i < spans * count)
        picked[i] = keys[i / count * length + ranks[i % count]];
}
