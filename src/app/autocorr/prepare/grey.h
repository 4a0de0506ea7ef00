// SPDX-License-Identifier: Apache-2.0
// From decoded images to what is correlated: one channel of whole numbers.
#ifndef KN_APP_AUTOCORR_PREPARE_GREY_H
#define KN_APP_AUTOCORR_PREPARE_GREY_H

#include <stdbool.h>

#include "app/autocorr/autocorr.h"

// A picture as it was decoded.
struct autocorr_picture {
    size_t width, height;
    unsigned channels; // 1 grey; 2 grey and alpha; 3 red, green, blue; 4 those and alpha
    kn_type type;      // of a sample: KN_U8, KN_U16, KN_F32
    void *samples;     // rows from top to bottom, a pixel's channels together; the caller frees
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
// numbers from 0 to 65535, else stretched over that range. Takes the picture's samples over, whatever comes.
// KN_ERROR_INPUT for floats that are not finite, with `file` and the pixel; KN_ERROR_MEMORY.
kn_status ki_autocorr_grey_of(const char *file, struct autocorr_picture *picture, struct autocorr_grey *grey,
                              kn_error *err);

// What a frame is called: a page of a file.
struct autocorr_source {
    const char *file;
    size_t page, pages; // from 0; of how many
};

// A series of frames, from wherever they come. Several threads call the functions at once.
struct autocorr_film {
    const struct autocorr_source *sources; // one a frame
    size_t count;
    const void *from; // what the functions want beside that
    // Decodes frame i, as ki_autocorr_grey_of makes it. `kept` is the thread's own from one frame to the
    // next, NULL before the first; `release` frees it, NULL too. On failure there are no pixels.
    kn_status (*fetch)(const struct autocorr_film *frames, size_t i, void **kept, struct autocorr_grey *grey,
                       kn_error *err);
    void (*release)(void *kept);
    // About how many bytes the decoded frame takes, 0 where that cannot be told.
    size_t (*size)(const struct autocorr_film *frames, size_t i);
};

// Decodes one. fetch's errors.
kn_status ki_autocorr_fetch(const struct autocorr_film *film, size_t i, struct autocorr_grey *grey,
                            kn_error *err);

// It as an image that is correlated.
static inline struct autocorr_image autocorr_image_of(const struct autocorr_grey *grey)
{
    return (struct autocorr_image){grey->width, grey->height, grey->width, grey->type, grey->pixels};
}

#endif
