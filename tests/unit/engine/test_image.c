// SPDX-License-Identifier: Apache-2.0
// Tests images of every kind: copies of whole images and parts, kernels that read and write them, samplers as
// arguments, and every refusal. On any device: KOINE_DEVICE.
#include "support/buffers.h"
#include "support/run.h"

#include "base/array.h"

#include <math.h>

enum { WIDTH = 13, HEIGHT = 7, DEPTH = 3, MOST = WIDTH * HEIGHT * DEPTH };

static const struct kind {
    const char *suffix;
    size_t size[3];
} kinds[] = {
    [KN_IMAGE_1D] = {"1d", {WIDTH, 1, 1}},
    [KN_IMAGE_1D_BUFFER] = {"1d_buffer", {WIDTH, 1, 1}},
    [KN_IMAGE_1D_ARRAY] = {"1d_array", {WIDTH, 1, DEPTH}},
    [KN_IMAGE_2D] = {"2d", {WIDTH, HEIGHT, 1}},
    [KN_IMAGE_2D_ARRAY] = {"2d_array", {WIDTH, HEIGHT, DEPTH}},
    [KN_IMAGE_3D] = {"3d", {WIDTH, HEIGHT, DEPTH}},
};

static const kn_image_format rgba8 = {KN_ORDER_RGBA, KN_CHANNEL_UNORM8};
static const kn_image_format rgba_float = {KN_ORDER_RGBA, KN_CHANNEL_FLOAT};

// Texel n of the item's number goes from the image to out, and from in to the image.
static const char source[] =
    "#ifndef __IMAGE_SUPPORT__\n"
    "#error images, and no __IMAGE_SUPPORT__\n"
    "#endif\n"
    "#ifdef cl_khr_3d_image_writes\n"
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "#endif\n"
    "#define BOTH(kind, texel) READ(kind, texel) WRITE(kind, texel)\n"
    "#define READ(kind, texel) __kernel void read_##kind(__global float4 *out, read_only image##kind##_t i, "
    "uint w, "
    "uint h) { uint n = get_global_id(0), x = n % w, y = n / w % h, z = n / w / h; out[n] = read_imagef(i, "
    "texel); }\n"
    "#define WRITE(kind, texel) __kernel void write_##kind(__global float4 *out, write_only image##kind##_t "
    "i, uint w, "
    "uint h) { uint n = get_global_id(0), x = n % w, y = n / w % h, z = n / w / h; write_imagef(i, texel, "
    "out[n]); }\n"
    "BOTH(1d, (int)x) BOTH(1d_buffer, (int)x) BOTH(1d_array, (int2)(x, z)) BOTH(2d, (int2)(x, y))\n"
    "BOTH(2d_array, (int4)(x, y, z, 0)) READ(3d, (int4)(x, y, z, 0))\n"
    "#ifdef cl_khr_3d_image_writes\n"
    "WRITE(3d, (int4)(x, y, z, 0))\n"
    "#endif\n"
    "__kernel void sample(__global float4 *out, read_only image2d_t i, sampler_t s, float x, float y)\n"
    "{ out[0] = read_imagef(i, s, (float2)(x, y)); }\n"
    "__kernel void both(read_only image2d_t a, write_only image2d_t b)\n"
    "{ write_imagef(b, (int2)(0), read_imagef(a, (int2)(0))); }\n";

static kn_program *program;

static void set_up(void)
{
    test_open();
    if (kn_context_get_device(context)->images)
        EXPECT_OK(kn_program_from_text(context, source, "image.cl", NULL, &program, &err));
}

static void tear_down(void)
{
    kn_program_free(program);
    program = NULL;
    test_close();
}

static bool has_images(void)
{
    if (!program)
        fprintf(stderr, "skipped: %s has no images\n", kn_context_get_device(context)->name);
    return program != NULL;
}

