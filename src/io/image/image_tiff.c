// SPDX-License-Identifier: Apache-2.0
// TIFF files, through libtiff from 4.5 on: since that version its messages go to a function for each file,
// and not to one for the whole process.
#include "image_format.h"

#include <config.h>

#include "base/error.h"

#if HAVE_TIFF

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "base/array.h"

struct stack {
    TIFF *tiff;
    char text[256];  // libtiff's first error message since this was emptied
    uint64_t *pages; // where each begins in the file
    size_t count, capacity;
    const char *data;   // of a file in memory
    uint64_t bytes, at; // size of it; current position
};

// What a page says about itself.
struct page {
    uint32_t width, height;
    uint16_t bits, samples, format, photometric, planar, compression;
    bool tiled;
    const uint16_t *palette[3]; // NULL without one; red, green and blue of 2^bits colours
};

// A strip or a tile: a rectangle of the page, with all of its samples or, in a planar image, one.
struct piece {
    unsigned char *data;
    size_t width,
        height;   // of all pieces; those at the edges extend beyond them (tiles) or are lower (strips)
    size_t pixel; // bytes
};

// ---- libtiff's messages ----

static int on_error(TIFF *tiff, void *data, const char *module, const char *format, va_list args)
{
    struct stack *stack = data;

    (void)tiff;
    (void)module;
    if (!*stack->text)
        vsnprintf(stack->text, sizeof stack->text, format, args);
    return 1; // handled: libtiff calls no other handler
}

static int on_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list args)
{
    (void)tiff;
    (void)data;
    (void)module;
    (void)format;
    (void)args;
    return 1;
}

static kn_status failed(const struct image_file *file, const char *what, size_t number, kn_error *err)
{
    const struct stack *stack = file->own;

    return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                      "%s %zu cannot be read (libtiff: %s); is it damaged?", what, number,
                      *stack->text ? stack->text : "no reason given");
}

// ---- the file ----

// Finds the pages' positions, so that any can be reached at once.
static kn_status find_pages(struct image_file *file, kn_error *err)
{
    struct stack *stack = file->own;
    uint32_t kind;

    do {
        kind = 0;
        TIFFGetField(stack->tiff, TIFFTAG_SUBFILETYPE, &kind);
        if (!(kind & FILETYPE_REDUCEDIMAGE) &&
            !KI_ARRAY_PUSH(stack->pages, stack->count, stack->capacity, TIFFCurrentDirOffset(stack->tiff)))
            return ki_fail_memory(err, stack->count * sizeof *stack->pages, file->path);
        *stack->text = '\0';
    } while (TIFFReadDirectory(stack->tiff));
    if (*stack->text)
        return failed(file, "page", stack->count, err);
    if (!stack->count)
        return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                          "has no page but smaller copies of one (NewSubfileType 1)");
    file->pages = stack->count;
    return KN_OK;
}

// ---- a file in memory ----

static tmsize_t on_read(thandle_t handle, void *to, tmsize_t count)
{
    struct stack *stack = (struct stack *)handle;
    uint64_t left = stack->at < stack->bytes ? stack->bytes - stack->at : 0;
    size_t had = left < (uint64_t)count ? (size_t)left : (size_t)count;

    memcpy(to, stack->data + stack->at, had);
    stack->at += had;
    return (tmsize_t)had;
}

static tmsize_t on_write(thandle_t handle, void *from, tmsize_t count)
{
    (void)handle;
    (void)from;
    (void)count;
    return 0;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence)
{
    struct stack *stack = (struct stack *)handle;

    stack->at = offset + (whence == SEEK_CUR ? stack->at : whence == SEEK_END ? stack->bytes : 0);
    return stack->at;
}

static int on_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t on_size(thandle_t handle)
{
    return ((struct stack *)handle)->bytes;
}

// ---- opening ----

