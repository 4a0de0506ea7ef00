// SPDX-License-Identifier: Apache-2.0
// The functions of 6.12.2, each side within its own bound of the true value: the differences add. The values of
// lgamma and lgamma_r have no bound (section 7.4), only their sign is certain. test_maths has the true values.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

__kernel void trigonometric_ulp12(__global const float *in, __global float *out)
{
    BEGIN;
    float4 a = clamp(vload4(1, in), -1000.0f, 1000.0f);
    float u = fmod(a.z, 1.0f), c;
    vstore4(sin(a), 0, out);
    out[4] = cos(a.x), out[5] = tan(a.y), out[6] = asin(u), out[7] = acos(u);
    out[8] = atan(a.z), out[9] = atan2(a.x, a.y);
    out[10] = sincos(a.w, &c), out[11] = c, out[12] = sinpi(a.x), out[13] = cospi(a.x), out[14] = atanpi(a.w);
    out[15] = asinpi(u);
}

__kernel void exponential_ulp8(__global const float *in, __global float *out)
{
    BEGIN;
    float4 a = clamp(vload4(1, in), -80.0f, 80.0f);
    float p = fabs(a.x) + 0.01f;
    vstore4(exp(a), 0, out);
    out[4] = exp2(a.x), out[5] = exp10(a.y * 0.4f), out[6] = expm1(a.z), out[7] = log(p), out[8] = log2(p);
    out[9] = log10(p);
    out[10] = log1p(p), out[11] = sqrt(p), out[12] = rsqrt(p), out[13] = cbrt(a.w);
    out[14] = hypot(a.x, a.y), out[15] = a.x / (a.y * a.y + 1);
}

__kernel void powers_ulp32(__global const float *in, __global float *out)
{
    BEGIN;
    float4 a = clamp(vload4(1, in), -80.0f, 80.0f);
    float p = fabs(a.x) + 0.01f;
    out[0] = pow(p, a.y * 0.2f), out[1] = powr(p, a.y * 0.2f), out[2] = pown(a.x, ((__global const int *)in)[8] % 8);
    out[3] = rootn(p, 3), out[4] = sinh(a.z * 0.5f), out[5] = cosh(a.z * 0.5f), out[6] = tanh(a.w), out[7] = asinh(a.x);
    out[8] = acosh(p + 1), out[9] = atanh(fmod(a.y, 1.0f)), out[10] = erf(a.z * 0.05f), out[11] = erfc(a.z * 0.02f);
    out[12] = tgamma(p * 0.2f + 1), out[13] = tanpi(fmod(a.x, 0.25f)), out[14] = atan2pi(a.z, a.w);
    float whole, part = fract(a.w, &whole);
    out[15] = part + whole;
}

__kernel void signs_of_gamma(__global const float *in, __global int *out)
{
    BEGIN;
    float p = fabs(clamp(in[4], -80.0f, 80.0f)) + 0.01f;
    (void)lgamma_r(p, out), (void)lgamma_r(-floor(p) - 0.5f, out + 1);
}

// Integers, and what is exact.
__kernel void exact(__global const float *in, __global int *out)
{
    BEGIN;
    float4 a = clamp(vload4(1, in), -80.0f, 80.0f);
    float p = fabs(a.x) + 0.01f, rest, whole;
    out[2] = ilogb(a.y), out[3] = as_int(frexp(a.z, out + 4)), out[5] = as_int(logb(a.w));
    out[6] = as_int(remainder(a.x, 3.0f)), out[7] = as_int(fmod(a.x, p * 0.1f)), out[8] = as_int(fdim(a.x, a.y));
    rest = modf(a.w, &whole), out[9] = as_int(rest), out[10] = as_int(whole);
    rest = fract(a.z, &whole), out[11] = as_int(rest == 0 ? 0 : rest), out[12] = as_int(whole);
    out[13] = as_int(ldexp(a.x, 3)), out[14] = as_int(nextafter(a.y, a.z)), out[15] = as_int(fma(a.x, a.y, a.z));
}
