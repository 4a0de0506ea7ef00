// SPDX-License-Identifier: Apache-2.0
// A work-group on the host, for tests: what the CUDA prelude needs from CUDA, as plain C++17. Include it
// before the rewritten program (cl/cuda/prelude.cuh and what follows), and shim_run.h after it. Compile with
// -fno-strict-aliasing, as kernels may look at memory through any type.
//
// Each work-item is a fiber; a barrier gives the turn to the next one.
#ifndef KN_SHIM
#define KN_SHIM 1

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shim_image.h"

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)

// `__local` variables stand together, so that an address tells whether it is local.
#define KN_SHIM_LOCAL static __attribute__((section("kn_local")))
extern "C" {
extern unsigned char __start_kn_local[] __attribute__((weak, visibility("hidden")));
extern unsigned char __stop_kn_local[] __attribute__((weak, visibility("hidden")));
inline unsigned char *kn_arena = nullptr;
inline size_t kn_arena_bytes = 0;
}

inline bool kn_shim_is_local(const void *p)
{
    const unsigned char *at = (const unsigned char *)p;
    return (at >= kn_arena && at < kn_arena + kn_arena_bytes) ||
           (at >= __start_kn_local && at < __stop_kn_local);
}

void kn_shim_barrier(void *fiber);

// ---- CUDA's functions that C has not

inline float rsqrtf(float x)
{
    return (float)(1 / std::sqrt((double)x));
}
inline double rsqrt(double x)
{
    return (double)(1 / sqrtl((long double)x));
}
inline double kn_shim_sinpi(double x)
{
    double r = std::fmod(std::fabs(x), 2.0), s;
    if (r == 0 || r == 1)
        return std::copysign(0.0, x);
    s = r <= 0.25   ? std::sin(M_PI * r)
        : r <= 0.75 ? std::cos(M_PI * (r - 0.5))
        : r <= 1.25 ? -std::sin(M_PI * (r - 1))
        : r <= 1.75 ? -std::cos(M_PI * (r - 1.5))
                    : std::sin(M_PI * (r - 2));
    return std::copysign(1.0, x) * s;
}
inline double kn_shim_cospi(double x)
{
    double r = std::fmod(std::fabs(x), 2.0);
    if (r == 0.5 || r == 1.5)
        return 0;
    return r <= 0.25   ? std::cos(M_PI * r)
           : r <= 0.75 ? -std::sin(M_PI * (r - 0.5))
           : r <= 1.25 ? -std::cos(M_PI * (r - 1))
           : r <= 1.75 ? std::sin(M_PI * (r - 1.5))
                       : std::cos(M_PI * (r - 2));
}
inline double sinpi(double x)
{
    return kn_shim_sinpi(x);
}
inline float sinpif(float x)
{
    return (float)kn_shim_sinpi(x);
}
inline double cospi(double x)
{
    return kn_shim_cospi(x);
}
inline float cospif(float x)
{
    return (float)kn_shim_cospi(x);
}
inline float __cosf(float x)
{
    return cosf(x);
}
inline float __sinf(float x)
{
    return sinf(x);
}
inline float __tanf(float x)
{
    return tanf(x);
}
inline float __expf(float x)
{
    return expf(x);
}
inline float __exp10f(float x)
{
    return exp10f(x);
}
inline float __logf(float x)
{
    return logf(x);
}
inline float __log2f(float x)
{
    return log2f(x);
}
inline float __log10f(float x)
{
    return log10f(x);
}
inline float __powf(float x, float y)
{
    return powf(x, y);
}
inline float __fdividef(float x, float y)
{
    return x / y;
}

#endif