// m: read, and do not map a file that may shrink meanwhile.
static TIFF *open_tiff(const struct image_file *file, struct stack *stack, TIFFOpenOptions *options)
{
    stack->data = file->data;
    stack->bytes = file->bytes;
    return file->data ? TIFFClientOpenExt(file->path, "rm", stack, on_read, on_write, on_seek, on_close,
                                          on_size, NULL, NULL, options)
                      : TIFFOpenExt(file->path, "rm", options);
}

static kn_status open_file(struct image_file *file, kn_error *err)
{
    struct stack *stack = calloc(1, sizeof *stack);
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();

    file->own = stack;
    if (!stack || !options) {
        TIFFOpenOptionsFree(options);
        return ki_fail_memory(err, sizeof *stack, file->path);
    }
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, stack);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, stack);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)file->bytes_max);
    stack->tiff = open_tiff(file, stack, options);
    TIFFOpenOptionsFree(options);
    return stack->tiff ? find_pages(file, err) : failed(file, "page", 0, err);
}

static void close_file(struct image_file *file)
{
    struct stack *stack = file->own;

    if (!stack)
        return;
    if (stack->tiff)
        TIFFClose(stack->tiff);
    free(stack->pages);
    free(stack);
}

// ---- a page's head ----

static kn_status refuse(const struct image_file *file, size_t number, const char *what, unsigned found,
                        const char *expected, kn_error *err)
{
    return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0, "page %zu: %s is %u; expected %s", number, what,
                      found, expected);
}

static void read_tags(TIFF *tiff, struct page *page)
{
    uint16_t *red, *green, *blue;

    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page->height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &page->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &page->samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &page->format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &page->planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &page->compression);
    if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &page->photometric))
        page->photometric = page->samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
    if (page->photometric == PHOTOMETRIC_PALETTE &&
        TIFFGetField(tiff, TIFFTAG_COLORMAP, &red, &green, &blue)) {
        page->palette[0] = red;
        page->palette[1] = green;
        page->palette[2] = blue;
    }
    page->tiled = TIFFIsTiled(tiff);
}

// The kinds of samples that are read.
static const struct sample {
    uint16_t bits, format;
    kn_type type;
} sample_kinds[] = {
    {8, SAMPLEFORMAT_UINT, KN_U8},   {8, SAMPLEFORMAT_VOID, KN_U8},     {16, SAMPLEFORMAT_UINT, KN_U16},
    {16, SAMPLEFORMAT_VOID, KN_U16}, {32, SAMPLEFORMAT_IEEEFP, KN_F32},
};

static kn_status sample_type(const struct image_file *file, size_t number, const struct page *page,
                             kn_type *type, kn_error *err)
{
    for (size_t i = 0; i < KI_COUNT(sample_kinds); i++)
        if (page->bits == sample_kinds[i].bits && page->format == sample_kinds[i].format) {
            *type = sample_kinds[i].type;
            return KN_OK;
        }
    return ki_fail_at(
        err, KN_ERROR_INPUT, file->path, 0,
        "page %zu: samples of %u bits and SampleFormat %u; expected unsigned numbers (1) of 8 or 16 bits "
        "or floats (3) of 32",
        number, page->bits, page->format);
}

// The form in which the page is read, before a palette turns it into colours; or why it is not read.
static kn_status read_head(const struct image_file *file, size_t number, struct page *page,
                           struct image *image, kn_error *err)
{
    struct stack *stack = file->own;
    unsigned colours;
    kn_status status;

