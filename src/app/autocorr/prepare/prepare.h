// SPDX-License-Identifier: Apache-2.0
// The source's image preparation (Lu et al. 2009, figure 3), in its order: grey, stabilise, flatten, dust,
// contrast, crop. Between the steps levels are floats; at the end they are rounded to the file's 8 or 16
// bits.
#ifndef KN_APP_AUTOCORR_PREPARE_PREPARE_H
#define KN_APP_AUTOCORR_PREPARE_PREPARE_H

#include "grey.h"

enum autocorr_step {
    AUTOCORR_GREY,
    AUTOCORR_STABILISED,
    AUTOCORR_FLATTENED,
    AUTOCORR_MENDED,
    AUTOCORR_CONTRAST,
    AUTOCORR_CROPPED,
    AUTOCORR_STEPS
};

// "1-grey", "2-stabilised", ..., for files.
extern const char *const ki_autocorr_step_names[AUTOCORR_STEPS];

struct autocorr_preparation_options {
    bool stabilise;                   // against the first frame that can be read
    double flatten;                   // radius in pixels; 0: not
    bool find_dust;                   // or
    const struct autocorr_grey *dust; // what is not black is dust; NULL: not
    bool contrast, contrast_auto;     // from `low` to `high`, or from what the first frame has
    double low, high;
    const struct autocorr_region *crop; // NULL: not
    bool show;                          // keep a picture of each step
};

// What was done to a frame.
struct autocorr_prepared {
    double x, y;                                   // how far it had moved, in pixels
    size_t dust;                                   // pixels that were mended
    double low, high;                              // levels of black and white; 0 both: as they were
    struct autocorr_grey pictures[AUTOCORR_STEPS]; // with `show`: those that ran; else without pixels
};

void ki_autocorr_prepared_free(struct autocorr_prepared *prepared);

struct autocorr_preparation;

// Decodes the first frame that can be, for what is taken from it (if anything is). Frames are borrowed for
// this call, options and what they point to until the end. KN_ERROR_INPUT where there is no such frame,
// with the last one's error; KN_ERROR_MEMORY; ki_autocorr_prepare's errors.
kn_status ki_autocorr_preparation_open(const struct autocorr_film *frames,
                                       const struct autocorr_preparation_options *options,
                                       struct autocorr_preparation **preparation, kn_error *err);
void ki_autocorr_preparation_close(struct autocorr_preparation *preparation); // NULL too

// Prepares a frame in its place; by several threads at once. Errors, with `file`: KN_ERROR_ARGUMENT for a
// region that is not in it; KN_ERROR_INPUT for a size other than the first frame's or the dust's;
// KN_ERROR_MEMORY.
kn_status ki_autocorr_prepare(const struct autocorr_preparation *preparation, const char *file,
                              struct autocorr_grey *grey, struct autocorr_prepared *prepared, kn_error *err);

#endif
