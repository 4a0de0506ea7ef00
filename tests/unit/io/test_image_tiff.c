// SPDX-License-Identifier: Apache-2.0
// TIFF images, written here with libtiff: every layout that is read, stacks, and files that are damaged or of
// another kind, without any message from libtiff on standard error. Without libtiff: the refusal.
#include "io_support.h"

#include <config.h>

#include "base/threads.h"
#include "io/image/image.h"
#include "support/run.h"

#if HAVE_TIFF

#include <tiffio.h>

enum { FILE_MAX = 1 << 20, SAMPLES_MAX = 40 * 40 * 4, BYTES_MAX = 1 << 16 };

struct layout {
    const char *mode; // of TIFFOpen: "l" little-endian, "b" big-endian, "8" BigTIFF
    uint32_t width, height;
    uint16_t bits, channels, photometric, planar, compression, predictor;
    uint32_t tile, rows; // tiles of tile x tile pixels; if `tile` is 0, strips of `rows` rows
};

static const struct layout layouts[] = {
    {"wl", 1, 1, 8, 1, PHOTOMETRIC_MINISBLACK, 1, COMPRESSION_NONE, 1, 0, 1},
    {"wb", 33, 31, 8, 1, PHOTOMETRIC_MINISBLACK, 1, COMPRESSION_LZW, 2, 0, 7},
    {"wl", 31, 33, 16, 1, PHOTOMETRIC_MINISBLACK, 1, COMPRESSION_NONE, 1, 0, 33},
    {"wb", 31, 33, 16, 1, PHOTOMETRIC_MINISBLACK, 1, COMPRESSION_ADOBE_DEFLATE, 2, 0, 5},
    {"wb8", 17, 40, 16, 1, PHOTOMETRIC_MINISWHITE, 1, COMPRESSION_NONE, 1, 16, 0},
    {"wl", 40, 40, 8, 2, PHOTOMETRIC_MINISWHITE, 1, COMPRESSION_PACKBITS, 1, 0, 100},
    {"wl", 37, 23, 32, 1, PHOTOMETRIC_MINISBLACK, 1, COMPRESSION_ADOBE_DEFLATE, 3, 32, 0},
    {"wb", 37, 23, 32, 1, PHOTOMETRIC_MINISBLACK, 1, COMPRESSION_NONE, 1, 0, 4},
    {"wl", 33, 35, 8, 3, PHOTOMETRIC_RGB, 1, COMPRESSION_LZW, 2, 0, 8},
    {"wl8", 33, 35, 16, 4, PHOTOMETRIC_RGB, 1, COMPRESSION_NONE, 1, 16, 0},
    {"wl", 33, 35, 8, 4, PHOTOMETRIC_RGB, 2, COMPRESSION_LZW, 1, 16, 0},
    {"wb", 35, 33, 16, 3, PHOTOMETRIC_RGB, 2, COMPRESSION_NONE, 1, 0, 6},
    {"wl", 20, 20, 32, 3, PHOTOMETRIC_RGB, 2, COMPRESSION_ADOBE_DEFLATE, 1, 0, 20},
    {"wl", 19, 21, 8, 1, PHOTOMETRIC_PALETTE, 1, COMPRESSION_LZW, 1, 0, 3},
    {"wb", 19, 21, 16, 1, PHOTOMETRIC_PALETTE, 1, COMPRESSION_NONE, 1, 16, 0},
};

static uint16_t colour_map(size_t channel, size_t i)
{
    return (uint16_t)(257 * i + 1000 * channel);
}

static void set_tags(TIFF *tiff, const struct layout *layout)
{
    static uint16_t map[3][1 << 16];
    const uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
    unsigned colours = layout->photometric == PHOTOMETRIC_RGB ? 3 : 1;

    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, layout->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, layout->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, layout->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, layout->channels);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, layout->photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, layout->planar);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, layout->compression);
    if (layout->bits >= 32)
        TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    if (layout->predictor > 1)
        TIFFSetField(tiff, TIFFTAG_PREDICTOR, layout->predictor);
    if (layout->channels > colours)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < 1 << 16; i++)
            map[c][i] = colour_map(c, i);
    if (layout->photometric == PHOTOMETRIC_PALETTE)
        TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
    if (layout->tile) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, layout->tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, layout->tile);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, layout->rows);
    }
}

