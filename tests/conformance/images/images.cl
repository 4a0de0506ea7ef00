// SPDX-License-Identifier: Apache-2.0
// Every built-in of 6.12.14 on every type of image. All kernels have the same four arguments (test_images.c): an
// image, a sampler, a coordinate a work-item, and what is read (or what is to be written) a work-item.
#ifdef cl_khr_3d_image_writes
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#endif

#define KERNEL(name, image_type)                                                                             \
    __kernel void name(image_type image, sampler_t s, __global const float4 *at, __global uint4 *out)

#define READ(name, image_type, ...)                                                                          \
    KERNEL(name, read_only image_type)                                                                       \
    {                                                                                                        \
        size_t n = get_global_id(0);                                                                         \
        int4 whole = convert_int4_rtn(at[n]);                                                                \
        out[n] = as_uint4(__VA_ARGS__);                                                                      \
    }

// `point` and `texel`: the coordinates of this type of image, of floats and of integers.
#define SAMPLED(kind, point, texel)                                                                          \
    READ(readf_##kind, image##kind##_t, read_imagef(image, s, point))                                        \
    READ(readi_##kind, image##kind##_t, read_imagei(image, s, point))                                        \
    READ(readui_##kind, image##kind##_t, read_imageui(image, s, point))                                      \
    READ(wholef_##kind, image##kind##_t, read_imagef(image, s, texel))                                       \
    READ(wholei_##kind, image##kind##_t, read_imagei(image, s, texel))                                       \
    READ(wholeui_##kind, image##kind##_t, read_imageui(image, s, texel))

#define PLAIN(kind, texel)                                                                                   \
    READ(plainf_##kind, image##kind##_t, read_imagef(image, texel))                                          \
    READ(plaini_##kind, image##kind##_t, read_imagei(image, texel))                                          \
    READ(plainui_##kind, image##kind##_t, read_imageui(image, texel))

#define WRITE(name, image_type, ...)                                                                         \
    KERNEL(name, write_only image_type)                                                                      \
    {                                                                                                        \
        size_t n = get_global_id(0);                                                                         \
        int4 whole = convert_int4_rtn(at[n]);                                                                \
        __VA_ARGS__;                                                                                         \
    }

#define WRITTEN(kind, texel)                                                                                 \
    WRITE(writef_##kind, image##kind##_t, write_imagef(image, texel, as_float4(out[n])))                     \
    WRITE(writei_##kind, image##kind##_t, write_imagei(image, texel, as_int4(out[n])))                       \
    WRITE(writeui_##kind, image##kind##_t, write_imageui(image, texel, out[n]))

#define FORMAT_OF(image) get_image_channel_order(image) << 16 | get_image_channel_data_type(image)
#define QUERIES(kind, ...)                                                                                   \
    KERNEL(queries_##kind, read_only image##kind##_t)                                                        \
    {                                                                                                        \
        out[get_global_id(0)] = (uint4)(get_image_width(image), __VA_ARGS__, FORMAT_OF(image));              \
    }

SAMPLED(1d, at[n].x, whole.x)
PLAIN(1d, whole.x)
WRITTEN(1d, whole.x)
QUERIES(1d, 0, 0)

PLAIN(1d_buffer, whole.x)
WRITTEN(1d_buffer, whole.x)
#ifndef NO_BUFFER_FORMATS
QUERIES(1d_buffer, 0, 0)
#endif

SAMPLED(1d_array, at[n].xy, whole.xy)
PLAIN(1d_array, whole.xy)
WRITTEN(1d_array, whole.xy)
QUERIES(1d_array, 0, (uint)get_image_array_size(image))

SAMPLED(2d, at[n].xy, whole.xy)
PLAIN(2d, whole.xy)
WRITTEN(2d, whole.xy)
QUERIES(2d, get_image_height(image), get_image_dim(image).x * 1000 + get_image_dim(image).y)

SAMPLED(2d_array, at[n], whole)
PLAIN(2d_array, whole)
WRITTEN(2d_array, whole)
QUERIES(2d_array, get_image_height(image),
        get_image_dim(image).y * 1000 + (int)get_image_array_size(image))

SAMPLED(3d, at[n], whole)
PLAIN(3d, whole)
#ifdef cl_khr_3d_image_writes
WRITTEN(3d, whole)
#endif
QUERIES(3d, get_image_height(image), get_image_dim(image).z * 1000 + get_image_depth(image))

// Samplers that are constants, and images through functions.
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
const sampler_t bordered = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

float4 sum_of(read_only image2d_t image, sampler_t one, float2 at)
{
    const sampler_t other = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
    return read_imagef(image, one, at) +
           read_imagef(image, other, (at + 1) / convert_float2(get_image_dim(image))) * 2;
}

READ(constant_2d, image2d_t,
     sum_of(image, nearest, at[n].xy) + read_imagef(image, bordered, at[n].xy) * 4)

// What an image gives goes where any float4 does.
READ(wired_2d, image2d_t,
     (float4)(read_imagef(image, s, at[n].xy).zy, read_imagef(image, s, at[n].yx).x,
              get_image_dim(image).x > 4 ? read_imagef(image, s, whole.xy).w : 7.0f))
