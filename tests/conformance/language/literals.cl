// SPDX-License-Identifier: Apache-2.0
// Vector literals of every nesting, compound literals, initialisers that designate and narrow.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16
#define REAL4 float4

__kernel void vectors_ulp0(__global const float *in, __global float *out)
{
    BEGIN;
    float4 v = (float4)(in[4], (float2)(in[5], in[6]), in[7]);
    vstore4(v, 0, out);
    v = (REAL4)(0);
    v += (float4)in[4];
    vstore4(v, 1, out);
    float8 w = (float8)((float4)(1, 2, 3, 4), v.xy, (float2)(in[5]));
    vstore8(w, 1, out);
}

__kernel void integers(__global const uint *in, __global uint *out)
{
    BEGIN;
    uchar4 a = (uchar4)(in[0], in[1], 300, -1);
    int3 b = (int3)(in[0], 1, 2);
    int i = (int)in[8];
    char16 c = (char16)(i);
    char2 d = (char2)in[1];
    out[0] = a.x | a.y << 8 | a.z << 16 | (uint)a.w << 24;
    out[1] = b.x + b.y + b.z;
    out[2] = c.sf + c.s0;
    out[3] = d.x + d.y;
    uint t[5] = {[3] = in[0], in[1], [0] = 7};
    for (int k = 0; k < 5; k++)
        out[4 + k] = t[k];
    uchar narrow[2] = {in[0], 0x1ff};
    out[9] = narrow[0] + narrow[1];
    uint4 u[] = {{1, 2, 3, 4}, (uint4)(9), in[2]};
    out[10] = u[0].w + u[1].x + u[2].y + sizeof u;
    out[11] = ((int[]){5, 6, 7})[in[8] % 3];
    out[12] = (uint4){1, in[0], 3, 4}.y;
    out[13] = 'a' + '\n' + '\xff' + sizeof('a') + sizeof(1 < 2) + sizeof(1.0f < 2.0f);
    out[14] = 0x80000000 + 1u + 017 + 10L + sizeof(0x80000000) + sizeof(1L);
    out[15] = (ushort)-1 + (char)200 + (short)40000;
}

struct point { int x, y; struct { float z[2]; uchar c; } in; };
__kernel void designated(__global const uint *in, __global uint *out)
{
    BEGIN;
    struct point a = {.y = in[0], .in = {.c = in[1], .z = {[1] = 2.5f}}};
    struct point b[2] = {[1] = {in[2], .in.c = 3}};
    struct point c = (struct point){1, in[3]};
    a.in.z[0] += 1;
    out[0] = a.x, out[1] = a.y, out[2] = as_uint(a.in.z[0]), out[3] = as_uint(a.in.z[1]), out[4] = a.in.c;
    out[5] = b[0].y, out[6] = b[1].x, out[7] = b[1].in.c, out[8] = b[1].y;
    out[9] = c.x + c.y, out[10] = as_uint(c.in.z[1]);
    c = (struct point){.x = in[1], .y = 4};
    struct point *p = &c;
    p->y += b[1].x;
    out[11] = p->x, out[12] = p->y;
    int m[2][3] = {{1}, {2, in[0]}}, flat[2][2] = {1, 2, 3};
    out[13] = m[0][0] + m[0][2] + m[1][1];
    out[14] = flat[1][0] + flat[1][1];
    char s[] = "abc", r[2] = "xy";
    out[15] = sizeof s + s[1] + r[1];
}
