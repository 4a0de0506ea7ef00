// SPDX-License-Identifier: Apache-2.0
// Local memory: barriers in loops, several arguments and variables of every kind, asynchronous copies.
__kernel void tree(__global const uint *in, __global uint *out, __local uint *scratch)
{
    uint l = get_local_id(0), n = get_local_size(0);
    scratch[l] = in[get_global_id(0) * 16];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = n / 2; step > 0; step >>= 1) {
        if (l < step)
            scratch[l] += scratch[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0) * 16] = scratch[0];
}

struct cell { uint x; float4 f; };

__kernel void several(__global const uint *in, __local uchar *bytes, __local float4 *wide, __global uint *out,
                      __local struct cell *cells, __local ulong *longs)
{
    uint l = get_local_id(0), other = 63 - l;
    __local uint t[64], single;
    __local float m[8][8];
    in += get_global_id(0) * 16, out += get_global_id(0) * 16;
    bytes[l] = in[0], wide[l] = as_float4(vload4(1, in)), cells[l].x = in[1], cells[l].f = wide[l].wzyx;
    longs[l] = upsample(in[2], in[3]), t[l] = in[8];
    m[l / 8][l % 8] = l;
    if (l == 7)
        single = in[12];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[0] = bytes[other], out[1] = as_uint(wide[other].z), out[2] = cells[other].x;
    out[3] = as_uint(cells[other].f.x), out[4] = longs[other] >> 16, out[5] = t[other], out[6] = single;
    out[7] = m[l % 8][l / 8];
}

uint exchange(__local uint *t, uint value, uint to)
{
    t[get_local_id(0)] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    value = t[to];
    barrier(CLK_LOCAL_MEM_FENCE);
    return value;
}
__kernel void in_functions(__global const uint *in, __global uint *out)
{
    __local uint t[64];
    uint l = get_local_id(0), v = in[get_global_id(0) * 16];
    for (int k = 0; k < 5; k++) {
        if (k & 1)
            continue;
        v += exchange(t, v, (l + k) % 64);
    }
    out[get_global_id(0) * 16] = v;
}

__kernel void copies(__global const uint *in, __global uint *out)
{
    __local uint t[256], u[64];
    uint base = get_group_id(0) * 64 * 16;
    event_t e = async_work_group_copy(t, in + base, 256, 0);
    e = async_work_group_strided_copy(u, in + base, 64, 16, e);
    wait_group_events(1, &e);
    out[get_global_id(0) * 16] = t[get_local_id(0) * 4] ^ u[63 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + base + 1, u, 64, 16, 0);
    wait_group_events(1, &e);
}
