// SPDX-License-Identifier: Apache-2.0
// Frames that a caller's source gives (koine/autocorr.h): what they are called, and whether they are frames.
#ifndef KN_APP_AUTOCORR_PREPARE_GREY_H
#define KN_APP_AUTOCORR_PREPARE_GREY_H

#include "app/autocorr/autocorr.h"

enum { AUTOCORR_NAME_ROOM = 32 };

// What messages call frame i: its name, or its number, in `room` of AUTOCORR_NAME_ROOM characters.
const char *ki_autocorr_frame_name(const kn_autocorr_source *source, size_t i, char *room);

// Copies what a caller gave. KN_ERROR_ARGUMENT for NULL, and for frames without a function that fetches them.
kn_status ki_autocorr_read_source(const char *function, const kn_autocorr_source *given,
                                  kn_autocorr_source *source, kn_error *err);

// Whether it is an image of grey levels; `what` is what messages call it. KN_ERROR_ARGUMENT.
kn_status ki_autocorr_check_grey(const char *what, const kn_autocorr_grey *grey, kn_error *err);

// Decodes a frame. What the source returns without a word gets a sentence here, and so does what is no frame,
// KN_ERROR_ARGUMENT. There are no pixels on failure.
kn_status ki_autocorr_fetch(const kn_autocorr_source *source, size_t i, void **kept, kn_autocorr_grey *grey,
                            kn_error *err);
void ki_autocorr_release(const kn_autocorr_source *source, void *kept);

// It as an image that is correlated.
static inline struct autocorr_image autocorr_image_of(const kn_autocorr_grey *grey)
{
    return (struct autocorr_image){grey->width, grey->height, grey->width, grey->type, grey->pixels};
}

#endif
