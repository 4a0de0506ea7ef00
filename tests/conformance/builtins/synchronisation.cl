// SPDX-License-Identifier: Apache-2.0
// 6.12.8 and 6.12.9: barriers wherever all of a group come by, fences, and what they order.
#define L get_local_id(0)
#define AT (get_global_id(0) * 16)

__kernel void in_loops(__global const uint *in, __global uint *out)
{
    __local uint t[64], rounds;
    uint v = in[AT], sum = 0;
    if (L == 0)
        rounds = in[get_group_id(0) * 1024] % 5 + 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < rounds; i++) {
        for (uint j = i; j < 3; j++) {
            t[L] = v + j;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum = sum * 3 + t[(L + i + 1) % 64];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        t[63 - L] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        v ^= t[L];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[AT] = v, out[AT + 1] = sum;
}
__kernel void in_other_loops(__global const uint *in, __global uint *out)
{
    __local uint t[64];
    uint v = in[AT], k = 0, rounds = get_group_id(0) + 1;
    do {
        t[L] = v;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        v += t[L ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (++k < rounds);
    while (k-- > 3)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[AT] = v, out[AT + 1] = k;
}
__kernel void left_early(__global const uint *in, __global uint *out, uint n)
{
    __local uint t[64];
    uint v = in[AT];
    for (uint i = 0; i < 9; i++) {
        t[L] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v += t[63 - L];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == get_group_id(0))
            break;
    }
    out[AT] = v;
    if (n == 0)
        return;
    t[L ^ 9] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[AT + 1] = t[L];
}

uint swap(__local uint *t, uint v, uint with)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    t[L] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    return t[with];
}
uint swap_twice(__local uint *t, uint v)
{
    v = swap(t, v, L ^ 5);
    return swap(t, v, 63 - L);
}
// All of a group turn the same way: into if, else, switch, ?: and &&.
__kernel void in_branches(__global const uint *in, __global uint *out, __local uint *t)
{
    uint group = get_group_id(0), v = in[AT];
    if (group & 1)
        v = swap_twice(t, v);
    else if (group & 2)
        v = swap(t, v, L / 2);
    out[AT] = v;
}
__kernel void in_switches(__global const uint *in, __global uint *out, __local uint *t)
{
    uint v = in[AT];
    switch (get_group_id(0) % 4) {
    case 0:
        v += swap(t, v, 7);
    case 1:
        barrier(CLK_LOCAL_MEM_FENCE);
        break;
    default:
        v -= swap_twice(t, v + 1);
    }
    out[AT] = v;
}
__kernel void in_choices(__global const uint *in, __global uint *out, __local uint *t)
{
    uint group = get_group_id(0), v = in[AT];
    v = group > 3 ? swap(t, v, 9) : v + 1;
    out[AT] = group < 5 && swap(t, v, L ^ 3);
    out[AT + 1] = v;
}

// A group's own global memory, through a barrier.
__kernel void through_global(__global const uint *in, __global uint *out)
{
    size_t first = get_group_id(0) * 1024;
    out[AT] = in[AT] + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[AT + 1] = out[first + (63 - L) * 16];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[AT] = out[first + (L ^ 3) * 16 + 1];
    // Fences order one work-item's own accesses; they may stand anywhere.
    volatile __local uint t[64];
    t[L] = in[AT + 2];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    t[L]++;
    write_mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (L & 1)
        read_mem_fence(CLK_LOCAL_MEM_FENCE);
    out[AT + 2] = t[L], mem_fence(CLK_GLOBAL_MEM_FENCE), out[AT + 3] = out[AT + 2];
}

// Several __local variables of every shape, and the same names in two kernels.
struct cell { uchar tag; float4 f; };
__kernel void variables(__global const uint *in, __global uint *out)
{
    __local uint t[64];
    __local uint grid[8][8], *at = t;
    __local struct cell cells[64];
    __local ushort3 threes[64];
    t[L] = in[AT];
    {
        __local uint (*rows)[8] = grid;
        cells[L].tag = in[AT + 1], cells[L].f = (float4)(L, 1, 2, 3);
        threes[L] = (ushort3)(L, 2, in[AT + 3]);
        rows[L % 8][L / 8] = in[AT + 2];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[AT] = cells[63 - L].tag + (uint)cells[L ^ 1].f.x, out[AT + 1] = threes[L ^ 9].z;
    }
    out[AT + 2] = grid[L / 8][L % 8], out[AT + 3] = at[(L * 7) % 64], out[AT + 4] = sizeof t + sizeof grid;
}
__kernel void variables_again(__global const uint *in, __global uint *out)
{
    __local ulong t[64];
    t[L] = upsample(in[AT], in[AT + 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[AT] = t[63 - L] >> 24;
}
