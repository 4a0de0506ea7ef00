// SPDX-License-Identifier: Apache-2.0
#include "png.h"

#include <math.h>
#include <png.h> // NOLINT(readability-duplicate-include): libpng's
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/os/output.h"

enum { SIDE_MAX = 1000000 }; // libpng's own

static kn_status check(const struct ki_picture *picture, kn_error *err)
{
    if (picture->width < 1 || picture->width > SIDE_MAX || picture->height < 1 || picture->height > SIDE_MAX)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a picture of %zu x %zu pixels; expected 1 to %d each way",
                       picture->width, picture->height, SIDE_MAX);
    if (picture->bits != 8 && picture->bits != 16)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a picture with %u bits per pixel; expected 8 or 16",
                       picture->bits);
    return KN_OK;
}

// libpng's last message; libpng expects its handler not to return, but to jump.
static void on_error(png_structp png, png_const_charp message)
{
    kn_error *err = png_get_error_ptr(png);

    ki_fail(err, KN_ERROR_OUTPUT, "libpng: %s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

// Into the stream, whose errors stick until ki_output_close.
static void on_write(png_structp png, png_bytep bytes, size_t count)
{
    fwrite(bytes, 1, count, png_get_io_ptr(png));
}

static void on_flush(png_structp png)
{
    (void)png;
}

// False if libpng failed, with the reason in `err`.
static bool encode(png_structp png, png_infop info, const struct ki_picture *picture, FILE *stream)
{
    size_t row = picture->width * picture->bits / 8;

    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_write_fn(png, stream, on_write, on_flush);
    png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, (int)picture->bits,
                 PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (picture->bits == 16)
        png_set_swap(png); // the file's numbers are big-endian
    for (size_t y = 0; y < picture->height; y++)
        png_write_row(png, (const unsigned char *)picture->pixels + y * row);
    png_write_end(png, info);
    return true;
}

// `path` is for messages.
static kn_status write_to(FILE *stream, const char *path, const struct ki_picture *picture, kn_error *err)
{
    kn_error own = KN_ERROR_INIT;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &own, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    kn_status status = KN_OK;

    if (!info)
        status = ki_fail_memory(err, 0, path);
    else if (!encode(png, info, picture, stream))
        status = ki_fail_at(err, KN_ERROR_OUTPUT, path, 0, "%s", own.text);
    png_destroy_write_struct(&png, &info);
    return status;
}

kn_status ki_png_bytes(const struct ki_picture *picture, char **bytes, size_t *count, kn_error *err)
{
    FILE *stream = NULL;
    kn_status status = check(picture, err);

    *bytes = NULL;
    if (status)
        return status;
    stream = open_memstream(bytes, count);
    if (!stream)
        return ki_fail_memory(err, 0, "a picture");
    status = write_to(stream, "a picture", picture, err);
    if (fclose(stream) && !status)
        status = ki_fail_memory(err, 0, "a picture");
    if (status) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

kn_status ki_png_write(const char *path, const struct ki_picture *picture, bool force, kn_error *err)
{
    struct ki_output *out = NULL;
    kn_status status = check(picture, err);

    if (!status)
        status = ki_output_open(path, force, &out, err);
    if (status)
        return status;
    status = write_to(ki_output_stream(out), path, picture, err);
    if (!status)
        return ki_output_close(out, err);
    ki_output_discard(out);
    return status;
}

kn_status ki_picture_of(const double *values, size_t width, size_t height, unsigned bits, double low,
                        double high, struct ki_picture *picture, kn_error *err)
{
    struct ki_picture made = {width, height, bits, NULL};
    double white = bits == 8 ? UINT8_MAX : UINT16_MAX;
    kn_status status = check(&made, err);

    if (status)
        return status;
    made.pixels = calloc(width * height, bits / 8);
    if (!made.pixels)
        return ki_fail_memory(err, width * height * bits / 8, "a picture");
    for (size_t i = 0; high > low && i < width * height; i++) {
        double grey = (values[i] - low) / (high - low);
        double level = grey > 0 ? rint(fmin(grey, 1) * white) : 0; // a NaN is not above 0

        if (bits == 8)
            ((uint8_t *)made.pixels)[i] = (uint8_t)level;
        else
            ((uint16_t *)made.pixels)[i] = (uint16_t)level;
    }
    *picture = made;
    return KN_OK;
}
