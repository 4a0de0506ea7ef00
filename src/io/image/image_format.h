// SPDX-License-Identifier: Apache-2.0
// What image.c and the files for each format share.
#ifndef KN_IO_IMAGE_IMAGE_FORMAT_H
#define KN_IO_IMAGE_IMAGE_FORMAT_H

#include <stdio.h>

#include "image.h"

struct image_format {
    const char *name;
    // Sets `pages` and `own`; `close` is called whatever it returns.
    kn_status (*open)(struct image_file *file, kn_error *err);
    // `page` exists. What it leaves in `image->samples` on failure is freed.
    kn_status (*read)(struct image_file *file, size_t page, struct image *image, kn_error *err);
    void (*close)(struct image_file *file);
};

struct image_file {
    const struct image_format *format;
    char *path;
    void *data;   // the file, if it is in memory; NULL: it is read by its path
    size_t bytes; // of the file; SIZE_MAX if unknown
    size_t bytes_max;
    size_t pages;
    void *own; // the format's
};

extern const struct image_format image_npy, image_png, image_tiff;

// The file from its beginning; NULL with errno if it cannot be read. The caller closes it.
FILE *image_stream(const struct image_file *file);

// Bytes of the samples of an image of that size; SIZE_MAX if that is too large.
size_t image_bytes(const struct image *image);

// Memory for the samples of an image whose other members are set, zeroed. KN_ERROR_INPUT, with the size, for
// more bytes than the file's `bytes_max` or for a side of 0; KN_ERROR_MEMORY.
kn_status image_allocate(const struct image_file *file, struct image *image, kn_error *err);

#endif
