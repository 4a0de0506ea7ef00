// SPDX-License-Identifier: Apache-2.0
// The peer of cl/algo/sort/sort_bitonic.cl: bitonic merge sort as the source's and most textbooks' kernels do it, one compare
// step a launch, n a power of two. log2(n) (log2(n) + 1) / 2 launches, each reading and writing all keys.
// Launch: n / 2 work-items for every pass 0..stage of every stage.
#ifndef REAL
#define REAL float
#endif

__kernel void one_step(__global REAL *keys, uint stage, uint pass)
{
    uint item = (uint)get_global_id(0);
    uint distance = 1u << (stage - pass);
    uint left = (item & (distance - 1)) + (item >> (stage - pass)) * 2 * distance;
    uint right = left + distance;
    bool descending = (item >> stage) & 1;
    REAL a = keys[left];
    REAL b = keys[right];

    if ((a > b) != descending) {
        keys[left] = b;
        keys[right] = a;
    }
}