// Oclgrind 21.10 reports values read from an image as uninitialised.
static bool reads_images(void)
{
    if (test_is_slow())
        fprintf(stderr, "skipped: Oclgrind takes what is read from an image for uninitialised\n");
    return has_images() && !test_is_slow();
}

static kn_image *image_of(kn_image_kind kind, kn_image_format format)
{
    const size_t *size = kinds[kind].size;
    kn_image *image = NULL;

    EXPECT_OK(kn_image_create(context, kind, format, size[0], size[1], size[2], &image, &err));
    return image;
}

static size_t count_of(kn_image_kind kind)
{
    return kinds[kind].size[0] * kinds[kind].size[1] * kinds[kind].size[2];
}

static void random_bytes(void *to, size_t bytes)
{
    uint64_t chance = test_seed("test_image");

    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = (unsigned char)test_random(&chance);
}

static kn_kernel *kernel_of(const char *stem, const char *suffix)
{
    kn_kernel *kernel = NULL;
    char name[64];

    snprintf(name, sizeof name, "%s%s", stem, suffix);
    EXPECT_OK(kn_program_get_kernel(program, name, &kernel, &err));
    return kernel;
}

START_TEST(copies)
{
    unsigned char texels[MOST * 4], found[MOST * 4], expected[MOST * 4];

    if (!has_images())
        return;
    random_bytes(texels, sizeof texels);
    for (kn_image_kind kind = KN_IMAGE_1D; kind <= KN_IMAGE_3D; kind++) {
        const size_t *size = kinds[kind].size;
        kn_image_region part = {{2, size[1] > 2 ? 1 : 0, size[2] > 1 ? 1 : 0},
                                {5, size[1] > 2 ? 3 : 1, size[2] > 1 ? 2 : 1}};
        size_t bytes = count_of(kind) * 4, got[3], pitch = 40, corner[3] = {0, 0, 0};
        kn_image *image = image_of(kind, rgba8), *second = image_of(kind, rgba8);
        unsigned char rows[400];

        ck_assert_int_eq(kn_image_get_kind(image), kind);
        ck_assert_int_eq(kn_image_get_format(image).order, KN_ORDER_RGBA);
        kn_image_get_size(image, got);
        ck_assert_mem_eq(got, size, sizeof got);
        EXPECT_OK(kn_image_write(queue, image, NULL, texels, 0, &err));
        EXPECT_OK(kn_image_read(queue, image, NULL, found, 0, &err));
        ck_assert_mem_eq(found, texels, bytes);

        // A part, its rows 40 bytes apart.
        random_bytes(rows, sizeof rows);
        memcpy(expected, texels, bytes);
        for (size_t z = 0; z < part.size[2]; z++)
            for (size_t y = 0; y < part.size[1]; y++)
                memcpy(expected + (((part.origin[2] + z) * size[1] + part.origin[1] + y) * size[0] + 2) * 4,
                       rows + (z * part.size[1] + y) * pitch, part.size[0] * 4);
        EXPECT_OK(kn_image_write(queue, image, &part, rows, pitch, &err));
        EXPECT_OK(kn_image_read(queue, image, NULL, found, 0, &err));
        ck_assert_mem_eq(found, expected, bytes);
        memset(found, 0x5a, sizeof found);
        EXPECT_OK(kn_image_read(queue, image, &part, found, pitch, &err));
        for (size_t row = 0; row < part.size[1] * part.size[2]; row++) {
            ck_assert_mem_eq(found + row * pitch, rows + row * pitch, part.size[0] * 4);
            if (row + 1 < part.size[1] * part.size[2])
                ck_assert_uint_eq(found[row * pitch + part.size[0] * 4], 0x5a); // nothing between the rows
        }

        // The part to another image's corner.
        EXPECT_OK(kn_image_write(queue, second, NULL, texels, 0, &err));
        EXPECT_OK(kn_image_copy(queue, image, &part, second, corner, NULL, &err));
        memcpy(part.origin, corner, sizeof corner);
        EXPECT_OK(kn_image_read(queue, second, &part, found, pitch, &err));
        for (size_t row = 0; row < part.size[1] * part.size[2]; row++)
            ck_assert_mem_eq(found + row * pitch, rows + row * pitch, part.size[0] * 4);
        kn_image_free(image);
        kn_image_free(second);
    }
}
END_TEST

