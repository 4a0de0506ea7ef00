// SPDX-License-Identifier: Apache-2.0
// Common and geometric functions, and those of 6.12.2 that are exact.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

__kernel void exact_ulp0(__global const float *in, __global float *out)
{
    BEGIN;
    float4 a = vload4(1, in), b = a.wxyz;
    int e;
    float whole;
    vstore4(floor(a) + ceil(b) - trunc(a) * 0.5f, 0, out);
    vstore4(rint(a) + round(b * 0.5f), 1, out);
    out[8] = fmod(a.x, b.x + 0.25f), out[9] = copysign(a.x, b.x);
    out[10] = fdim(a.x, b.x) + frexp(a.y, &e), out[10] += e;
    out[11] = fma(a.x, a.y, a.z) * 0.5f + nextafter(a.y + 300, b.y), out[12] = modf(a.z, &whole) + whole;
    out[13] = ldexp(a.w, 3) + ilogb(fabs(a.w) + 1) + logb(fabs(a.w) + 1), out[14] = maxmag(a.x, a.y) - minmag(a.z, a.w);
    out[15] = remainder(a.y, 3.5f) + fmin(a.x, b.x) + fmax(a.y, NAN);
}

__kernel void common_ulp4(__global const float *in, __global float *out)
{
    BEGIN;
    float4 a = clamp(vload4(1, in), -1e6f, 1e6f), b = a.wxyz;
    vstore4(clamp(a, b, b + 50), 0, out);
    vstore4(step(a, b) + sign(a) * 2, 1, out);
    vstore4(max(a, 3.0f) * min(b, -2.0f), 2, out);
    out[12] = degrees(a.x), out[13] = radians(a.x);
    out[14] = mix(2.0f, 6.0f, fabs(a.y)), out[15] = smoothstep(-50.0f, 60.0f, a.z);
}

__kernel void geometric_ulp16(__global const float *in, __global float *out)
{
    BEGIN;
    float4 a = fabs(clamp(vload4(1, in), -1e3f, 1e3f)) + 0.5f, b = a.wxyz + (float4)(1, 2, 3, 4);
    out[0] = dot(a, b), out[1] = dot(a.xy, b.zw), out[2] = length(a), out[3] = length(a.xyz), out[4] = distance(a, -b);
    vstore4(normalize(a), 0, out + 5);
    vstore2(normalize(a.xy), 0, out + 9);
    out[11] = fast_length(a.xy) > 0, out[12] = length(-a.x), out[13] = distance(a.x, -b.x);
    out[14] = cross(a.xyz, (float3)(0, 0, 1)).x, out[15] = cross(a, (float4)(0, 0, 1, 9)).w + dot(a.x, b.x);
}
