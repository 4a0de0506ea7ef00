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

// Every function (6.12.11) on both spaces: what it leaves and what it returns, each word its work-item's own.
#define EACH(SPACE, T)                                                                                                 \
    void each_##SPACE##_##T(volatile __##SPACE T *p, __global const uint *in, __global uint *out)                      \
    {                                                                                                                  \
        T x = in[1], y = in[12];                                                                                       \
        uint sum = 0;                                                                                                  \
        *p = in[0];                                                                                                    \
        sum = sum * 31 + atomic_add(p, x), sum = sum * 31 + *p, sum = sum * 31 + atomic_sub(p, y);                     \
        sum = sum * 31 + atomic_xchg(p, x ^ y), sum = sum * 31 + atomic_inc(p), sum = sum * 31 + atomic_dec(p);        \
        sum = sum * 31 + *p, out[0] = sum;                                                                             \
        sum = atomic_cmpxchg(p, x ^ y, y), sum = sum * 31 + atomic_cmpxchg(p, x, (T)5), sum = sum * 31 + *p;           \
        sum = sum * 31 + atomic_min(p, x), sum = sum * 31 + *p, sum = sum * 31 + atomic_max(p, (T)in[2]);              \
        sum = sum * 31 + *p, sum = sum * 31 + atomic_and(p, y), sum = sum * 31 + *p, out[1] = sum;                     \
        sum = atomic_or(p, x), sum = sum * 31 + *p, sum = sum * 31 + atomic_xor(p, y), out[2] = sum * 31 + *p;         \
        *p = in[3];                                                                                                    \
        sum = atom_add(p, y), sum = sum * 31 + atom_sub(p, x), sum = sum * 31 + atom_xchg(p, y ^ 1);                   \
        sum = sum * 31 + atom_inc(p), sum = sum * 31 + atom_dec(p), sum = sum * 31 + atom_cmpxchg(p, y ^ 1, x);        \
        sum = sum * 31 + atom_min(p, y), sum = sum * 31 + atom_max(p, x), sum = sum * 31 + atom_and(p, y | 0xff);      \
        sum = sum * 31 + atom_or(p, x), sum = sum * 31 + atom_xor(p, (T)9), out[3] = sum * 31 + *p;                    \
        atomic_add(p, 1), atomic_sub(p, 2), atomic_inc(p), atomic_min(p, -3), out[4] = *p;                             \
    }
EACH(global, int)
EACH(global, uint)
EACH(local, int)
EACH(local, uint)
__kernel void each_function(__global const uint *in, __global uint *out)
{
    __local int t[64];
    __local uint u[64];
    uint l = get_local_id(0);
    in += get_global_id(0) * 16, out += get_global_id(0) * 16;
    each_global_int((__global int *)out + 15, in, out), out[5] = out[0] ^ out[1] ^ out[2] * 3 ^ out[3] * 5;
    each_global_uint(out + 14, in, out), out[6] = out[0] ^ out[1] ^ out[2] * 3 ^ out[3] * 5;
    each_local_int(t + l, in, out), out[7] = out[0] ^ out[1] ^ out[2] * 3 ^ out[3] * 5;
    each_local_uint(u + l, in, out);
    __local float f[64];
    volatile __local float *g = f + l;
    *g = as_float(in[4]);
    out[8] = as_uint(atomic_xchg(g, as_float(in[5]))), out[9] = as_uint(*g);
    out[10] = in[6], out[11] = as_uint(atomic_xchg((volatile __global float *)out + 10, 1.0f)), out[12] = atom_xchg(t + l, 7);
}

// All of a work-group at once: the numbers handed out are each number once, whoever got which.
__kernel void handed_out(__global const uint *in, __global uint *out)
{
    __local uint next, seen[64], low, high;
    __local int least;
    uint l = get_local_id(0), mine;
    seen[l] = 0;
    if (l == 0)
        next = 0, low = 0xffffffff, high = 0, least = 0x7fffffff;
    barrier(CLK_LOCAL_MEM_FENCE);
    mine = atomic_inc(&next);
    atomic_inc(seen + mine % 64);
    atomic_min(&low, in[get_global_id(0) * 16]), atomic_max(&high, in[get_global_id(0) * 16]);
    atomic_min(&least, (int)in[get_global_id(0) * 16 + 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0) * 16] = seen[l], out[get_global_id(0) * 16 + 1] = next;
    out[get_global_id(0) * 16 + 2] = low, out[get_global_id(0) * 16 + 3] = high, out[get_global_id(0) * 16 + 4] = least;
}

// A lock by compare and exchange: sums of floats in some order, here all of them exact.
__kernel void sum_of_floats(__global const uint *in, __global uint *out)
{
    __local uint sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = sum, taken;
    while ((taken = atomic_cmpxchg(&sum, before, as_uint(as_float(before) + (in[get_global_id(0) * 16] & 255)))) != before)
        before = taken;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0) * 16] = sum;
}

#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define LONGS(T)                                                                                                       \
    __kernel void each_##T(__global const uint *in, __global uint *out)                                                \
    {                                                                                                                  \
        volatile __global T *p = (volatile __global T *)(out + get_global_id(0) * 16);                                 \
        in += get_global_id(0) * 16;                                                                                   \
        T x = upsample(in[0], in[1]), y = upsample(in[12], in[2]), sum = 0;                                            \
        *p = x;                                                                                                        \
        sum = atom_add(p, y), sum = sum * 31 + atom_sub(p, (T)7), sum = sum * 31 + atom_xchg(p, y);                    \
        sum = sum * 31 + atom_inc(p), sum = sum * 31 + atom_dec(p), sum = sum * 31 + atom_cmpxchg(p, y, x);            \
        sum = sum * 31 + atom_min(p, y), sum = sum * 31 + atom_max(p, x), sum = sum * 31 + atom_and(p, y);             \
        sum = sum * 31 + atom_or(p, x), sum = sum * 31 + atom_xor(p, x ^ 5);                                           \
        p[1] = sum;                                                                                                    \
    }
LONGS(long)
LONGS(ulong)
#endif