    *page = (struct page){.width = 0};
    *stack->text = '\0';
    if (!TIFFSetSubDirectory(stack->tiff, stack->pages[number]))
        return failed(file, "page", number, err);
    read_tags(stack->tiff, page);
    colours = page->photometric == PHOTOMETRIC_RGB ? 3 : 1;
    if (page->photometric > PHOTOMETRIC_PALETTE)
        return refuse(file, number, "PhotometricInterpretation", page->photometric,
                      "0 or 1 (grey), 2 (RGB) or 3 (palette)", err);
    if (!TIFFIsCODECConfigured(page->compression))
        return refuse(file, number, "Compression", page->compression, "one that this machine's libtiff has",
                      err);
    status = sample_type(file, number, page, &image->type, err);
    if (status)
        return status;
    if (page->samples != colours && page->samples != colours + 1U)
        return refuse(file, number, "SamplesPerPixel", page->samples,
                      colours == 3 ? "3 or, with alpha, 4" : "1 or, with alpha, 2", err);
    if (page->photometric == PHOTOMETRIC_PALETTE &&
        (!page->palette[0] || page->samples != 1 || page->bits > 16))
        return refuse(file, number, "PhotometricInterpretation", page->photometric,
                      "a ColorMap and one sample of 8 or 16 bits per pixel with it", err);
    if (page->photometric == PHOTOMETRIC_MINISWHITE && page->bits == 32)
        return refuse(file, number, "PhotometricInterpretation", page->photometric, "1 with floats", err);
    if (page->planar != PLANARCONFIG_CONTIG && page->planar != PLANARCONFIG_SEPARATE)
        return refuse(file, number, "PlanarConfiguration", page->planar, "1 or 2", err);
    image->width = page->width;
    image->height = page->height;
    image->channels = page->samples;
    if (page->compression == COMPRESSION_NONE && image_bytes(image) > file->bytes)
        return ki_fail_at(
            err, KN_ERROR_INPUT, file->path, 0,
            "page %zu says that it has %zu x %zu pixels of %zu bytes, but the file has only %zu bytes: it "
            "is cut short or damaged",
            number, image->width, image->height, image->channels * kn_type_size(image->type), file->bytes);
    return KN_OK;
}

// ---- its pixels ----

static kn_status make_piece(const struct image_file *file, size_t number, const struct page *page,
                            const struct image *image, struct piece *piece, kn_error *err)
{
    TIFF *tiff = ((struct stack *)file->own)->tiff;
    uint32_t width = page->width, height = 0;
    struct image shape = *image;

    if (page->tiled) {
        width = 0;
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &height);
    } else {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &height);
        height = height < page->height ? height : page->height;
    }
    shape.width = width;
    shape.height = height;
    shape.channels = page->planar == PLANARCONFIG_CONTIG ? page->samples : 1;
    if (!width || !height || image_bytes(&shape) > file->bytes_max)
        return ki_fail_at(
            err, KN_ERROR_INPUT, file->path, 0,
            "page %zu: is in %s of %u x %u pixels; expected at least one pixel, and at most %zu bytes",
            number, page->tiled ? "tiles" : "strips", width, height, file->bytes_max);
    *piece =
        (struct piece){malloc(image_bytes(&shape)), width, height, shape.channels * kn_type_size(shape.type)};
    return piece->data ? KN_OK : ki_fail_memory(err, image_bytes(&shape), file->path);
}

// Copies the piece whose first pixel is (x, y), of a plane, to its place in the image.
static bool read_piece(TIFF *tiff, const struct page *page, const struct piece *piece, size_t x, size_t y,
                       size_t plane, struct image *image)
{
    size_t rows = image->height - y < piece->height ? image->height - y : piece->height;
    size_t columns = image->width - x < piece->width ? image->width - x : piece->width;
    size_t pixel = image->channels * kn_type_size(image->type);
    tmsize_t bytes = (tmsize_t)((page->tiled ? piece->height : rows) * piece->width * piece->pixel);
    tmsize_t had =
        page->tiled
            ? TIFFReadEncodedTile(tiff, TIFFComputeTile(tiff, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane),
                                  piece->data, bytes)
            : TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, (uint32_t)y, (uint16_t)plane), piece->data,
                                   bytes);

    if (had != bytes)
        return false;
    for (size_t row = 0; row < rows; row++) {
        const unsigned char *from = piece->data + row * piece->width * piece->pixel;
        unsigned char *to =
            (unsigned char *)image->samples + ((y + row) * image->width + x) * pixel + plane * piece->pixel;

        if (piece->pixel == pixel)
            memcpy(to, from, columns * pixel);
        else
            for (size_t column = 0; column < columns; column++)
                memcpy(to + column * pixel, from + column * piece->pixel, piece->pixel);
    }
    return true;
}

