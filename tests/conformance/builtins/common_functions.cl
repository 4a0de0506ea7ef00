// SPDX-License-Identifier: Apache-2.0
// 6.12.4 Common functions, on scalars and all widths, with scalar operands where the section has such.
//
// Bits where the result is one of the operands or a constant, but for the sign of a zero: clamp is fmin(fmax(x,
// minval), maxval), of which 6.12.2 does not say which zero it gives, and for max and min it has a kernel of its
// own. degrees and radians are one product with a rounded constant: half an ulp of each is at most 1.5 ulp, so
// two right answers are within 3. mix and smoothstep are given whole numbers, quarters and a range of 8, with
// which every step is exact, so that neither order nor contraction shows.
#include "widths.clh"
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// Finite numbers: what min, max and clamp do with a NaN, step, mix and smoothstep with infinities, is undefined.
#define NUMBERS(T)                                                                                           \
    T numbers[48];                                                                                           \
    for (int i = 0; i < 48; i++)                                                                             \
        numbers[i] = ((__global const float *)in)[(item * 16 + i / 4 * 16 + i % 4 + 4) % 16384] * (T)1.25;   \
    T *a = numbers, *b = numbers + 16, *c = numbers + 32

#define A(W) vload##W(0, a)
#define B(W) vload##W(0, b)
#define C(W) vload##W(0, c)

#define ONE(W, N, f)          PUT(W, N, f(A(W)))
#define TWO(W, N, f)          PUT(W, N, f(A(W), B(W)))
#define SCALAR_LAST(W, N, f)  PUT(W, N, f(A(W), *b))
#define SCALAR_FIRST(W, N, f) PUT(W, N, f(*b, A(W)))
#define CLAMP(W, N, f)        PUT(W, N, f(A(W), min(B(W), C(W)), max(B(W), C(W))))
#define CLAMP_SCALARS(W, N, f) PUT(W, N, f(A(W), min(*b, *c), max(*b, *c)))

// Neither of two zeros is less than the other, so that the first one comes out, by vector and by scalar.
#define ZERO(W, N, T, I, f)                                                                                  \
    *to++ = any(as_##I##W(f((T##W)(a), (T##W)(b)))) == signbit(a);                                           \
    *to++ = all(as_##I##W(f((T##W)(a), b))) == signbit(a);

// Whole numbers from 0 to 31, steps of a quarter from 0 to 1.
#define WHOLE(T, W)              convert_##T##W(vload##W(0, x) & 31)
#define PART(T, W)               (convert_##T##W(vload##W(0, y) & 3) * (T)0.25)
#define MIX(W, N, T)             PUT(W, N, mix(WHOLE(T, W), convert_##T##W(vload##W(0, z) & 31), PART(T, W)))
#define MIX_SCALAR(W, N, T)      PUT(W, N, mix(WHOLE(T, W), convert_##T##W(vload##W(0, z) & 31), PART(T, )))
#define SMOOTH(W, N, T)          PUT(W, N, smoothstep(PART(T, W), PART(T, W) + 8, WHOLE(T, W)))
#define SMOOTH_SCALARS(W, N, T)  PUT(W, N, smoothstep(PART(T, ), PART(T, ) + 8, WHOLE(T, W)))

#define FUNCTIONS(T, I)                                                                                         \
    __kernel void ranges_##T##_ulp0(__global const uint *in, __global T *out)                                \
    {                                                                                                        \
        BEGIN(T, T);                                                                                         \
        NUMBERS(T);                                                                                          \
        EACH_WIDTH(TWO, max)                                                                                 \
        EACH_WIDTH(SCALAR_LAST, max)                                                                         \
        EACH_WIDTH(TWO, min)                                                                                 \
        EACH_WIDTH(SCALAR_LAST, min)                                                                         \
        EACH_WIDTH(CLAMP, clamp)                                                                             \
        EACH_WIDTH(CLAMP_SCALARS, clamp)                                                                     \
    }                                                                                                        \
    __kernel void zeros_##T##_holds(__global const uint *in, __global uint *out)                             \
    {                                                                                                        \
        BEGIN(T, uint);                                                                                      \
        T a = item & 1 ? -0.0f : 0.0f, b = item & 2 ? -0.0f : 0.0f;                                          \
        EACH_WIDTH(ZERO, T, I, max)                                                                          \
        EACH_WIDTH(ZERO, T, I, min)                                                                          \
    }                                                                                                        \
    __kernel void steps_##T(__global const uint *in, __global T *out)                                        \
    {                                                                                                        \
        BEGIN(T, T);                                                                                         \
        NUMBERS(T);                                                                                          \
        EACH_WIDTH(ONE, sign)                                                                                \
        EACH_WIDTH(TWO, step)                                                                                \
        EACH_WIDTH(SCALAR_FIRST, step)                                                                       \
    }                                                                                                        \
    __kernel void signs_##T##_ulp0(__global const uint *in, __global T *out)                                 \
    {                                                                                                        \
        BEGIN(T, T);                                                                                         \
        EACH_WIDTH(SIGN, sign)                                                                               \
    }                                                                                                        \
    __kernel void angles_##T##_ulp3(__global const uint *in, __global T *out)                                \
    {                                                                                                        \
        BEGIN(T, T);                                                                                         \
        NUMBERS(T);                                                                                          \
        EACH_WIDTH(ONE, degrees)                                                                             \
        EACH_WIDTH(ONE, radians)                                                                             \
    }                                                                                                        \
    __kernel void blends_##T(__global const uint *in, __global T *out)                                       \
    {                                                                                                        \
        BEGIN(int, T);                                                                                       \
        EACH_WIDTH(MIX, T)                                                                                   \
        EACH_WIDTH(MIX_SCALAR, T)                                                                            \
        EACH_WIDTH(SMOOTH, T)                                                                                \
        EACH_WIDTH(SMOOTH_SCALARS, T)                                                                        \
    }
// Any bits: zeros keep their sign (which _ulp0 does not see; steps does), a NaN gives 0.
#define SIGN(W, N, f) PUT(W, N, f(X(W)))
FUNCTIONS(float, int)
#ifdef cl_khr_fp64
FUNCTIONS(double, long)
#endif
