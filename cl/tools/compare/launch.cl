// SPDX-License-Identifier: Apache-2.0
// What a launch costs: a kernel that does next to nothing, but shows that it ran.
// Launch: one group. Cost: one read and one write of 4 bytes.

// *count grows by one.
__kernel void count_launch(__global uint *count)
{
    if (get_global_id(0) == 0)
        count[0] += 1;
}
