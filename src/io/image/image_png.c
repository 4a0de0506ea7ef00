// SPDX-License-Identifier: Apache-2.0
// PNG files, through libpng, which reports failures with longjmp: variables that change between setjmp and
// the jump are in `struct reader`.
#include "image_format.h"

#include <errno.h>
#include <png.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

enum { DEFLATE_MOST = 1032 }; // the most bytes that one deflated byte can become

struct reader {
    FILE *stream;
    png_structp png;
    png_infop info;
    size_t offset;  // in the file
    bool ended;     // the file ended too early
    char text[256]; // libpng's message
    int passes;
    struct image image;
};

static void on_error(png_structp png, png_const_charp message)
{
    struct reader *reader = png_get_error_ptr(png);

    snprintf(reader->text, sizeof reader->text, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void on_read(png_structp png, png_bytep bytes, size_t count)
{
    struct reader *reader = png_get_io_ptr(png);
    size_t had = fread(bytes, 1, count, reader->stream);

    reader->offset += had;
    if (had == count)
        return;
    reader->ended = !ferror(reader->stream);
    png_error(png, "the file ends");
}

// Reads the header, and sets the conversion of samples: 8 or 16 bits, no palette.
static bool read_header(struct reader *reader)
{
    png_structp png = reader->png;
    png_infop info = reader->info;
    struct image *image = &reader->image;
    unsigned colour;

    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_read_fn(png, reader, on_read);
    png_set_user_limits(png, PNG_UINT_31_MAX,
                        PNG_UINT_31_MAX); // image_allocate has its own limits, and reports them
    png_read_info(png, info);
    colour = png_get_color_type(png, info);
    image->width = png_get_image_width(png, info);
    image->height = png_get_image_height(png, info);
    image->channels = colour & PNG_COLOR_MASK_COLOR ? 3 : 1;
    if (colour & PNG_COLOR_MASK_ALPHA || png_get_valid(png, info, PNG_INFO_tRNS))
        image->channels++;
    image->type = png_get_bit_depth(png, info) == 16 ? KN_U16 : KN_U8;
    return true;
}

// Reads the rows; an interlaced image comes in passes, each of which fills in its part.
static bool read_rows(struct reader *reader)
{
    png_structp png = reader->png;
    size_t row = image_bytes(&reader->image) / reader->image.height;

    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_expand(png);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    png_set_swap(png); // the file's numbers are big-endian
#endif
    reader->passes = png_set_interlace_handling(png);
    png_read_update_info(png, reader->info);
    if (png_get_rowbytes(png, reader->info) != row)
        png_error(png, "rows of a length other than expected");
    for (int pass = 0; pass < reader->passes; pass++)
        for (size_t y = 0; y < reader->image.height; y++)
            png_read_row(png, (png_bytep)reader->image.samples + y * row, NULL);
    png_read_end(png, NULL);
    return true;
}

static kn_status failed(const struct image_file *file, const struct reader *reader, const char *where,
                        kn_error *err)
{
    if (reader->ended)
        return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                          "ends at byte %zu, in the middle of %s: it is cut short", reader->offset, where);
    return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                      "%s cannot be read, near byte %zu (libpng: %s); is it damaged?", where, reader->offset,
                      reader->text);
}

// Whether this few bytes can have become this many pixels of at least one bit each.
static kn_status check_length(const struct image_file *file, const struct image *image, kn_error *err)
{
    if (image->width * image->height / 8 / DEFLATE_MOST <= file->bytes)
        return KN_OK;
    return ki_fail_at(
        err, KN_ERROR_INPUT, file->path, 0,
        "says that it has %zu x %zu pixels, but its %zu bytes cannot hold them: it is cut short or "
        "damaged",
        image->width, image->height, file->bytes);
}

static kn_status decode(const struct image_file *file, struct reader *reader, kn_error *err)
{
    kn_status status;

    if (!read_header(reader))
        return failed(file, reader, "its header", err);
    status = image_allocate(file, &reader->image, err);
    if (!status)
        status = check_length(file, &reader->image, err);
    if (status)
        return status;
    return read_rows(reader) ? KN_OK : failed(file, reader, "its pixels", err);
}

static kn_status read_page(struct image_file *file, size_t page, struct image *image, kn_error *err)
{
    struct reader reader = {.stream = image_stream(file)};
    kn_status status;

    (void)page;
    if (!reader.stream)
        return ki_fail_errno(err, KN_ERROR_INPUT, file->path, errno, "cannot be read");
    reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_warning);
    reader.info = reader.png ? png_create_info_struct(reader.png) : NULL;
    status = reader.info ? decode(file, &reader, err) : ki_fail_memory(err, 0, file->path);
    png_destroy_read_struct(&reader.png, &reader.info, NULL);
    fclose(reader.stream);
    *image = reader.image;
    return status;
}

static kn_status open_file(struct image_file *file, kn_error *err)
{
    (void)err;
    file->pages = 1;
    return KN_OK;
}

static void close_file(struct image_file *file)
{
    (void)file;
}

const struct image_format image_png = {"PNG", open_file, read_page, close_file};