START_TEST(kernels)
{
    static float values[MOST][4], found[MOST][4];

    if (!reads_images())
        return;
    for (size_t i = 0; i < MOST; i++)
        for (size_t c = 0; c < 4; c++)
            values[i][c] = (float)(i * 4 + c) / 8 - 20;
    for (kn_image_kind kind = KN_IMAGE_1D; kind <= KN_IMAGE_3D; kind++) {
        size_t count = count_of(kind), bytes = count * sizeof *values;
        kn_image *image = image_of(kind, rgba_float);
        kn_buffer *out = test_upload_with_room(values, bytes, 16);
        kn_range range = {.dims = 1, .global = {count}};
        uint32_t width = WIDTH, height = (uint32_t)kinds[kind].size[1];
        const kn_arg args[] = {KN_BUFFER(out), KN_IMAGE(image), KN_VALUE(width), KN_VALUE(height)};

        if (kind != KN_IMAGE_3D || strstr(context->device.extensions, "cl_khr_3d_image_writes")) {
            EXPECT_OK(kn_launch(queue, kernel_of("write_", kinds[kind].suffix), &range, args, 4, NULL, &err));
            memset(found, 0, sizeof found);
            EXPECT_OK(kn_image_read(queue, image, NULL, found, 0, &err));
            ck_assert_mem_eq(found, values, bytes);
        }
        EXPECT_OK(kn_image_write(queue, image, NULL, values, 0, &err));
        memset(found, 0, sizeof found);
        EXPECT_OK(kn_buffer_write(queue, out, 0, found, bytes, &err));
        EXPECT_OK(kn_launch(queue, kernel_of("read_", kinds[kind].suffix), &range, args, 4, NULL, &err));
        EXPECT_OK(kn_buffer_read(queue, out, 0, found, bytes, &err));
        ck_assert_mem_eq(found, values, bytes);
        test_expect_poison(out, bytes);
        kn_image_free(image);
        kn_buffer_free(out);
    }
}
END_TEST

static void sample(kn_image *image, unsigned sampler, float x, float y, float found[4])
{
    static const float nothing[4] = {-1, -1, -1, -1};
    kn_buffer *out = test_upload_with_room(nothing, sizeof nothing, 0);
    kn_range range = {.dims = 1, .global = {1}};
    const kn_arg args[] = {KN_BUFFER(out), KN_IMAGE(image), KN_SAMPLER(sampler), KN_VALUE(x), KN_VALUE(y)};

    EXPECT_OK(kn_launch(queue, kernel_of("sample", ""), &range, args, KI_COUNT(args), NULL, &err));
    EXPECT_OK(kn_buffer_read(queue, out, 0, found, 16, &err));
    kn_buffer_free(out);
}

