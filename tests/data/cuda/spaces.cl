// SPDX-License-Identifier: Apache-2.0
// Address spaces everywhere; local memory as variables and arguments; constants in functions.
typedef __global float *gptr;
typedef __local int lint;
struct view { __global float *data; __constant float *weights; int n; };
__constant float table[] = { 1, 2, 3 };
float add(__local const float *a, __constant float *w, __private int i, const __global float *restrict g)
{
    return a[i] + w[i] + g[i];
}
static void fill(local float *tile, global const float *from);
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void spaces(gptr out, __local float *tile, __constant float *weights, __local float (*rows)[16], volatile __global int *count,
            __global struct view *unused, const float4 scale)
{
    __local float block[16][16], one;
    local lint counters[4];
    __constant int inner[3] = { 1, 2, 3 };
    const size_t i = get_local_id(0);
    struct view v = { out, table, 3 };
    __local float *p = tile, *q = block[1];
    __private float *mine = &(float){ 2 };
    fill(tile, out);
    p[i] = i;
    counters[i & 3] = 0;
    if (i == 0)
        one = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    rows[1][i & 15] = p[63 - i];
    block[0][i & 15] = (*rows)[i & 15];
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    atomic_inc(count);
    atomic_add(&counters[1], 1);
    out[i] = add(tile, weights, 1, v.data) + add(p, table, 0, out) + inner[i % 3] + q[0] + one + *mine + scale.x +
             ((__local float4 *)tile)->x + *(__global float *)((__global char *)out + 4);
}
void fill(local float *tile, global const float *from)
{
    event_t e = async_work_group_copy(tile, from, (size_t)64, 0);
    wait_group_events(1, &e);
}
