// SPDX-License-Identifier: Apache-2.0
// Frames from a caller's source (koine/autocorr.h): their names, and whether they are valid.
#ifndef KN_APP_AUTOCORR_PREPARE_GREY_H
#define KN_APP_AUTOCORR_PREPARE_GREY_H

#include "app/autocorr/autocorr.h"

enum { AUTOCORR_NAME_ROOM = 32 };

// The name of frame i in messages: its name, or its number, in `room` of AUTOCORR_NAME_ROOM characters.
const char *ki_autocorr_frame_name(const kn_autocorr_source *source, size_t i, char *room);

// Copies the caller's source. KN_ERROR_ARGUMENT for NULL, and for frames without a function that fetches
// them.
kn_status ki_autocorr_read_source(const char *function, const kn_autocorr_source *given,
                                  kn_autocorr_source *source, kn_error *err);

// Whether it is an image of grey levels; `what` is its name in messages. KN_ERROR_ARGUMENT.
kn_status ki_autocorr_check_grey(const char *what, const kn_autocorr_grey *grey, kn_error *err);

// Decodes a frame. An error that the source returns without a message gets one here, and so does an invalid
// frame, KN_ERROR_ARGUMENT. There are no pixels on failure.
kn_status ki_autocorr_fetch(const kn_autocorr_source *source, size_t i, void **kept, kn_autocorr_grey *grey,
                            kn_error *err);
void ki_autocorr_release(const kn_autocorr_source *source, void *kept);

// The frame as an image to correlate.
static inline struct autocorr_image autocorr_image_of(const kn_autocorr_grey *grey)
{
    return (struct autocorr_image){grey->width, grey->height, grey->width, grey->type, grey->pixels};
}

#endif
