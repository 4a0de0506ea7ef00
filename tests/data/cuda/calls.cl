// SPDX-License-Identifier: Apache-2.0
// Conversions, reinterpretation, half memory, printf, kernels that call kernels, overloads.
__kernel void inner(__global float *a, __local float *t, float4 v)
{
    size_t i = get_global_id(0) + get_global_offset(0) * get_num_groups(0);
    t[get_local_id(0)] = v.x;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[0];
}
float __attribute__((overloadable)) twice(float x) { return 2 * x; }
float4 __attribute__((overloadable)) twice(float4 x) { return (float4)(twice(x.x), x.yzw); }
#define DEFINE(NAME, T) __kernel void NAME(__global T *p) { p[get_global_id(0)] += (T)1; }
DEFINE(add_int, int)
DEFINE(add_float4, float4)
kernel void calls(global float *a, local float *t, global const half *h, global half *k, global uchar4 *c, global int4 *n)
{
    float4 v = vload_half4(0, h) + vloada_half4(1, h) + vload_half(2, h);
    uchar4 b = convert_uchar4_sat_rte(v);
    c[0] = b;
    n[0] = as_int4(v) + convert_int4_rtz(v);
    n[1].x = as_int(1.0f) + convert_int_sat(3.7f) + (int)dot(v, v);
    vstore_half4(v, 0, k);
    vstore_half_rtz(v.x, 5, k);
    vstorea_half4_rtn(v, 1, k);
    inner(a, t, v);
    a[1] = twice(v.x) + twice(v).y + select(1.0f, 2.0f, (int)(v.x > 0)) + clamp(v, 0.0f, 1.0f).x + native_sin(v.x);
    printf("%s: %d %v4f %5.2v4hlf %v4hhd %%\n", "name", 3, v, v, b);
    printf("plain\n");
    if (a[0] != a[0]) return;
    n[2] = (n[0] == n[1]) || !(n[0] < n[1]) && n[3];
    n[3] = shuffle(n[1], (uint4)(3, 2, 1, 0));
    prefetch(a, 4);
}
