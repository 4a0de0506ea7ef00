// SPDX-License-Identifier: Apache-2.0
// Absolute deviations from a centre, and their order statistics without another sort: in sorted data the deviations from
// the median form two sorted runs, one to the left (read backwards) and one to the right, and bisection along the merge
// path finds the element of a given rank in both (Odeh et al. 2012).
// Launch: absolute_deviations and distances with one work-item an element; median_of_halves with one work-item a rank.
// Cost: absolute_deviations reads and writes n elements, distances writes them as doubles; median_of_halves reads 2 log2(n)
// elements a rank.
// Tunables: REAL_BITS, ACC_SOFT.
#define WIDTH 4
#include "../lib/accumulator.clh"

__kernel void absolute_deviations(__global const real *x, ulong n, acc centre, __global real *out)
{
    ulong i = get_global_id(0);

    if (i < n)
        out[i] = acc_to_real(acc_distance(x[i], centre));
}

// Writes the deviations of the n elements from x[skip] on, in the precision in which they are computed, to out[first], ...
__kernel void distances(__global const real *x, ulong skip, ulong n, acc centre, __global acc *out, ulong first)
{
    ulong i = get_global_id(0);

    if (i < n)
        out[first + i] = acc_distance(x[skip + i], centre);
}

// x[0..n) is sorted; x[split - 1], x[split - 2], ... and x[split], x[split + 1], ... lie farther and farther from the
// centre. Sets chosen[i] to the element whose deviation has rank first_rank + i (from 0).
__kernel void median_of_halves(__global const real *x, ulong n, ulong split, acc centre, ulong first_rank,
                               __global real *chosen)
{
    ulong rank = first_rank + get_global_id(0);
    ulong right = n - split;
    ulong low = rank > right ? rank - right : 0; // how many of the `rank` smallest come from the left run
    ulong high = min(rank, split);

    while (low < high) {
        ulong taken = (low + high) / 2;
        acc left_next = acc_distance(x[split - 1 - taken], centre);
        acc right_last = acc_distance(x[split + (rank - taken) - 1], centre);
        if (!acc_less(right_last, left_next))
            low = taken + 1;
        else
            high = taken;
    }

    ulong from_right = rank - low;
    bool take_left = low < split && (from_right >= right || !acc_less(acc_distance(x[split + from_right], centre),
                                                                      acc_distance(x[split - 1 - low], centre)));
    chosen[get_global_id(0)] = take_left ? x[split - 1 - low] : x[split + from_right];
}
