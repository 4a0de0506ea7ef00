// SPDX-License-Identifier: Apache-2.0
// Images from PNG files: every kind of PNG, and files that are not images, truncated, damaged or too large.
// TIFF files have their own test.
#include "io_support.h"

#include <png.h>

#include "base/threads.h"
#include "io/image/image.h"
#include "support/run.h"

enum { WIDTH = 13, HEIGHT = 9, BYTES_MAX = 1 << 16 };

struct kind {
    int colour, bits, interlace;
    bool transparent;  // has a tRNS chunk: a palette's alpha, or the transparent colour, 1 in all channels
    unsigned channels; // of the image that is read
};

static const struct kind kinds[] = {
    {PNG_COLOR_TYPE_GRAY, 1, 0, false, 1},       {PNG_COLOR_TYPE_GRAY, 2, 0, false, 1},
    {PNG_COLOR_TYPE_GRAY, 4, 1, false, 1},       {PNG_COLOR_TYPE_GRAY, 8, 0, false, 1},
    {PNG_COLOR_TYPE_GRAY, 16, 0, false, 1},      {PNG_COLOR_TYPE_GRAY, 16, 1, false, 1},
    {PNG_COLOR_TYPE_GRAY, 4, 0, true, 2},        {PNG_COLOR_TYPE_GRAY, 8, 1, true, 2},
    {PNG_COLOR_TYPE_GRAY_ALPHA, 8, 0, false, 2}, {PNG_COLOR_TYPE_GRAY_ALPHA, 16, 1, false, 2},
    {PNG_COLOR_TYPE_PALETTE, 1, 0, false, 3},    {PNG_COLOR_TYPE_PALETTE, 2, 1, false, 3},
    {PNG_COLOR_TYPE_PALETTE, 4, 0, true, 4},     {PNG_COLOR_TYPE_PALETTE, 8, 0, false, 3},
    {PNG_COLOR_TYPE_RGB, 8, 0, false, 3},        {PNG_COLOR_TYPE_RGB, 16, 0, false, 3},
    {PNG_COLOR_TYPE_RGB, 8, 1, true, 4},         {PNG_COLOR_TYPE_RGB_ALPHA, 8, 1, false, 4},
    {PNG_COLOR_TYPE_RGB_ALPHA, 16, 0, false, 4},
};

static unsigned file_channels(const struct kind *kind)
{
    return kind->colour == PNG_COLOR_TYPE_PALETTE ? 1
                                                  : (kind->colour & PNG_COLOR_MASK_COLOR ? 3U : 1U) +
                                                        (kind->colour & PNG_COLOR_MASK_ALPHA ? 1U : 0U);
}

// Colour i of the palette.
static png_color palette_colour(size_t i)
{
    return (png_color){(png_byte)(3 * i + 7), (png_byte)(255 - i), (png_byte)(i * i)};
}

static png_byte palette_alpha(size_t i)
{
    return (png_byte)(17 * i);
}

