// SPDX-License-Identifier: Apache-2.0
// PNG files, through libpng: pictures in grey.
#ifndef KN_IO_IMAGE_PNG_H
#define KN_IO_IMAGE_PNG_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

struct ki_picture {
    size_t width, height; // 1 to 1,000,000 each
    unsigned bits;        // of a pixel: 8 (uint8_t) or 16 (uint16_t, in the machine's byte order)
    void *pixels;         // rows from top to bottom, 0 is black
};

// The file appears whole or not at all (output.h); the same picture makes the same bytes. Errors:
// KN_ERROR_ARGUMENT for sizes and bits other than those above; KN_ERROR_OUTPUT; KN_ERROR_MEMORY.
kn_status ki_png_write(const char *path, const struct ki_picture *picture, bool force, kn_error *err);

// The same as bytes in memory, which the caller frees.
kn_status ki_png_bytes(const struct ki_picture *picture, char **bytes, size_t *count, kn_error *err);

// A picture of real numbers: `low` and below are black, `high` and above white, NaN black; if `high` is not
// above `low`, everything is black. The caller frees `picture->pixels`. KN_ERROR_ARGUMENT, KN_ERROR_MEMORY.
kn_status ki_picture_of(const double *values, size_t width, size_t height, unsigned bits, double low,
                        double high, struct ki_picture *picture, kn_error *err);

#endif