// Copies the samples of a rectangle at (x, y), of one plane or of all, to `piece`, in libtiff's order.
static void cut(const struct layout *layout, const unsigned char *samples, size_t x, size_t y, size_t width,
                size_t height, size_t plane, unsigned char *piece)
{
    size_t size = layout->bits / 8U, first = layout->planar == PLANARCONFIG_SEPARATE ? plane : 0;
    size_t count = layout->planar == PLANARCONFIG_SEPARATE ? 1 : layout->channels;

    for (size_t j = 0; j < height; j++)
        for (size_t i = 0; i < width; i++)
            for (size_t c = 0; c < count; c++)
                if (x + i < layout->width && y + j < layout->height)
                    memcpy(piece + ((j * width + i) * count + c) * size,
                           samples +
                               (((y + j) * layout->width + x + i) * layout->channels + first + c) * size,
                           size);
}

// Writes one page; the caller writes the directory.
static void write_page(TIFF *tiff, const struct layout *layout, const unsigned char *samples)
{
    size_t planes = layout->planar == PLANARCONFIG_SEPARATE ? layout->channels : 1;
    size_t width = layout->tile ? layout->tile : layout->width;
    size_t height = layout->tile                    ? layout->tile
                    : layout->rows < layout->height ? layout->rows
                                                    : layout->height;
    unsigned char *piece = calloc(width * height * layout->channels, layout->bits / 8U);

    ck_assert_ptr_nonnull(piece);
    set_tags(tiff, layout);
    for (size_t plane = 0; plane < planes; plane++)
        for (size_t y = 0; y < layout->height; y += height)
            for (size_t x = 0; x < layout->width; x += width) {
                size_t rows = layout->tile || y + height <= layout->height ? height : layout->height - y;
                tmsize_t bytes =
                    (tmsize_t)(rows * width * (planes > 1 ? 1U : layout->channels) * (layout->bits / 8U));

                cut(layout, samples, x, y, width, rows, plane, piece);
                if (layout->tile)
                    ck_assert_int_ge(TIFFWriteEncodedTile(
                                         tiff,
                                         TIFFComputeTile(tiff, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane),
                                         piece, bytes),
                                     0);
                else
                    ck_assert_int_ge(
                        TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, (uint32_t)y, (uint16_t)plane),
                                              piece, bytes),
                        0);
            }
    free(piece);
}

static void write_tiff(const char *name, const struct layout *layout, const unsigned char *samples)
{
    TIFF *tiff = TIFFOpen(io_path(name), layout->mode);

    ck_assert_ptr_nonnull(tiff);
    write_page(tiff, layout, samples);
    TIFFClose(tiff);
}

static void fill(unsigned char *samples, size_t bytes, uint64_t *state)
{
    for (size_t i = 0; i < bytes; i++)
        samples[i] = (unsigned char)test_random(state);
}

static size_t bytes_of(const struct layout *layout)
{
    return (size_t)layout->width * layout->height * layout->channels * (layout->bits / 8U);
}

// The value that a sample must be read as.
static unsigned expected_sample(const struct layout *layout, const unsigned char *samples, size_t i,
                                size_t channel)
{
    size_t at = i * layout->channels + (layout->photometric == PHOTOMETRIC_PALETTE ? 0 : channel);
    unsigned sample = layout->bits == 8 ? samples[at] : ((const uint16_t *)(const void *)samples)[at];

    if (layout->photometric == PHOTOMETRIC_PALETTE)
        return (unsigned)colour_map(channel, sample) >> (layout->bits == 8 ? 8 : 0);
    if (layout->photometric == PHOTOMETRIC_MINISWHITE && channel == 0)
        return (layout->bits == 8 ? 0xffu : 0xffffu) - sample;
    return sample;
}

