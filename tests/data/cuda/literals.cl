// SPDX-License-Identifier: Apache-2.0
// Vector literals of every nesting, casts, component access on both sides, selections of selections.
__kernel void literals(__global float4 *out, __global const float *in)
{
    float2 pair = (float2)(in[0], in[1]);
    float4 a = (float4)(pair, 3.0f, 4.0f);
    float4 b = (float4)(0);
    float4 c = (float4)((float2)(1, 2), pair.yx);
    int4 d = (int4)-1;
    uchar4 e = (uchar4)(1, 2, 3, 4), *pe = &e;
    float8 f = (float8)(a, b);
    float16 g = (float16)(f, f);
    float3 h = a.xyz;
    a.xy = b.zw;
    a.wzyx = a;
    f.hi.lo = pair;
    f.s07 = pair;
    g.lo.even.x = 3;
    h.zyx = (float3)(1, 2, 3);
    pe->lo = e.hi;
    pe->xy.y = 7;
    out[0] = a + b * c - convert_float4(d) + f.lo.wzyx + f.hi.hi.xyxy + g.sABCD;
    out[1] = -(float4)(1) + (float4)(h, 1.0f) + f.odd + convert_float4(e);
    out[2] = (float4)(in[2]) * 2.0f;
    out[3] = ((float4)(1, 2, 3, 4)).wwww;
}