// Along a ramp, whose texel i is i, so that what is read says where. Filtering has 8 bits of fraction on a
// GPU (CUDA C++ Programming Guide, "Linear Filtering"; OpenCL 8.2 leaves it open), and neighbours differ by
// 1, across the edge of REPEAT by WIDTH - 1; a CPU computes in float.
START_TEST(samplers)
{
    static const struct {
        unsigned sampler;
        float x, expected;
    } cases[] = {
        {KN_SAMPLER_NEAREST | KN_SAMPLER_EDGE, 4.75f, 4},
        {KN_SAMPLER_NEAREST | KN_SAMPLER_EDGE, -3.5f, 0},
        {KN_SAMPLER_NEAREST | KN_SAMPLER_EDGE, 100, WIDTH - 1},
        {KN_SAMPLER_NEAREST | KN_SAMPLER_CLAMP, 4.25f, 4},
        {KN_SAMPLER_NEAREST | KN_SAMPLER_CLAMP, 13.25f, 0},
        {KN_SAMPLER_LINEAR | KN_SAMPLER_EDGE, 4.75f, 4.25f},
        {KN_SAMPLER_LINEAR | KN_SAMPLER_EDGE, 12.75f, 12},
        {KN_SAMPLER_LINEAR | KN_SAMPLER_CLAMP, 12.75f, 9},
        {KN_SAMPLER_NORMALIZED | KN_SAMPLER_NEAREST | KN_SAMPLER_EDGE, 4.75f / WIDTH, 4},
        {KN_SAMPLER_NORMALIZED | KN_SAMPLER_NEAREST | KN_SAMPLER_CLAMP, -0.5f / WIDTH, 0},
        {KN_SAMPLER_NORMALIZED | KN_SAMPLER_NEAREST | KN_SAMPLER_REPEAT, 15.5f / WIDTH, 2},
        {KN_SAMPLER_NORMALIZED | KN_SAMPLER_NEAREST | KN_SAMPLER_MIRROR, 15.5f / WIDTH, 10},
        {KN_SAMPLER_NORMALIZED | KN_SAMPLER_LINEAR | KN_SAMPLER_EDGE, 4.75f / WIDTH, 4.25f},
        {KN_SAMPLER_NORMALIZED | KN_SAMPLER_LINEAR | KN_SAMPLER_CLAMP, 0.25f / WIDTH, 0},
        {KN_SAMPLER_NORMALIZED | KN_SAMPLER_LINEAR | KN_SAMPLER_REPEAT, 13.25f / WIDTH, 3},
        {KN_SAMPLER_NORMALIZED | KN_SAMPLER_LINEAR | KN_SAMPLER_MIRROR, 15.25f / WIDTH, 10.25f},
    };
    static float ramp[HEIGHT][WIDTH][4];
    float found[4];
    kn_image *image;

    if (!reads_images())
        return;
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            ramp[y][x][0] = (float)x;
    image = image_of(KN_IMAGE_2D, rgba_float);
    EXPECT_OK(kn_image_write(queue, image, NULL, ramp, 0, &err));
    for (size_t i = 0; i < KI_COUNT(cases); i++) {
        bool filters = cases[i].sampler & KN_SAMPLER_LINEAR,
             on_cpu = kn_context_get_device(context)->type == KN_DEVICE_CPU;
        double bound = !filters ? 0 : on_cpu ? WIDTH * WIDTH * 0x1p-21 : (WIDTH - 1) * 0x1p-8;
        float y = cases[i].sampler & KN_SAMPLER_NORMALIZED ? 0.5f : 3.5f;
        sample(image, cases[i].sampler, cases[i].x, y, found);
        ck_assert_msg(fabs((double)found[0] - (double)cases[i].expected) <= bound,
                      "sampler 0x%x at %g: %.9g instead of %g", cases[i].sampler, (double)cases[i].x,
                      (double)found[0], (double)cases[i].expected);
    }
    kn_image_free(image);
}
END_TEST

