// SPDX-License-Identifier: Apache-2.0
// Data of the program, tables as arguments, pointers to every address space.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16
struct entry { uchar kind; float weight; int4 v; };
__constant struct entry entries[] = {{1, 0.5f, (int4)(1, 2, 3, 4)}, {.weight = 2, .kind = 7}, {3, -1, {5, 6, 7, 8}}};
__constant float weights[2][3] = {{1, 2, 3}, {4.5f, -5}};
__constant uint scale = 3, *__constant none = 0;
constant uchar text[] = "koine";
__constant float4 corner = (float4)(1, 2, 3, 4), corners[2] = {{1, 2, 3, 4}, 5};

float weigh(__constant float *w, int k)
{
    return w[k] * 2;
}
__kernel void data(__global const uint *in, __global uint *out)
{
    BEGIN;
    __constant struct entry *e = &entries[in[0] % 3];
    out[0] = e->kind, out[1] = as_uint(e->weight), out[2] = e->v.z + entries[2].v.lo.y;
    out[3] = as_uint(weights[in[0] & 1][in[1] % 3]), out[4] = scale * in[0] + (none == 0), out[5] = text[in[0] % 6];
    out[6] = as_uint(corner.wzyx.y + corners[in[1] & 1].w), out[7] = sizeof entries / sizeof *entries;
    out[8] = as_uint(weigh(weights[1], in[0] & 1));
    __constant char inner[] = {1, -2, 3};
    out[9] = inner[in[2] % 3];
}

__kernel void tables(__global const uint *in, __global uint *out, __constant uint *a, __constant float4 *b,
                     __constant struct entry *c, __constant uchar *d)
{
    BEGIN;
    uint k = in[0] % 64;
    __constant uint *p = a + k;
    out[0] = p[1], out[1] = as_uint(b[k].z), out[2] = c[k].kind, out[3] = c[k].v.y, out[4] = d[k];
    out[5] = vload2(k, a).y, out[6] = *++p, out[7] = p - a;
    float4 copy = b[k + 1];
    copy.xy = b[k].zw;
    vstore4(as_uint4(copy), 2, out);
}

void store(__global uint *to, uint v)
{
    *to = v;
}
void fill(__private uint *to, int n)
{
    for (int k = 0; k < n; k++)
        to[k] = k * k;
}
__kernel void callee(__global const uint *in, __global uint *out)
{
    out[get_global_id(0) * 16 + 12] = in[get_global_id(0) * 16];
}
__kernel void pointers(__global const uint *in, __global uint *out)
{
    callee(in, out);
    BEGIN;
    uint t[4], (*all)[4] = &t;
    void *any = t;
    fill(any, 4);
    store(out, (*all)[3]);
    __global const void *v = in;
    __global const uint *w = v;
    out[1] = w[1], out[2] = (size_t)w == (size_t)in, out[3] = w - (in - 1), out[4] = !w;
    uint *q = t + 2;
    q[-1] = 9;
    out[5] = t[1] + *q--;
    out[6] = *q;
}

__kernel void ids(__global uint *out, uint n)
{
    out += get_global_id(0) * 16;
    out[0] = get_global_id(0), out[1] = get_local_id(0), out[2] = get_group_id(0), out[3] = get_global_size(0);
    out[4] = get_local_size(0), out[5] = get_num_groups(0), out[6] = get_work_dim(), out[7] = get_global_offset(0);
    out[8] = get_global_id(1) + get_global_size(2) * 2 + get_local_size(1) * 4 + get_global_id(9), out[9] = n;
}

// More than 64 KiB of tables: the large one does not fit with the others.
#define N4(x)   x, x + 1, x + 2, x + 3
#define N16(x)  N4(x), N4(x + 4), N4(x + 8), N4(x + 12)
#define N64(x)  N16(x), N16(x + 16), N16(x + 32), N16(x + 48)
#define N256(x) N64(x), N64(x + 64), N64(x + 128), N64(x + 192)
#define N1K(x)  N256(x), N256(x + 256), N256(x + 512), N256(x + 768)
#define N4K(x)  N1K(x), N1K(x + 1024), N1K(x + 2048), N1K(x + 3072)
__constant uint large[] = {N4K(0u), N4K(4096u), N4K(8192u), N4K(12288u), N4K(16384u)}, *__constant middle = large + 7;

__kernel void large_table(__global const uint *in, __global uint *out)
{
    BEGIN;
    __constant uint *t = in[0] & 1 ? large : middle;
    out[0] = t[in[1] % 20000] + *middle, out[1] = sizeof large, out[2] = scale;
}
