// SPDX-License-Identifier: Apache-2.0
// native_*: the hardware's fast approximations (float; a double is computed by the precise function of the same name).
// half_*: OpenCL requires 8,192 ULP over ranges where the approximations fail, so these are the precise functions.

namespace kn
{

#define KN_NATIVE_1(name, f, precise)                                                                        \
    KN_FN float kn_native_##name##_one(float x)                                                              \
    {                                                                                                        \
        return f;                                                                                            \
    }                                                                                                        \
    KN_FN double kn_native_##name##_one(double x)                                                            \
    {                                                                                                        \
        return precise;                                                                                      \
    }                                                                                                        \
    KN_COMMON_1(native_##name, x, kn_native_##name##_one(x))                                                 \
    KN_COMMON_1(half_##name, x, precise)

#if KN_ON_DEVICE
KN_FN float kn_sqrt_approx(float x)
{
    float r;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
KN_FN float kn_exp2_approx(float x)
{
    float r;
    asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
KN_FN float kn_reciprocal_approx(float x)
{
    float r;
    asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
#else
KN_FN float kn_sqrt_approx(float x)
{
    return ::sqrtf(x);
}
KN_FN float kn_exp2_approx(float x)
{
    return ::exp2f(x);
}
KN_FN float kn_reciprocal_approx(float x)
{
    return 1.0f / x;
}
#endif

KN_NATIVE_1(cos, ::__cosf(x), kn_cos_one(x))
KN_NATIVE_1(exp, ::__expf(x), kn_exp_one(x))
KN_NATIVE_1(exp2, kn_exp2_approx(x), kn_exp2_one(x))
KN_NATIVE_1(exp10, ::__exp10f(x), kn_exp10_one(x))
KN_NATIVE_1(log, ::__logf(x), kn_log_one(x))
KN_NATIVE_1(log2, ::__log2f(x), kn_log2_one(x))
KN_NATIVE_1(log10, ::__log10f(x), kn_log10_one(x))
KN_NATIVE_1(recip, kn_reciprocal_approx(x), 1 / x)
KN_NATIVE_1(rsqrt, ::rsqrtf(x), kn_rsqrt_one(x))
KN_NATIVE_1(sin, ::__sinf(x), kn_sin_one(x))
KN_NATIVE_1(sqrt, kn_sqrt_approx(x), kn_sqrt_one(x))
KN_NATIVE_1(tan, ::__tanf(x), kn_tan_one(x))

KN_FN float kn_native_divide_one(float x, float y)
{
    return ::__fdividef(x, y);
}
KN_FN double kn_native_divide_one(double x, double y)
{
    return x / y;
}
KN_COMMON_2(native_divide, x, y, kn_native_divide_one(x, y))
KN_COMMON_2(half_divide, x, y, x / y)

KN_FN float kn_native_powr_one(float x, float y)
{
    return ::__powf(x, y);
}
KN_FN double kn_native_powr_one(double x, double y)
{
    return kn_powr_one(x, y);
}
KN_COMMON_2(native_powr, x, y, kn_native_powr_one(x, y))
KN_COMMON_2(half_powr, x, y, kn_powr_one(x, y))

} // namespace kn
