// SPDX-License-Identifier: Apache-2.0
// What bench/rewrite repeats until it has a file of 5,000 lines, with _0 counted up: kernels as people write them, with
// macros, vectors and their components, conversions, shifts, conditions, structs, local and constant memory.
#ifndef GROUP
#define GROUP 128
#endif
#define SQUARE_0(x)        ((x) * (x))
#define CLAMP_0(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))
#define FOR_EACH_0(i, n)   for (uint i = (uint)get_global_id(0); i < (n); i += (uint)get_global_size(0))

typedef struct {
    float4 position;
    float4 velocity;
    uint id;
} body_0;

__constant float weights_0[8] = {0.5f, 0.25f, 0.125f, 0.0625f, 0.03125f, 0.015625f, 0.0078125f, 0.00390625f};

static uint hash_0(uint seed)
{
    seed ^= seed >> 16;
    seed *= 0x7feb352du;
    seed ^= seed >> (seed & 15u);
    return seed * 0x846ca68bu ^ (seed << (seed >> 27));
}

static float4 rotate_0(float4 v, float angle)
{
    float s, c;
    s = sincos(angle, &c);
    v.xy = (float2)(c * v.x - s * v.y, s * v.x + c * v.y);
    v.zw = v.wz * 0.5f;
    return v.x > 0.0f ? v : -v;
}

__kernel void advance_0(__global body_0 *bodies, __global const float4 *forces, float step, uint n)
{
    FOR_EACH_0(i, n) {
        body_0 b = bodies[i];
        float4 f = forces[i] * (float4)(1.0f, 1.0f, 1.0f, 0.0f);
        b.velocity += f * step;
        b.position = mad(b.velocity, (float4)(step), b.position);
        b.position.w = CLAMP_0(length(b.velocity.xyz), 0.0f, 10.0f);
        b.position = rotate_0(b.position, step * convert_float(hash_0(b.id)) * 0x1p-32f);
        b.velocity = select(b.velocity, -b.velocity, isless(b.position, (float4)(0.0f)));
        bodies[i] = b;
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void smooth_0(__global const uchar4 *in, __global uchar4 *out,
                                                                          __constant float4 *gains, __local float4 *tile,
                                                                          int width)
{
    int x = (int)get_global_id(0), l = (int)get_local_id(0);
    float4 sum = (float4)(0.0f);

    tile[l] = convert_float4(in[x]) * gains[l & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; k++) {
        int at = l + k - 4;
        at = at < 0 ? 0 : at >= GROUP ? GROUP - 1 : at;
        sum += weights_0[k] * tile[at].wzyx;
    }
    if (x < width)
        out[x] = convert_uchar4_sat_rte(sum.s3210 + SQUARE_0(sum.lo.xyxy));
}

__kernel void histogram_0(__global const uint4 *keys, __global uint *counts, uint n, uint shift)
{
    __local uint bins[256];

    for (uint b = (uint)get_local_id(0); b < 256; b += (uint)get_local_size(0))
        bins[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_EACH_0(i, n) {
        uint4 digit = (keys[i] >> shift) & (uint4)(255u);
        uint8 both = (uint8)(digit, rotate(digit, (uint4)(3)));
        atomic_inc(&bins[digit.x]);
        atomic_inc(&bins[both.s5 & 255u]);
        atomic_max(&bins[digit.z], as_uint(vload4(0, (__global const float *)keys).y) & 1u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = (uint)get_local_id(0); b < 256; b += (uint)get_local_size(0))
        atomic_add(&counts[b], bins[b]);
}
