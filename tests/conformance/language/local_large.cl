// SPDX-License-Identifier: Apache-2.0
// __local variables of more than 48 KiB together, which CUDA has no static shared memory for: alone, beside arguments,
// in called kernels, and behind jumps over them. A kernel with few of them stands beside.
typedef ushort word;
struct cell { uint x; float4 f; uchar c[5]; };

__kernel void one_array(__global const uint *in, __global uint *out)
{
    __local uint t[15000];
    uint l = get_local_id(0);
    in += get_global_id(0) * 16, out += get_global_id(0) * 16;
    for (uint i = l; i < 15000; i += 64)
        t[i] = i * 2654435761u ^ in[0] * (i < 64);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < 15000; i += 7)
        sum = sum * 31 + t[(i * 64 + l) % 15000];
    out[0] = sum, out[1] = sizeof t, out[2] = sizeof t / sizeof t[0];
}

// Of every kind, with arguments behind them; what is written to one is found in no other.
__kernel void beside_arguments(__global const uint *in, __local uchar *bytes, __global uint *out, __local ulong2 *pairs)
{
    uint l = get_local_id(0), other = 63 - l;
    __local uchar odd[49153];
    __local word m[8][8], n;
    __local struct cell cells[64] __attribute__((aligned(64)));
    __local float16 wide[3];
    __local uint *__local where;
    in += get_global_id(0) * 16, out += get_global_id(0) * 16;
    bytes[l] = in[0], pairs[l] = (ulong2)(l, in[1]), odd[l] = in[2], odd[49152 - l] = in[3];
    m[l / 8][l % 8] = in[8], cells[l].x = in[9], cells[l].f = (float4)(l, l + 1, l + 2, l + 3), cells[l].c[4] = in[10];
    if (l == 9)
        n = 5, where = &cells[7].x, wide[2] = 3, wide[2].s5 = 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[0] = bytes[other], out[1] = pairs[other].x + pairs[other].y, out[2] = odd[other], out[3] = odd[49152 - other];
    out[4] = m[other / 8][other % 8], out[5] = cells[other].x, out[6] = cells[other].f.zw.x, out[7] = cells[other].c[4];
    out[8] = n, out[9] = *where, out[10] = wide[2].s5 + wide[2].lo.x, out[11] = (size_t)cells % 16;
    out[12] = sizeof cells + sizeof m + sizeof odd, out[13] = (size_t)&n % 2;
}

uint through(__local uint *t, uint at)
{
    __local uint *p = t + at;
    return *p++ + t[at ^ 1];
}

__kernel void called(__global const uint *in, __global uint *out)
{
    __local uint t[8192];
    uint l = get_local_id(0);
    t[l * 128] = in[get_global_id(0) * 16];
    t[l * 128 + 1] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0) * 16] = through(t, (63 - l) * 128);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Its variables and those of the kernel that it calls are others.
__kernel void caller(__global const uint *in, __global uint *out, __local uint *u)
{
    __local uint t[5000];
    uint l = get_local_id(0);
    t[l] = l * 3, u[l] = l * 5;
    called(in, out);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0) * 16 + 1] = t[63 - l] + u[l ^ 1];
}

// A jump over their declarations; a type that another name hides where they are used.
__kernel void passed_over(__global const uint *in, __global uint *out)
{
    typedef struct { uint a, b; } pair;
    uint l = get_local_id(0), sum = 1;
    in += get_global_id(0) * 16, out += get_global_id(0) * 16;
    if (get_group_id(0) & 1)
        goto behind;
    sum = in[0];
    __local pair t[64], u[6400];
    __local volatile float f[64], *p;
behind:
    t[l].a = in[2], t[l].b = l, f[l] = in[9] & 255;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int pair = 0; pair < 3; pair++)
        sum += t[l ^ 1].a + t[l ^ 3].b + pair, u[l * 99 + pair].b = sum;
    p = f + 1;
    out[0] = sum, out[1] = f[l ^ 5] * 4 + p[l & 7], out[2] = u[l * 99 + 1].b;
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void few(__global const uint *in, __global uint *out, __local uint *u)
{
    __local uint t[64];
    uint l = get_local_id(0);
    t[l] = in[get_global_id(0) * 16], u[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[63 - l] + u[l ^ 1];
}
