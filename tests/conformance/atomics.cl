// SPDX-License-Identifier: Apache-2.0
// Atomics whose outcome no order changes.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
__kernel void on_local(__global const uint *in, __global uint *out)
{
    volatile __local uint t[8];
    volatile __local int s[2];
    uint l = get_local_id(0), x = in[get_global_id(0) * 16];
    if (l < 8)
        t[l] = l == 3 ? 0xffffffff : 0;
    if (l < 2)
        s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&t[0], x), atomic_inc(t + 1), atomic_or(&t[2], x), atomic_and(&t[3], x), atomic_xor(&t[4], x);
    atomic_max(&t[5], x), atomic_sub(&t[6], x), atomic_dec(&t[7]), atomic_min(&s[0], (int)x), atomic_max(s + 1, (int)x);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8)
        out[get_global_id(0) * 16] = t[l];
    else
        out[get_global_id(0) * 16] = s[l & 1];
}

__kernel void on_global(__global const uint *in, __global uint *out)
{
    volatile __global uint *to = out + get_global_id(0) * 16;
    in += get_global_id(0) * 16;
    for (int k = 0; k < 8; k++)
        to[k] = in[k];
    to[8] = atomic_add(to, in[1]), to[9] = atomic_cmpxchg(to + 1, in[1], 5u), to[10] = atomic_xchg(to + 2, in[0]);
    to[11] = atomic_min(to + 3, in[0]), to[12] = atomic_dec(to + 4), to[13] = atom_add(to + 5, 7u);
    to[14] = as_uint(atomic_xchg((volatile __global float *)(to + 6), 2.5f)), to[15] = atom_inc(to + 7);
}

__kernel void across_groups(__global const uint *in, __global uint *out, uint n)
{
    size_t i = get_global_id(0);
    atomic_max(out + i % 4, in[i * 16] & 0xff), atomic_add(out + 4 + i % 3, in[i * 16]);
}