static kn_status read_pixels(const struct image_file *file, size_t number, const struct page *page,
                             struct image *image, kn_error *err)
{
    struct stack *stack = file->own;
    struct piece piece = {.data = NULL};
    size_t planes = page->planar == PLANARCONFIG_CONTIG ? 1 : page->samples;
    kn_status status = image_allocate(file, image, err);

    if (!status)
        status = make_piece(file, number, page, image, &piece, err);
    for (size_t plane = 0; plane < planes && !status; plane++)
        for (size_t y = 0; y < image->height && !status; y += piece.height)
            for (size_t x = 0; x < image->width && !status; x += piece.width)
                if (!read_piece(stack->tiff, page, &piece, x, y, plane, image))
                    status = failed(file, "page", number, err);
    free(piece.data);
    return status;
}

// White is 0: inverts the levels. Alpha stays.
static void turn_round(struct image *image)
{
    size_t count = image->width * image->height * image->channels;

    for (size_t i = 0; i < count; i += image->channels)
        if (image->type == KN_U8)
            ((uint8_t *)image->samples)[i] ^= UINT8_MAX;
        else
            ((uint16_t *)image->samples)[i] ^= UINT16_MAX;
}

// Colours have 16 bits; an image of 8 bits uses their upper bytes, unless the writer stored bytes.
static kn_status look_up(const struct image_file *file, const struct page *page, struct image *image,
                         kn_error *err)
{
    struct image coloured = {image->width, image->height, 3, image->type, NULL};
    size_t colours = (size_t)1 << page->bits;
    unsigned shift = 0;
    kn_status status = image_allocate(file, &coloured, err);

    for (size_t i = 0; i < colours && image->type == KN_U8; i++)
        for (size_t c = 0; c < 3; c++)
            if (page->palette[c][i] > UINT8_MAX)
                shift = 8;
    for (size_t i = 0; i < image->width * image->height && !status; i++)
        for (size_t c = 0; c < 3; c++)
            if (image->type == KN_U8)
                ((uint8_t *)coloured.samples)[3 * i + c] =
                    (uint8_t)(page->palette[c][((uint8_t *)image->samples)[i]] >> shift);
            else
                ((uint16_t *)coloured.samples)[3 * i + c] = page->palette[c][((uint16_t *)image->samples)[i]];
    free(image->samples);
    *image = coloured;
    return status;
}

static kn_status read_page(struct image_file *file, size_t number, struct image *image, kn_error *err)
{
    struct page page;
    kn_status status = read_head(file, number, &page, image, err);

    if (!status)
        status = read_pixels(file, number, &page, image, err);
    if (!status && page.photometric == PHOTOMETRIC_MINISWHITE)
        turn_round(image);
    if (!status && page.photometric == PHOTOMETRIC_PALETTE)
        status = look_up(file, &page, image, err);
    return status;
}

#else

static kn_status open_file(struct image_file *file, kn_error *err)
{
    return ki_fail_at(err, KN_ERROR_UNSUPPORTED, file->path, 0,
                      "TIFF images need libtiff (4.5 or later), but this Koine was built without it: install "
                      "libtiff-dev and build again, or convert the image to PNG");
}

static kn_status read_page(struct image_file *file, size_t number, struct image *image, kn_error *err)
{
    (void)number;
    (void)image;
    return open_file(file, err);
}

static void close_file(struct image_file *file)
{
    (void)file;
}

#endif

const struct image_format image_tiff = {"TIFF", open_file, read_page, close_file};