static void expect_image(const struct layout *layout, const unsigned char *samples, const struct image *image)
{
    size_t channels = layout->photometric == PHOTOMETRIC_PALETTE ? 3 : layout->channels;

    ck_assert_uint_eq(image->width, layout->width);
    ck_assert_uint_eq(image->height, layout->height);
    ck_assert_uint_eq(image->channels, channels);
    ck_assert_int_eq(image->type, layout->bits == 8 ? KN_U8 : layout->bits == 16 ? KN_U16 : KN_F32);
    if (layout->bits == 32) {
        ck_assert_mem_eq(image->samples, samples, bytes_of(layout));
        return;
    }
    for (size_t i = 0; i < image->width * image->height; i++)
        for (size_t c = 0; c < channels; c++) {
            size_t at = i * channels + c;
            unsigned found = layout->bits == 8 ? ((const uint8_t *)image->samples)[at]
                                               : ((const uint16_t *)image->samples)[at];

            ck_assert_msg(found == expected_sample(layout, samples, i, c), "pixel %zu, channel %zu: %u", i, c,
                          found);
        }
}

START_TEST(every_layout)
{
    uint64_t state = test_seed("every_layout");
    unsigned char *samples = malloc(4 * SAMPLES_MAX);

    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
        struct image_file *file;
        struct image image;

        fill(samples, bytes_of(&layouts[l]), &state);
        write_tiff("a.tif", &layouts[l], samples);
        IO_OK(image_open(io_path("a.tif"), 0, &file, err));
        ck_assert_uint_eq(image_pages(file), 1);
        for (size_t again = 0; again < 2; again++) {
            IO_OK(image_read(file, 0, &image, err));
            expect_image(&layouts[l], samples, &image);
            free(image.samples);
        }
        image_close(file);
    }
    free(samples);
}
END_TEST

// Pages of several kinds, read in any order; a reduced copy of a page is not a page.
START_TEST(stack)
{
    static const size_t order[] = {3, 0, 4, 4, 1, 2};
    const size_t pages = 5;
    uint64_t state = test_seed("stack");
    unsigned char *samples = malloc(5 * 4 * SAMPLES_MAX);
    TIFF *tiff = TIFFOpen(io_path("a.tif"), "wl");
    struct image_bytes bytes = {.name = "memory"};
    struct image_file *file;
    struct image image;

    fill(samples, pages * 4 * SAMPLES_MAX, &state);
    for (size_t p = 0; p < pages; p++) {
        write_page(tiff, &layouts[p + 1], samples + p * 4 * SAMPLES_MAX);
        ck_assert(TIFFWriteDirectory(tiff));
        TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
        write_page(tiff, &layouts[0], samples);
        ck_assert(TIFFWriteDirectory(tiff));
    }
    TIFFClose(tiff);
    IO_OK(image_open(io_path("a.tif"), 0, &file, err));
    ck_assert_uint_eq(image_pages(file), pages);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        IO_OK(image_read(file, order[i], &image, err));
        expect_image(&layouts[order[i] + 1], samples + order[i] * 4 * SAMPLES_MAX, &image);
        free(image.samples);
    }
    IO_REFUSED(image_read(file, 5, &image, err), KN_ERROR_ARGUMENT,
               "has no page 5; its 5 pages are counted from 0");
    image_close(file);
    // The same file in memory.
    bytes.data = malloc(FILE_MAX);
    ck_assert_ptr_nonnull(bytes.data);
    bytes.count = io_read("a.tif", bytes.data, FILE_MAX);
    ck_assert_uint_lt(bytes.count, FILE_MAX);
    IO_OK(image_open_bytes(&bytes, 0, &file, err));
    ck_assert_uint_eq(image_pages(file), pages);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        IO_OK(image_read(file, order[i], &image, err));
        expect_image(&layouts[order[i] + 1], samples + order[i] * 4 * SAMPLES_MAX, &image);
        free(image.samples);
    }
    image_close(file);
    bytes.count /= 2;
    IO_REFUSED(image_open_bytes(&bytes, 0, &file, err), KN_ERROR_INPUT, "memory: page ");
    free(bytes.data);
    free(samples);
}
END_TEST

