// SPDX-License-Identifier: Apache-2.0
// Kernels whose memory accesses check_prelude.sh counts in the PTX: `name: loads stores`, each the fewest
// there can be.
#define KN_SWIZZLES_2  KN_SWIZZLE(2, yx, 1, 0)
#define KN_SWIZZLES_4  KN_SWIZZLE(4, xy, 0, 1) KN_SWIZZLE(4, zw, 2, 3) KN_SWIZZLE(4, wzyx, 3, 2, 1, 0)
#define KN_SWIZZLES_16 KN_SWIZZLE(16, lo, 0, 1, 2, 3, 4, 5, 6, 7)
#include "prelude.cuh"

namespace kn
{
namespace program
{

struct matrix {
    float4 row[4];
};

#define AT               get_global_id(kn_me, 0)
#define BODY(name, T, Q) KN_BODY void name(const kn_item &kn_me, T *p, const Q *q)

BODY(copy, float4, float4)
{
    p[AT] = q[AT];
}
BODY(arithmetic, float4, float4)
{
    size_t i = AT;
    p[i] = q[i] * 2.0f + sqrt(q[i]);
}
BODY(selections, float4, float4)
{
    float4 a = q[AT], b = a.wzyx;
    b.xy = a.zw;
    p[AT] = a + b;
}
BODY(component, float4, float4)
{
    p[AT].x = q[AT].w;
}
BODY(neighbours, float4, float4)
{
    size_t i = AT;
    p[i] = q[i].x * 2 + q[i].y;
}
BODY(part, float4, float4)
{
    p[AT].xy = q[AT].zw;
}
BODY(wide, float16, float16)
{
    float16 a = q[AT];
    a.s3 = 1;
    a.lo = a.lo * 2.0f;
    p[AT] = a + 1;
}
BODY(three, float3, float3)
{
    p[AT] = q[AT] + 1;
}
BODY(widen, float4, uchar4)
{
    p[AT] = kn_convert<float4>(q[AT]);
}
BODY(saturate, uchar4, float4)
{
    p[AT] = kn_convert<uchar4, kn_sat, kn_rte>(q[AT]);
}
BODY(structure, float4, matrix)
{
    matrix m = *q;
    float4 v = AT;
    p[AT] = kn_make<float4>(dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v), dot(m.row[3], v));
}
BODY(choice, float4, float4)
{
    float4 a = q[AT];
    p[AT] = kn_ternary(
        a < 1.0f, [&] { return a.wzyx; }, [&] { return select(a, -a, a > 2.0f); });
}
BODY(halves, float4, half)
{
    p[AT] = kn_vloada_half<4>(AT, q);
}

} // namespace program
} // namespace kn

#define WRAP(name, T, Q)                                                                                     \
    KN_KERNEL(name)(kn::T * p, KN_CONSTANT_PARAM(kn::Q, q), KN_ITEM_PARAM)                                   \
    {                                                                                                        \
        kn::program::name(kn_me, p, KN_CONSTANT_BIND(kn::Q, q));                                             \
    }
WRAP(copy, float4, float4)
WRAP(arithmetic, float4, float4)
WRAP(selections, float4, float4)
WRAP(component, float4, float4)
WRAP(neighbours, float4, float4)
WRAP(part, float4, float4)
WRAP(wide, float16, float16)
WRAP(three, float3, float3)
WRAP(widen, float4, uchar4)
WRAP(saturate, uchar4, float4)
WRAP(structure, float4, program::matrix)
WRAP(choice, float4, float4)
WRAP(halves, float4, half)
