// SPDX-License-Identifier: Apache-2.0
// y = a x + y, four floats a work-item: a kernel that does nothing but move memory.
// Launch: n / 4 work-items or more. Reads 8 n bytes, writes 4 n.
__kernel void stream(float a, __global const float4 *restrict x, __global float4 *restrict y, uint quarters)
{
    uint i = (uint)get_global_id(0);

    if (i < quarters)
        y[i] = a * x[i] + y[i];
}
