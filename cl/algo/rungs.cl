// SPDX-License-Identifier: Apache-2.0
// What a device computes on the rungs of lib/subgroup.clh and lib/atomic.clh, for the host to compare with the expected
// results. It covers everything that kernels use of a rung.
//
// Launch: rung_subgroup with groups of GROUP; rung_atomic with any.
// Cost: negligible; it runs once for a device and driver.
// Tunables: GROUP, and those of lib/subgroup.clh and lib/atomic.clh.
#ifndef GROUP
#define GROUP 256
#endif

#include "../lib/atomic.clh"
#include "../lib/subgroup.clh"

// For each work-item: its number, its place in its sub-group, what the next lane wrote, the bits of all lanes, the number
// of lanes up to it with its digit, whether it is the last of them, and the sum of the digits up to it.
enum { WIDTH, ROW, LANE, NEXT, BITS, UPTO, LAST, SUM, WORDS };

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void rung_subgroup(__global const uint *digits,
                                                                                __global uint *answers)
{
    __local uint written[GROUP], bits[GROUP];
    uint item = (uint)get_local_id(0), digit = digits[get_global_id(0)];
    uint width = sub_width(), lane = sub_lane(item), row = sub_row(item);
    __global uint *answer = answers + get_global_id(0) * WORDS;

    written[item] = bits[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    written[row * width + lane] = digit;
    sub_add_bits(&bits[row], 1u << digit % 32, lane);
    sub_sync();
    answer[WIDTH] = width;
    answer[ROW] = row;
    answer[LANE] = lane;
    answer[NEXT] = written[row * width + (lane + 1) % width];
    answer[BITS] = bits[row];
#if KN_SUBGROUP
    sub_lanes peers = sub_match(digit);
    answer[UPTO] = sub_upto(peers, lane);
    answer[LAST] = sub_is_last(peers, lane);
    answer[SUM] = sub_scan_inclusive(digit, lane);
#endif
}

// Each work-item adds its number to one of four sums, and 1 to the fifth.
__kernel void rung_atomic(__global float *sums)
{
    uint item = (uint)get_global_id(0);

    atomic_add_float(&sums[item % 4], (float)item);
    atomic_add_float(&sums[4], 1);
}
