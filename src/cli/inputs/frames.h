// SPDX-License-Identifier: Apache-2.0
// Frames and masks from image files, PNG, TIFF and NumPy (image.h), for the autocorrelation and its
// preparation.
#ifndef KN_CLI_INPUTS_FRAMES_H
#define KN_CLI_INPUTS_FRAMES_H

#include <koine/autocorr.h>

#include "io/image/image.h"

// What a frame is called: a page of a file.
struct frame_source {
    const char *file;
    size_t page, pages; // from 0; of how many
};

struct frames {
    struct frame_source *sources; // one a frame
    const char **names;           // their files
    size_t count;
    const struct image_bytes *input;
};

// All pages of the files, in order; frames_free frees them. They keep the files' names. Looks at each file's
// head. What cannot be opened is one page, so that it is found to be unreadable in its turn. `input` is what
// the file "-" has, and must stay; NULL: "-" is a name as others are. KN_ERROR_MEMORY.
kn_status frames_list(char *const *files, size_t count, const struct image_bytes *input,
                      struct frames *frames, kn_error *err);
void frames_free(struct frames *frames);

// They as the library takes them, as long as they are there.
kn_autocorr_source frames_source(struct frames *frames);

// Decodes frame i. KN_ERROR_INPUT and the others of image.h.
kn_status frames_fetch(struct frames *frames, size_t i, kn_autocorr_grey *grey, kn_error *err);

// Decodes frame i as its file has it; the caller frees the samples. The same errors.
kn_status frames_read_image(struct frames *frames, size_t i, struct image *image, kn_error *err);

// All frames as the slices of a volume.
struct frames_volume {
    size_t width, height, depth;
    kn_type type; // KN_U8 or KN_U16; KN_F32 where they are floats, which nobody has scaled
    void *voxels; // slices without gaps; the caller frees them
};

// Decodes all frames. KN_ERROR_INPUT, with its name and both sizes, for one that is not like the first.
kn_status frames_read_volume(struct frames *frames, struct frames_volume *volume, kn_error *err);

// Reads the one page of a file that there is; "-" is standard input. The same errors.
kn_status frames_read_grey(const char *path, kn_autocorr_grey *grey, kn_error *err);

#endif