// Writes WIDTH x HEIGHT x channels samples, each of the kind's bits and in an element of its own.
static void write_png(const char *name, const struct kind *kind, const uint16_t *samples)
{
    FILE *file = fopen(io_path(name), "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    unsigned char row[WIDTH * 8];
    png_color palette[256];
    png_byte alpha[256];
    png_color_16 one = {.red = 1, .green = 1, .blue = 1, .gray = 1};
    unsigned channels = file_channels(kind);

    ck_assert(file && png && info && !setjmp(png_jmpbuf(png)));
    png_init_io(png, file);
    png_set_IHDR(png, info, WIDTH, HEIGHT, kind->bits, kind->colour,
                 kind->interlace ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    for (size_t i = 0; i < 256; i++) {
        palette[i] = palette_colour(i);
        alpha[i] = palette_alpha(i);
    }
    if (kind->colour == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(png, info, palette, 1 << kind->bits);
    if (kind->transparent)
        png_set_tRNS(png, info, alpha, kind->colour == PNG_COLOR_TYPE_PALETTE ? 1 << kind->bits : 0, &one);
    png_write_info(png, info);
    for (int pass = png_set_interlace_handling(png); pass > 0; pass--)
        for (size_t y = 0; y < HEIGHT; y++) {
            memset(row, 0, sizeof row);
            for (size_t i = 0; i < WIDTH * channels; i++) {
                uint16_t sample = samples[y * WIDTH * channels + i];
                size_t at = i * (size_t)kind->bits;

                if (kind->bits == 16) {
                    row[2 * i] = (unsigned char)(sample >> 8);
                    row[2 * i + 1] = (unsigned char)sample;
                } else {
                    row[at / 8] |= (unsigned char)(sample << (8 - (unsigned)kind->bits - at % 8));
                }
            }
            png_write_row(png, row);
        }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    ck_assert_int_eq(fclose(file), 0);
}

static unsigned sample_of(const struct image *image, size_t i)
{
    return image->type == KN_U16 ? ((const uint16_t *)image->samples)[i]
                                 : ((const uint8_t *)image->samples)[i];
}

// The values that a pixel of the file must be read as.
static void expect_pixel(const struct kind *kind, const uint16_t *pixel, unsigned expected[4])
{
    unsigned channels = file_channels(kind), most = (1U << kind->bits) - 1,
             top = kind->bits == 16 ? 65535 : 255;
    bool is_clear = true;

    if (kind->colour == PNG_COLOR_TYPE_PALETTE) {
        png_color colour = palette_colour(*pixel);

        expected[0] = colour.red;
        expected[1] = colour.green;
        expected[2] = colour.blue;
        expected[3] = palette_alpha(*pixel);
        return;
    }
    for (unsigned c = 0; c < channels; c++) {
        expected[c] = pixel[c] * (top / most);
        is_clear = is_clear && pixel[c] == 1;
    }
    if (kind->transparent)
        expected[channels] = is_clear ? 0 : top;
}

static struct image_bytes file_bytes(const char *name)
{
    struct image_bytes bytes = {.name = "memory", .data = malloc(BYTES_MAX)};

    ck_assert_ptr_nonnull(bytes.data);
    bytes.count = io_read(name, bytes.data, BYTES_MAX);
    return bytes;
}

// Reads the image from the file and again from its bytes in memory, which must give the same.
static void read_one(const char *name, struct image *image)
{
    struct image_bytes bytes = file_bytes(name);
    struct image_file *file;
    struct image again;

    IO_OK(image_open(io_path(name), 0, &file, err));
    ck_assert_uint_eq(image_pages(file), 1);
    IO_OK(image_read(file, 0, image, err));
    image_close(file);
    IO_OK(image_open_bytes(&bytes, 0, &file, err));
    ck_assert_uint_eq(image_pages(file), 1);
    IO_OK(image_read(file, 0, &again, err));
    image_close(file);
    ck_assert(again.width == image->width && again.height == image->height &&
              again.channels == image->channels && again.type == image->type);
    ck_assert_mem_eq(again.samples, image->samples,
                     image->width * image->height * image->channels * kn_type_size(image->type));
    free(again.samples);
    // Truncated bytes, and none at all, are refused.
    bytes.count -= bytes.count / 3;
    IO_OK(image_open_bytes(&bytes, 0, &file, err));
    IO_REFUSED(image_read(file, 0, &again, err), KN_ERROR_INPUT, "memory: ends at byte ");
    image_close(file);
    bytes.count = 0;
    IO_REFUSED(image_open_bytes(&bytes, 0, &file, err), KN_ERROR_INPUT, "memory: is empty");
    free(bytes.data);
}

START_TEST(every_kind)
{
    uint64_t state = test_seed("every_kind");

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct kind *kind = &kinds[k];
        unsigned channels = file_channels(kind);
        uint16_t samples[WIDTH * HEIGHT * 4];
        struct image image;

        for (size_t i = 0; i < WIDTH * HEIGHT * channels; i++)
            samples[i] = (uint16_t)(test_random(&state) & ((1U << kind->bits) - 1));
        for (unsigned c = 0; c < channels; c++)
            samples[channels + c] = 1; // pixel 1 has the transparent colour
        write_png("a.png", kind, samples);
        read_one("a.png", &image);
        ck_assert_uint_eq(image.width, WIDTH);
        ck_assert_uint_eq(image.height, HEIGHT);
        ck_assert_uint_eq(image.channels, kind->channels);
        ck_assert_int_eq(image.type, kind->bits == 16 ? KN_U16 : KN_U8);
        for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
            unsigned expected[4] = {0};

            expect_pixel(kind, samples + i * channels, expected);
            for (unsigned c = 0; c < kind->channels; c++)
                ck_assert_msg(sample_of(&image, i * kind->channels + c) == expected[c],
                              "kind %zu, pixel %zu, channel %u: %u instead of %u", k, i, c,
                              sample_of(&image, i * kind->channels + c), expected[c]);
        }
        free(image.samples);
    }
}
END_TEST

// Expects a refusal, on opening or reading, with the file's name and these words.
static void refuse(const char *name, size_t bytes_max, const char *words)
{
    struct image_file *file;
    struct image image = {.samples = &file};
    kn_error err = KN_ERROR_INIT;
    kn_status status = image_open(io_path(name), bytes_max, &file, &err);

    if (!status) {
        status = image_read(file, 0, &image, &err);
        ck_assert_ptr_null(image.samples);
    } else {
        ck_assert_ptr_null(file);
        file = NULL;
    }
    image_close(file);
    io_expect(status, KN_ERROR_INPUT, &err, words);
    ck_assert_msg(strstr(err.text, name) != NULL, "%s", err.text);
}

START_TEST(no_image)
{
    struct image_file *file;

    io_write("a.png", "", 0);
    refuse("a.png", 0, "is empty; expected a PNG or TIFF image or a NumPy array (.npy)");
    io_write("a.png", "time,x,y\n", 9);
    refuse("a.png", 0,
           "expected a PNG or TIFF image or a NumPy array (.npy), but it begins with \"time,x,y\\n\"");
    io_write("a.png", "\xff\xd8\xff\xe0 JFIF and so on", 20);
    refuse("a.png", 0, "but it begins with \"\\xff\\xd8");
    IO_REFUSED(image_open(io_path("none.png"), 0, &file, err), KN_ERROR_INPUT, "none.png: cannot be read");
    IO_REFUSED(image_open(io_folder, 0, &file, err), KN_ERROR_INPUT, "cannot be read");
    image_close(NULL);
}
END_TEST

START_TEST(no_page)
{
    static const uint16_t samples[WIDTH * HEIGHT];
    struct image_file *file;
    struct image image;

    write_png("a.png", &kinds[3], samples);
    IO_OK(image_open(io_path("a.png"), 0, &file, err));
    IO_REFUSED(image_read(file, 1, &image, err), KN_ERROR_ARGUMENT,
               "has no page 1; its 1 pages are counted from 0");
    ck_assert_ptr_null(image.samples);
    image_close(file);
}
END_TEST

// A file that is truncated, or in which a byte was changed, is refused.
START_TEST(damaged)
{
    uint64_t state = test_seed("damaged");
    uint16_t samples[WIDTH * HEIGHT * 4];
    unsigned char bytes[BYTES_MAX];
    size_t count;

    for (size_t i = 0; i < WIDTH * HEIGHT * 4; i++)
        samples[i] = (uint16_t)(test_random(&state) & 255);
    write_png("a.png", &kinds[17], samples);
    count = io_read("a.png", bytes, sizeof bytes);
    ck_assert_uint_gt(count, 100);
    for (size_t part = 8; part < count; part += 5) {
        io_write("b.png", bytes, part);
        refuse("b.png", 0, "it is cut short");
    }
    for (size_t i = 8; i < count; i += 1 + test_random(&state) % 8) {
        bytes[i] ^= (unsigned char)(1 + test_random(&state) % 255);
        io_write("b.png", bytes, count);
        refuse("b.png", 0, "b.png: ");
        io_read("a.png", bytes, sizeof bytes);
    }
}
END_TEST

static void put_big(unsigned char *at, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(number >> (24 - 8 * i));
}

// Writes a header that declares width x height pixels of 8-bit grey, followed by an empty IDAT chunk.
static void write_bomb(const char *name, uint32_t width, uint32_t height)
{
    unsigned char bytes[45] = "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
    uint32_t crc = UINT32_MAX;

    put_big(bytes + 16, width);
    put_big(bytes + 20, height);
    bytes[24] = 8;
    for (size_t i = 12; i < 29; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    put_big(bytes + 29, ~crc);
    memcpy(bytes + 37, "IDAT", 4);
    io_write(name, bytes, sizeof bytes);
}

START_TEST(too_large)
{
    static const uint16_t samples[WIDTH * HEIGHT];

    write_bomb("a.png", 65535, 65535);
    refuse("a.png", 0,
           "an image of 65535 x 65535 pixels of 1 x 1 bytes, more than the limit of 1073741824 bytes");
    write_bomb("a.png", INT32_MAX, INT32_MAX);
    refuse("a.png", 0, "an image of 2147483647 x 2147483647 pixels");
    write_bomb("a.png", 20000, 20000);
    refuse("a.png", 0, "says that it has 20000 x 20000 pixels, but its 45 bytes cannot hold them");
    write_png("a.png", &kinds[3], samples);
    refuse("a.png", WIDTH * HEIGHT - 1, "an image of 13 x 9 pixels");
}
END_TEST

// Eight threads read eight files, 200 times in all, each time with a new image_file.
enum { FILES = 8 };

struct files {
    char paths[FILES][4200];
    uint16_t samples[FILES][WIDTH * HEIGHT];
    size_t wrong;
};

static void read_again(void *context, size_t round)
{
    struct files *files = context;
    struct image_file *file = NULL;
    struct image image = {.samples = NULL};
    bool is_right = !image_open(files->paths[round % FILES], 0, &file, NULL) &&
                    !image_read(file, 0, &image, NULL) &&
                    memcmp(image.samples, files->samples[round % FILES], sizeof files->samples[0]) == 0;

    image_close(file);
    free(image.samples);
    __atomic_fetch_add(&files->wrong, !is_right, __ATOMIC_RELAXED);
}

START_TEST(threads)
{
    uint64_t state = test_seed("threads");
    static struct files files;

    for (size_t f = 0; f < FILES; f++) {
        for (size_t i = 0; i < WIDTH * HEIGHT; i++)
            files.samples[f][i] = (uint16_t)test_random(&state);
        write_png("a.png", &kinds[4], files.samples[f]);
        snprintf(files.paths[f], sizeof files.paths[f], "%s/%zu.png", io_folder, f);
        ck_assert_int_eq(rename(io_path("a.png"), files.paths[f]), 0);
    }
    ki_parallel(FILES, 200, KI_DYNAMIC, read_again, &files);
    ck_assert_uint_eq(files.wrong, 0);
}
END_TEST

// skimage_gravel.png: 512 x 512 pixels of 8-bit grey.
START_TEST(real)
{
    char path[4096];
    struct image_file *file;
    struct image image;

    if (!test_data_path("images/skimage_gravel.png", path, sizeof path))
        return;
    IO_OK(image_open(path, 0, &file, err));
    IO_OK(image_read(file, 0, &image, err));
    ck_assert_uint_eq(image.width, 512);
    ck_assert_uint_eq(image.height, 512);
    ck_assert_uint_eq(image.channels, 1);
    ck_assert_int_eq(image.type, KN_U8);
    free(image.samples);
    image_close(file);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_kind, no_image, no_page, damaged, too_large, threads, real};

    return TEST_RUN_WITH("image", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}
