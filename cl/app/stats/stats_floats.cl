// SPDX-License-Identifier: Apache-2.0
// Elements of a column as floats, rounded to the nearest.
// Launch: one work-item an element. Cost: one read and one write of n elements.
// Tunables: FROM (the type of the elements: char, uchar, double).
#ifndef FROM
#define FROM uchar
#endif

// to[to_first + i] = from[from_first + i] for i < n.
__kernel void stats_floats(__global const FROM *from, ulong from_first, __global float *to, ulong to_first, ulong n)
{
    ulong i = get_global_id(0);

    if (i < n)
        to[to_first + i] = convert_float_rte(from[from_first + i]);
}