// Opens and reads page 0 while standard error goes to a file, which must stay empty. The caller frees the
// samples.
static kn_status read_quietly(const char *name, size_t bytes_max, struct image *image, kn_error *err)
{
    struct image_file *file = NULL;
    FILE *said = tmpfile();
    int screen = dup(STDERR_FILENO);
    kn_status status;

    ck_assert(said && screen >= 0);
    fflush(stderr);
    dup2(fileno(said), STDERR_FILENO);
    status = image_open(io_path(name), bytes_max, &file, err);
    image->samples = NULL;
    if (!status)
        status = image_read(file, 0, image, err);
    image_close(file);
    fflush(stderr);
    dup2(screen, STDERR_FILENO);
    close(screen);
    ck_assert_int_eq(lseek(fileno(said), 0, SEEK_END), 0);
    fclose(said);
    ck_assert(status || image->samples);
    return status;
}

static kn_status quietly(const char *name, size_t bytes_max, kn_error *err)
{
    struct image image;
    kn_status status = read_quietly(name, bytes_max, &image, err);

    free(image.samples);
    return status;
}

static void refuse(const char *name, size_t bytes_max, const char *words)
{
    kn_error err = KN_ERROR_INIT;
    kn_status status = quietly(name, bytes_max, &err);

    io_expect(status, KN_ERROR_INPUT, &err, words);
    ck_assert_msg(strstr(err.text, name) != NULL, "%s", err.text);
}

// Writes a page with one tag that does not fit the samples.
static void write_strange(uint32_t tag, uint32_t value)
{
    static const unsigned char samples[8 * 8 * 8] = {0};
    struct layout layout = {"wl", 8, 8, 8, 1, PHOTOMETRIC_MINISBLACK, 1, COMPRESSION_NONE, 1, 0, 8};
    TIFF *tiff = TIFFOpen(io_path("a.tif"), layout.mode);

    set_tags(tiff, &layout);
    ck_assert(TIFFSetField(tiff, tag, value));
    ck_assert_int_ge(TIFFWriteRawStrip(tiff, 0, (void *)(uintptr_t)samples, sizeof samples), 0);
    TIFFClose(tiff);
}