START_TEST(refused_images)
{
    static const kn_image_format bgra_float = {KN_ORDER_BGRA, KN_CHANNEL_FLOAT};
    kn_image *image = NULL, *flat;
    unsigned char texels[MOST * 4] = {0};
    kn_image_region outside = {{10, 0, 0}, {4, 1, 1}};
    const size_t nowhere[3] = {0, 0, 0};

    if (!has_images())
        return;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "image of 0 x 7 x 1 texels",
                   kn_image_create(context, KN_IMAGE_2D, rgba8, 0, 7, 1, &image, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "an image2d_t has no depth; 2 is given",
                   kn_image_create(context, KN_IMAGE_2D, rgba8, 4, 4, 2, &image, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "an image1d_array_t has no height; 2 is given",
                   kn_image_create(context, KN_IMAGE_1D_ARRAY, rgba8, 4, 2, 2, &image, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "order 0x10b6 and type 0x10de",
                   kn_image_create(context, KN_IMAGE_2D, bgra_float, 4, 4, 1, &image, &err));
    EXPECT_REFUSED(
        KN_ERROR_LIMIT, "allocates at most",
        kn_image_create(context, KN_IMAGE_3D, rgba8, (size_t)1 << 30, (size_t)1 << 30, 100, &image, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL",
                   kn_image_create(NULL, KN_IMAGE_2D, rgba8, 4, 4, 1, &image, &err));
    ck_assert_ptr_null(image);
    image = image_of(KN_IMAGE_2D, rgba8);
    flat = image_of(KN_IMAGE_1D, rgba8);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "4 x 1 x 1 texels from (10, 0, 0) on, of an image of 13 x 7 x 1",
                   kn_image_write(queue, image, &outside, texels, 0, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "rows 51 bytes apart; they have 52",
                   kn_image_read(queue, image, NULL, texels, 51, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_image_read: queue, image or data",
                   kn_image_read(queue, image, NULL, NULL, 0, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "an image2d_t and an image1d_t",
                   kn_image_copy(queue, image, NULL, flat, nowhere, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "overlap",
                   kn_image_copy(queue, image, NULL, image, nowhere, NULL, &err));
    kn_image_free(image);
    kn_image_free(flat);
    kn_image_free(NULL);
    ck_assert_uint_eq(kn_image_format_size(bgra_float), 0);
    ck_assert_uint_eq(kn_image_format_size(rgba_float), 16);
}
END_TEST

START_TEST(refused_launches)
{
    float x = 0, nothing[4] = {0};
    kn_buffer *out;
    kn_image *image, *solid;
    kn_range range = {.dims = 1, .global = {1}};

    if (!has_images())
        return;
    out = test_upload_with_room(nothing, sizeof nothing, 0);
    image = image_of(KN_IMAGE_2D, rgba8);
    solid = image_of(KN_IMAGE_3D, rgba8);
    const struct {
        kn_arg picture, how;
        const char *words;
    } cases[] = {
        {KN_BUFFER(out), KN_SAMPLER(0x10), "sample: argument 1 (i) takes an image, but was given a buffer"},
        {KN_IMAGE(NULL), KN_SAMPLER(0x10), "sample: argument 1 (i) is a NULL image"},
        {KN_IMAGE(solid), KN_SAMPLER(0x10),
         "sample: argument 1 (i) takes an image2d_t, but was given an image3d_t"},
        {KN_IMAGE(image), KN_VALUE(x), "sample: argument 2 (s) takes a sampler, but was given a value"},
        {KN_IMAGE(image), KN_SAMPLER(0x16), "sample: argument 2 (s) is a sampler of the bits 0x16"},
        {KN_IMAGE(image), KN_SAMPLER(0x30), "bits 0x30"},
        {KN_IMAGE(image), KN_SAMPLER(0x02), "bits 0x2"},
    };
    for (size_t i = 0; i < KI_COUNT(cases); i++) {
        const kn_arg args[] = {KN_BUFFER(out), cases[i].picture, cases[i].how, KN_VALUE(x), KN_VALUE(x)};
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, cases[i].words,
                       kn_launch(queue, kernel_of("sample", ""), &range, args, KI_COUNT(args), NULL, &err));
    }
    const kn_arg same[] = {KN_IMAGE(image), KN_IMAGE(image)};
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "both: the same image is read through one argument and written",
                   kn_launch(queue, kernel_of("both", ""), &range, same, 2, NULL, &err));
    kn_image_free(image);
    kn_image_free(solid);
    kn_buffer_free(out);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {copies, kernels, samplers, refused_images, refused_launches};

    return test_run("image", tests, KI_COUNT(tests), set_up, tear_down);
}
