// SPDX-License-Identifier: Apache-2.0
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void negate(read_only image2d_t a, write_only image2d_t b)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(b, at, 1 - read_imagef(a, nearest, at));
}

__kernel void shrink(read_only image2d_t a, sampler_t s, __global float4 *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = read_imagef(a, s, ((float2)(x, y) + 0.5f) / width);
}

__kernel void layers(read_only image1d_array_t a, __global uint4 *out)
{
    out[get_global_id(0)] = read_imageui(a, (int2)(0, get_global_id(0)));
}
