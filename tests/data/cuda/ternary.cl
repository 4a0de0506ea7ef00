// SPDX-License-Identifier: Apache-2.0
// ?: is lazy for scalars, by component for vectors.
typedef struct { int a; float b; } pair;
float4 pick(int4 mask, float4 a, float4 b)
{
    return mask ? a : b;
}
__kernel void ternary(__global float4 *v, __global int *n, __global const float *p, __global float *q)
{
    int4 m = v[0] > v[1];
    float4 a = m ? v[0] : v[1];
    float4 b = n[0] ? a : (float4)(0);
    float4 c = n[0] ? a.wzyx : b.xxyy;
    float4 d = n[1] > 2 ? a : 1.0f;
    int4 e = isless(v[0], v[1]) ? (int4)(1) : (int4)(0);
    __global const float *r = n[2] ? p : q;
    __global float *s = n[3] ? q : 0;
    char x = 1, y = 2;
    pair u = { 1, 2 }, w = { 3, 4 };
    pair z = n[4] ? u : w;
    n[5] = sizeof(n[0] ? x : y) + z.a;
    n[6] = any(m) ? 1 : all(e) ? 2 : 3;
    v[2] = pick(m, a, b) + c + d + convert_float4(e) + r[0] + (s ? s[0] : 0.5f);
    v[3].xy = m.xy ? a.xy : b.zw;
    v[4] = m ? 1.0f : v[3];
}