START_TEST(strange_tags)
{
    static const struct {
        uint32_t tag, value;
        const char *words;
    } rows[] = {
        {TIFFTAG_BITSPERSAMPLE, 12,
         "page 0: samples of 12 bits and SampleFormat 1; expected unsigned numbers"},
        {TIFFTAG_BITSPERSAMPLE, 1, "samples of 1 bits"},
        {TIFFTAG_BITSPERSAMPLE, 32, "samples of 32 bits and SampleFormat 1"},
        {TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_INT, "samples of 8 bits and SampleFormat 2"},
        {TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_CIELAB, "PhotometricInterpretation is 8; expected 0 or 1 (grey)"},
        {TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB, "page 0: SamplesPerPixel is 1; expected 3 or, with alpha, 4"},
        {TIFFTAG_SAMPLESPERPIXEL, 5, "SamplesPerPixel is 5; expected 1 or, with alpha, 2"},
        {TIFFTAG_COMPRESSION, 4242, "Compression is 4242; expected one that this machine's libtiff has"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        TIFFErrorHandler before = TIFFSetErrorHandler(NULL);

        write_strange(rows[i].tag, rows[i].value);
        TIFFSetErrorHandler(before);
        refuse("a.tif", 0, rows[i].words);
    }
    // An unknown tag is ignored.
    {
        static const unsigned char samples[64] = {0};
        kn_error err = KN_ERROR_INIT;
        unsigned char bytes[BYTES_MAX];
        size_t count;

        write_tiff("a.tif",
                   &(struct layout){"wl", 8, 8, 8, 1, PHOTOMETRIC_MINISBLACK, 1, COMPRESSION_NONE, 1, 0, 8},
                   samples);
        count = io_read("a.tif", bytes, sizeof bytes);
        for (size_t at = bytes[4] + 256U * bytes[5] + 2; at + 12 < count; at += 12)
            if (bytes[at] + 256 * bytes[at + 1] == TIFFTAG_PLANARCONFIG) {
                bytes[at] = 0x34;
                bytes[at + 1] = 0xed;
            }
        io_write("b.tif", bytes, count);
        ck_assert_int_eq(quietly("b.tif", 0, &err), KN_OK);
    }
}
END_TEST

// Whether a truncated file is refused. It may also be read in full: the tables of sizes, which are at its
// end, can be worked out by libtiff if the pixels are not compressed.
static bool is_refused_or_whole(const char *name, const struct layout *layout, const unsigned char *samples)
{
    struct image image;
    kn_error err = KN_ERROR_INIT;
    kn_status status = read_quietly(name, 0, &image, &err);

    if (status == KN_OK)
        expect_image(layout, samples, &image);
    else
        io_expect(status, KN_ERROR_INPUT, &err, "b.tif: ");
    free(image.samples);
    return status != KN_OK;
}

// A file that is truncated anywhere, or has one byte changed, gives an error with the file's name or an
// image, and nothing on standard error.
START_TEST(damaged)
{
    static const size_t which[] = {1, 2, 6, 9};
    uint64_t state = test_seed("damaged");
    unsigned char *samples = malloc(4 * SAMPLES_MAX), bytes[BYTES_MAX];

    for (size_t l = 0; l < sizeof which / sizeof *which; l++) {
        const struct layout *layout = &layouts[which[l]];
        size_t count, refused = 0;

        fill(samples, bytes_of(layout), &state);
        write_tiff("a.tif", layout, samples);
        count = io_read("a.tif", bytes, sizeof bytes);
        for (size_t round = 0; round < 20; round++) {
            io_write("b.tif", bytes, 4 + (size_t)(test_random(&state) % (count - 4)));
            refused += is_refused_or_whole("b.tif", layout, samples);
        }
        ck_assert_uint_gt(refused, 10);
        for (size_t round = 0; round < 80; round++) {
            // Every other change is among the last 200 bytes: the list of tags follows the pixels.
            size_t at = round % 2 ? (size_t)(test_random(&state) % count)
                                  : count - 1 - (size_t)(test_random(&state) % 200);
            unsigned char was = bytes[at];
            kn_error err = KN_ERROR_INIT;

            bytes[at] = (unsigned char)test_random(&state);
            io_write("b.tif", bytes, count);
            bytes[at] = was;
            if (quietly("b.tif", 1 << 24, &err))
                ck_assert_msg(strstr(err.text, "b.tif") != NULL, "%s", err.text);
        }
    }
    free(samples);
}
END_TEST

START_TEST(too_large)
{
    struct layout layout = {"wl", 60000, 60000, 8, 3, PHOTOMETRIC_RGB, 1, COMPRESSION_LZW, 1, 0, 1};
    unsigned char one[60000 * 3] = {0};
    TIFF *tiff = TIFFOpen(io_path("a.tif"), "wl");

    set_tags(tiff, &layout);
    ck_assert_int_ge(TIFFWriteEncodedStrip(tiff, 0, one, sizeof one), 0);
    TIFFClose(tiff);
    refuse("a.tif", 0,
           "an image of 60000 x 60000 pixels of 3 x 1 bytes, more than the limit of 1073741824 bytes");
    layout = (struct layout){"wl", 20000, 20000, 8, 1, PHOTOMETRIC_MINISBLACK, 1, COMPRESSION_NONE, 1, 0, 1};
    tiff = TIFFOpen(io_path("a.tif"), "wl");
    set_tags(tiff, &layout);
    ck_assert_int_ge(TIFFWriteEncodedStrip(tiff, 0, one, 20000), 0);
    TIFFClose(tiff);
    refuse("a.tif", 0, "page 0 says that it has 20000 x 20000 pixels of 1 bytes, but the file has only");
    // A small page in a large tile.
    layout = (struct layout){"wl", 8, 8, 8, 1, PHOTOMETRIC_MINISBLACK, 1, COMPRESSION_LZW, 1, 1024, 0};
    write_tiff("a.tif", &layout, one);
    refuse("a.tif", 1 << 16, "page 0: is in tiles of 1024 x 1024 pixels; expected");
}
END_TEST

// Several threads read pages of a stack, each time opening it anew.
struct pages {
    const char *path;
    const unsigned char *samples;
    size_t bytes; // of a page
    size_t wrong;
};

static void read_again(void *context, size_t round)
{
    struct pages *pages = context;
    struct image_file *file = NULL;
    struct image image = {.samples = NULL};
    bool is_right = !image_open(pages->path, 0, &file, NULL) && !image_read(file, round % 4, &image, NULL) &&
                    memcmp(image.samples, pages->samples + round % 4 * pages->bytes, pages->bytes) == 0;

    image_close(file);
    free(image.samples);
    __atomic_fetch_add(&pages->wrong, !is_right, __ATOMIC_RELAXED);
}

START_TEST(threads)
{
    const struct layout *layout = &layouts[3];
    uint64_t state = test_seed("threads");
    unsigned char *samples = malloc(8 * SAMPLES_MAX);
    TIFF *tiff = TIFFOpen(io_path("a.tif"), "wl");
    size_t bytes = bytes_of(layout);
    struct pages pages = {io_path("a.tif"), samples, bytes, 0};

    fill(samples, 4 * bytes, &state);
    for (size_t p = 0; p < 4; p++) {
        write_page(tiff, layout, samples + p * bytes);
        ck_assert(TIFFWriteDirectory(tiff));
    }
    TIFFClose(tiff);
    ki_parallel(4, 40, KI_DYNAMIC, read_again, &pages);
    ck_assert_uint_eq(pages.wrong, 0);
    free(samples);
}
END_TEST

START_TEST(real)
{
    static const struct {
        const char *name;
        size_t side;
        unsigned channels;
    } files[] = {{"images/foam_1.tif", 768, 1}, {"images/kdf_biaxial_20um.tif", 411, 4}};

    for (size_t i = 0; i < 2; i++) {
        char path[4096];
        struct image_file *file;
        struct image image;

        if (!test_data_path(files[i].name, path, sizeof path))
            return;
        IO_OK(image_open(path, 0, &file, err));
        ck_assert_uint_eq(image_pages(file), 1);
        IO_OK(image_read(file, 0, &image, err));
        ck_assert_uint_eq(image.width, files[i].side);
        ck_assert_uint_eq(image.height, files[i].side);
        ck_assert_uint_eq(image.channels, files[i].channels);
        ck_assert_int_eq(image.type, KN_U8);
        free(image.samples);
        image_close(file);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_layout, stack, strange_tags, damaged, too_large, threads, real};

    return TEST_RUN_WITH("image tiff", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}

#else

START_TEST(without)
{
    struct image_file *file;

    ck_assert_msg(!test_require("tiff"), "built without libtiff (KOINE_REQUIRE lists tiff)");
    io_write("a.tif", "II*\0\x08\0\0\0", 8);
    IO_REFUSED(image_open(io_path("a.tif"), 0, &file, err), KN_ERROR_UNSUPPORTED, "install libtiff-dev");
    ck_assert_ptr_null(file);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {without};

    return TEST_RUN_WITH("image tiff", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}

#endif
