// SPDX-License-Identifier: Apache-2.0
// Functions of OpenCL C 2.0 that kernels written for it use and the rewrite has: OpenCL C 1.2 compilers refuse them. The
// linear ids of other ranges: execution/ranges.cl.
__kernel void linear_ids_holds(__global const uint *in, __global uint *out)
{
    out += get_global_id(0) * 16;
    out[0] = get_local_linear_id() == get_local_id(0), out[1] = get_global_linear_id() == get_global_id(0);
    out[2] = get_enqueued_local_size(0) == 64 && get_enqueued_local_size(1) == 1;
    out[3] = sizeof get_local_linear_id() == 8 && sizeof get_global_linear_id() == 8;
}

__kernel void barriers_holds(__global const uint *in, __global uint *out, __local uint *t)
{
    uint l = get_local_linear_id(), other = 63 - l, v = in[get_global_id(0) * 16], w = in[(get_group_id(0) * 64 + other) * 16];
    out += get_global_id(0) * 16;
    t[l] = v;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[0] = t[other] == w;
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    t[other] = v;
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    out[1] = t[l] == w;
}

// The bits below the lowest one; of 0, the width.
uint trailing(ulong x, uint width)
{
    uint n = 0;
    for (; n < width && !(x >> n & 1); n++)
        ;
    return n;
}
__kernel void trailing_zeros_holds(__global const uint *in, __global uint *out)
{
    in += get_global_id(0) * 16, out += get_global_id(0) * 16;
    for (int i = 0; i < 4; i++) {
        uint x = in[12 + i], shifted = in[0] << (in[8 + i] & 31);
        ulong y = upsample(x, shifted);
        uint2 both = ctz((uint2)(x, shifted));
        out[i] = ctz(x) == trailing(x, 32) && ctz((int)shifted) == trailing(shifted, 32) && ctz(y) == trailing(y, 64) &&
                 ctz((uchar)x) == trailing((uchar)x, 8) && ctz((short)x) == trailing((ushort)x, 16) &&
                 both.x == trailing(x, 32) && both.y == trailing(shifted, 32);
    }
}

// A program of OpenCL C 1.2 may have these names for itself.
uint memory_scope_device_of(uint memory_scope_device)
{
    return memory_scope_device + 1;
}
__kernel void own_names_holds(__global const uint *in, __global uint *out)
{
    int memory_scope = in[0];
    out[get_global_id(0)] = memory_scope_device_of(memory_scope) == in[0] + 1;
}
