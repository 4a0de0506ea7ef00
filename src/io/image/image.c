// SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/quote.h"
#include "image_format.h"

enum {
    SHOWN = 16,     // bytes shown of a file of another kind
    PIECE = 1 << 20 // of standard input
};

// A file's first bytes.
static const struct signature {
    const char *bytes;
    size_t count;
    const struct image_format *format;
} signatures[] = {
    {"\x89PNG\r\n\x1a\n", 8, &image_png},
    {"II*\0", 4, &image_tiff},
    {"MM\0*", 4, &image_tiff},
    {"II+\0", 4, &image_tiff},
    {"MM\0+", 4, &image_tiff},
    {"\x93NUMPY", 6, &image_npy},
};

size_t image_bytes(const struct image *image)
{
    size_t pixel = image->channels * kn_type_size(image->type);

    if (image->height && image->width > SIZE_MAX / pixel / image->height)
        return SIZE_MAX;
    return image->width * image->height * pixel;
}

kn_status image_allocate(const struct image_file *file, struct image *image, kn_error *err)
{
    size_t bytes = image_bytes(image);

    if (!bytes)
        return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                          "an image of %zu x %zu pixels; expected at least one", image->width, image->height);
    if (bytes > file->bytes_max)
        return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                          "an image of %zu x %zu pixels of %u x %zu bytes, more than the limit of %zu bytes; "
                          "cut it into smaller ones",
                          image->width, image->height, image->channels, kn_type_size(image->type),
                          file->bytes_max);
    image->samples = calloc(1, bytes);
    return image->samples ? KN_OK : ki_fail_memory(err, bytes, file->path);
}

static kn_status fail_empty(const struct image_file *file, kn_error *err)
{
    return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                      "is empty; expected a PNG or TIFF image or a NumPy array (.npy)");
}

FILE *image_stream(const struct image_file *file)
{
    return file->data ? fmemopen(file->data, file->bytes, "rb") : fopen(file->path, "rb");
}

static size_t length_of(FILE *stream)
{
    struct stat info;

    return fstat(fileno(stream), &info) == 0 && S_ISREG(info.st_mode) ? (size_t)info.st_size : SIZE_MAX;
}

// The format, and the file's length.
static kn_status look(struct image_file *file, kn_error *err)
{
    char head[SHOWN], quoted[8 * SHOWN];
    FILE *stream = image_stream(file);
    size_t count = stream ? fread(head, 1, sizeof head, stream) : 0;
    int failed = !stream || ferror(stream) ? errno : 0;

    if (stream) {
        if (!file->data)
            file->bytes = length_of(stream);
        fclose(stream);
    }
    if (failed)
        return ki_fail_errno(err, KN_ERROR_INPUT, file->path, failed, "cannot be read");
    for (size_t i = 0; i < KI_COUNT(signatures) && !file->format; i++)
        if (count >= signatures[i].count && memcmp(head, signatures[i].bytes, signatures[i].count) == 0)
            file->format = signatures[i].format;
    if (file->format)
        return KN_OK;
    if (!count)
        return fail_empty(file, err);
    return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                      "expected a PNG or TIFF image or a NumPy array (.npy), but it begins with %s",
                      ki_quote(quoted, sizeof quoted, head, count));
}

static kn_status open_any(const char *path, const struct image_bytes *bytes, size_t bytes_max,
                          struct image_file **file, kn_error *err)
{
    struct image_file *opened = calloc(1, sizeof *opened);
    kn_status status = KN_OK;

    *file = NULL;
    if (opened)
        opened->path = strdup(path);
    if (!opened || !opened->path)
        status = ki_fail_memory(err, sizeof *opened, path);
    if (!status) {
        opened->bytes_max = bytes_max ? bytes_max : IMAGE_BYTES_MAX;
        opened->data = bytes && bytes->count ? bytes->data : NULL;
        opened->bytes = bytes ? bytes->count : 0;
        status = bytes && !bytes->count ? fail_empty(opened, err) : look(opened, err);
    }
    if (!status)
        status = opened->format->open(opened, err);
    if (status)
        image_close(opened);
    else
        *file = opened;
    return status;
}

kn_status image_open(const char *path, size_t bytes_max, struct image_file **file, kn_error *err)
{
    return open_any(path, NULL, bytes_max, file, err);
}

kn_status image_open_bytes(const struct image_bytes *bytes, size_t bytes_max, struct image_file **file,
                           kn_error *err)
{
    return open_any(bytes->name, bytes, bytes_max, file, err);
}

kn_status image_read_input(struct image_bytes *bytes, kn_error *err)
{
    size_t room = 0;
    kn_status status = KN_OK;

    *bytes = (struct image_bytes){.name = "-"};
    do {
        void *grown = realloc(bytes->data, room = room ? 2 * room : PIECE);

        if (!grown) {
            status = ki_fail_memory(err, room, "standard input");
            break;
        }
        bytes->data = grown;
        bytes->count += fread((char *)grown + bytes->count, 1, room - bytes->count, stdin);
    } while (bytes->count == room && room <= IMAGE_BYTES_MAX);
    if (!status && ferror(stdin))
        status = ki_fail_errno(err, KN_ERROR_INPUT, bytes->name, errno, "cannot be read");
    if (!status && bytes->count > IMAGE_BYTES_MAX)
        status = ki_fail_at(err, KN_ERROR_INPUT, bytes->name, 0,
                            "an image of more than %d bytes; give its file by name", IMAGE_BYTES_MAX);
    if (status) {
        free(bytes->data);
        *bytes = (struct image_bytes){.name = "-"};
    }
    return status;
}

size_t image_pages(const struct image_file *file)
{
    return file->pages;
}

kn_status image_read(struct image_file *file, size_t page, struct image *image, kn_error *err)
{
    kn_status status;

    *image = (struct image){.samples = NULL};
    if (page >= file->pages)
        return ki_fail_at(err, KN_ERROR_ARGUMENT, file->path, 0,
                          "has no page %zu; its %zu pages are counted from 0", page, file->pages);
    status = file->format->read(file, page, image, err);
    if (status) {
        free(image->samples);
        image->samples = NULL;
    }
    return status;
}

void image_close(struct image_file *file)
{
    if (!file)
        return;
    if (file->format)
        file->format->close(file);
    free(file->path);
    free(file);
}
