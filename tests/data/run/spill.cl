// SPDX-License-Identifier: Apache-2.0
// Keeps 576 floats a work-item, more than any device has registers for, and 128 bytes of local memory.
#define TABLE 36

__kernel void hoards(__global float16 *x)
{
    __local int shared[32];
    float16 kept[TABLE];

    shared[get_local_id(0) & 31] = (int)x[0].s0;
#pragma unroll
    for (int i = 0; i < TABLE; i++)
        kept[i] = x[TABLE * get_global_id(0) + i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < TABLE; i++)
        x[TABLE * get_global_id(0) + i] = kept[i] * kept[TABLE - 1 - i] + (float)shared[i & 31];
}
