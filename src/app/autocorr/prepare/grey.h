// SPDX-License-Identifier: Apache-2.0
// From decoded images to what is correlated: one channel of whole numbers.
#ifndef KN_APP_AUTOCORR_PREPARE_GREY_H
#define KN_APP_AUTOCORR_PREPARE_GREY_H

#include <stdbool.h>

#include "io/image/image.h"
#include "app/autocorr/autocorr.h"

// A page of a file.
struct autocorr_source {
    const char *file;
    size_t page, pages;              // from 0; of how many
    const struct image_bytes *bytes; // where it was read already; NULL: it is read by its name
};

struct autocorr_grey {
    size_t width, height;
    kn_type type;   // KN_U8 or KN_U16
    void *pixels;   // row after row, without gaps; the caller frees
    bool colour;    // it was made from red, green and blue
    bool stretched; // it was made from real numbers: the least became 0, the greatest 65535
};

// Colour becomes (299 R + 587 G + 114 B) / 1000, rounded (ITU-R BT.601's luma), which is the grey level
// itself where all three are equal; transparency is not looked at. 32-bit floats are kept if they are whole
// numbers from 0 to 65535, else stretched over that range. Takes the image's samples over, whatever comes.
// KN_ERROR_INPUT for floats that are not finite, with `file` and the pixel; KN_ERROR_MEMORY.
kn_status autocorr_grey_of(const char *file, struct image *image, struct autocorr_grey *grey, kn_error *err);

// image_open, or image_open_bytes.
kn_status autocorr_source_open(const struct autocorr_source *source, struct image_file **file, kn_error *err);

// Reads the one page of a file that there is; "-" is standard input. KN_ERROR_INPUT and the others of
// image.h.
kn_status autocorr_grey_read(const char *file, struct autocorr_grey *grey, kn_error *err);

// Reads a page. The same errors.
kn_status autocorr_source_read(const struct autocorr_source *source, struct autocorr_grey *grey,
                               kn_error *err);

// It as an image that is correlated.
static inline struct autocorr_image autocorr_image_of(const struct autocorr_grey *grey)
{
    return (struct autocorr_image){grey->width, grey->height, grey->width, grey->type, grey->pixels};
}

#endif
