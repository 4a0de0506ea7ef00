// SPDX-License-Identifier: Apache-2.0
// 112 images to read and one to write (OpenCL promises 128 arguments in all); and kernels with few of them.
// test_many_images.c knows what comes out: texel x of image n is 1000 n + x, and it has 1 + n % 5 of them.
#define SIXTEEN(m, n) \
    m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9) m(n##a) m(n##b) m(n##c) m(n##d) \
    m(n##e) m(n##f)
#define ALL(m) \
    SIXTEEN(m, 0) SIXTEEN(m, 1) SIXTEEN(m, 2) SIXTEEN(m, 3) SIXTEEN(m, 4) SIXTEEN(m, 5) SIXTEEN(m, 6)

uint texel_of(read_only image2d_t image, uint x)
{
    return read_imageui(image, (int2)((int)x % get_image_width(image), 0)).x;
}

#define PARAMETER(n) read_only image2d_t image##n,
#define ADDED(n)     sum += (0x##n + 1) * texel_of(image##n, x), sizes += get_image_width(image##n) << (0x##n & 3);

__kernel void many(ALL(PARAMETER) __global uint *out, write_only image2d_t to, __local uint *tile, uint count)
{
    uint x = get_global_id(0), sum = 0, sizes = 0;
    ALL(ADDED)
    tile[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < count) {
        out[x] = tile[get_local_id(0)], out[count + x] = sizes;
        write_imageui(to, (int2)(x, 0), (uint4)(x + sizes, 0, 0, 0));
    }
}

__kernel void few(read_only image2d_t image07, __global uint *out, read_only image2d_t image10)
{
    uint x = get_global_id(0), sum = 0, sizes = 0;
    ADDED(07)
    ADDED(10)
    out[x] = sum + sizes;
}

// Few images, but with a value that leaves no room for them.
struct many_words {
    uint word[1000];
};
__kernel void beside_words(read_only image2d_t image03, struct many_words words, __global uint *out)
{
    uint x = get_global_id(0), sum = 0, sizes = 0;
    ADDED(03)
    out[x] = sum + sizes + words.word[x];
}
