// SPDX-License-Identifier: Apache-2.0
// Small kernels with known answers, one for each way of passing an argument.
#ifndef OFFSET
#define OFFSET 0
#endif

__kernel void scale(__global const float *x, float factor, __global float *y)
{
    size_t i = get_global_id(0);
    y[i] = x[i] * factor + OFFSET;
}

// y must have one element a work-group; tile one a work-item.
__kernel void group_sums(__global const uint *x, __local uint *tile, __global uint *y)
{
    size_t i = get_local_id(0);

    tile[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (i < half_size)
            tile[i] += tile[i + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0)
        y[get_group_id(0)] = tile[0];
}

__kernel void negate3(__global float3 *v)
{
    v[get_global_id(0)] = -v[get_global_id(0)];
}

struct line {
    float slope;
    float start;
    int steps;
};

__kernel void follow(struct line line, float4 add, __global float4 *y)
{
    size_t i = get_global_id(0);
    y[i] = (float4)(line.start + line.slope * (float)((int)i * line.steps)) + add;
}

__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void places(__global int *x)
{
    x[get_global_id(1) * get_global_size(0) + get_global_id(0)] = (int)(10 * get_group_id(0) + get_group_id(1));
}

// Leaves every second element as it was.
__kernel void evens(__global int *x)
{
    x[2 * get_global_id(0)] = 7;
}
