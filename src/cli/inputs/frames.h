// SPDX-License-Identifier: Apache-2.0
// Frames and masks from image files, PNG and TIFF (image.h), for the autocorrelation and its preparation.
#ifndef KN_CLI_INPUTS_FRAMES_H
#define KN_CLI_INPUTS_FRAMES_H

#include "app/autocorr/prepare/grey.h"
#include "io/image/image.h"

// All pages of the files, in order; frames_free frees them. They keep the files' names. Looks at each file's
// head. What cannot be opened is one page, so that it is found to be unreadable in its turn. `input` is what
// the file "-" has, and must stay; NULL: "-" is a name as others are. KN_ERROR_MEMORY.
kn_status frames_list(char *const *files, size_t count, const struct image_bytes *input,
                      struct autocorr_film *frames, kn_error *err);
void frames_free(struct autocorr_film *frames);

// Reads the one page of a file that there is; "-" is standard input. KN_ERROR_INPUT and the others of
// image.h.
kn_status frames_read_grey(const char *path, struct autocorr_grey *grey, kn_error *err);

#endif
