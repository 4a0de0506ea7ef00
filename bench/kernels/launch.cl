// SPDX-License-Identifier: Apache-2.0
// What bench/launch launches: a kernel that does nothing, and one that takes an argument of every kind and counts its
// launches. One work-group of any size.
__kernel void empty(void)
{
}

__kernel void eight(__global uint *counter, __global const float *in, __constant uint *steps, uint which, float f, float4 v,
                    ulong l, __local float *scratch)
{
    if (get_global_id(0) == 0)
        counter[0] += steps[which];
}
