// SPDX-License-Identifier: Apache-2.0
// PNG files: libpng reads back the pixels that were written; impossible sizes and depths are refused.
#include "io_support.h"

#include <math.h>
#include <png.h>

#include "io/image/png.h"
#include "support/run.h"

// Reads a file's pixels with libpng, in the machine's byte order; the caller frees them.
static unsigned char *decode(const char *path, struct ki_picture *found)
{
    FILE *file = fopen(path, "rb");
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    unsigned char *pixels;
    size_t row;

    ck_assert(file && png && info && !setjmp(png_jmpbuf(png)));
    png_init_io(png, file);
    png_read_info(png, info);
    ck_assert_int_eq(png_get_color_type(png, info), PNG_COLOR_TYPE_GRAY);
    found->width = png_get_image_width(png, info);
    found->height = png_get_image_height(png, info);
    found->bits = png_get_bit_depth(png, info);
    if (found->bits == 16)
        png_set_swap(png);
    row = found->width * found->bits / 8;
    pixels = malloc(row * found->height);
    ck_assert_ptr_nonnull(pixels);
    for (size_t y = 0; y < found->height; y++)
        png_read_row(png, pixels + y * row, NULL);
    png_read_end(png, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    fclose(file);
    return pixels;
}

START_TEST(read_back)
{
    static const size_t sizes[][2] = {{1, 1}, {1, 7}, {31, 1}, {33, 5}, {128, 3}};
    uint64_t state = test_seed("read_back");

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned bits = 8; bits <= 16; bits += 8) {
            size_t bytes = sizes[i][0] * sizes[i][1] * bits / 8;
            struct ki_picture picture = {sizes[i][0], sizes[i][1], bits, malloc(bytes)}, found;
            unsigned char *pixels;

            ck_assert_ptr_nonnull(picture.pixels);
            for (size_t b = 0; b < bytes; b++)
                ((unsigned char *)picture.pixels)[b] = (unsigned char)test_random(&state);
            IO_OK(ki_png_write(io_path("a.png"), &picture, true, err));
            pixels = decode(io_path("a.png"), &found);
            ck_assert_uint_eq(found.width, picture.width);
            ck_assert_uint_eq(found.height, picture.height);
            ck_assert_uint_eq(found.bits, bits);
            ck_assert_mem_eq(pixels, picture.pixels, bytes);
            free(pixels);
            free(picture.pixels);
        }
}
END_TEST

START_TEST(refused)
{
    uint8_t pixel[4] = {0};
    struct ki_picture picture = {2, 2, 8, pixel};

    IO_OK(ki_png_write(io_path("a.png"), &picture, false, err));
    IO_REFUSED(ki_png_write(io_path("a.png"), &picture, false, err), KN_ERROR_OUTPUT,
               "a.png: already exists and is not overwritten");
    picture.bits = 12;
    IO_REFUSED(ki_png_write(io_path("b.png"), &picture, false, err), KN_ERROR_ARGUMENT, "12 bits");
    picture = (struct ki_picture){0, 2, 8, pixel};
    IO_REFUSED(ki_png_write(io_path("b.png"), &picture, false, err), KN_ERROR_ARGUMENT, "0 x 2 pixels");
    picture = (struct ki_picture){2, 1000001, 8, pixel};
    IO_REFUSED(ki_png_write(io_path("b.png"), &picture, false, err), KN_ERROR_ARGUMENT, "2 x 1000001 pixels");
    ck_assert(!io_exists("b.png"));
    // On a full disk, the stream's error is reported, whatever libpng made of it.
    picture = (struct ki_picture){2, 2, 8, pixel};
    IO_REFUSED(ki_png_write("/dev/full", &picture, true, err), KN_ERROR_OUTPUT,
               "/dev/full: could not be written");
}
END_TEST

START_TEST(grey_levels)
{
    static const double values[] = {-5, 0, 0.5, 1, 2, 3, NAN, INFINITY, -INFINITY};
    static const uint8_t levels8[] = {0, 0, 64, 128, 255, 255, 0, 255, 0};
    static const uint16_t levels16[] = {0, 0, 16384, 32768, 65535, 65535, 0, 65535, 0};
    struct ki_picture picture;

    IO_OK(ki_picture_of(values, 3, 3, 8, 0, 2, &picture, err));
    ck_assert_mem_eq(picture.pixels, levels8, sizeof levels8);
    free(picture.pixels);
    IO_OK(ki_picture_of(values, 3, 3, 16, 0, 2, &picture, err));
    ck_assert_mem_eq(picture.pixels, levels16, sizeof levels16);
    free(picture.pixels);
    IO_OK(ki_picture_of(values, 9, 1, 8, 1, 1, &picture, err));
    for (size_t i = 0; i < 9; i++)
        ck_assert_uint_eq(((uint8_t *)picture.pixels)[i], 0);
    free(picture.pixels);
    IO_REFUSED(ki_picture_of(values, 3, 0, 8, 0, 1, &picture, err), KN_ERROR_ARGUMENT, "3 x 0 pixels");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {read_back, refused, grey_levels};

    return TEST_RUN_WITH("png", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}
