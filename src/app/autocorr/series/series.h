// SPDX-License-Identifier: Apache-2.0
// From frames to the correlation, the azimuthal average and the lengths of each frame. Frames are decoded by
// several threads while others are computed, several at once on a device.
#ifndef KN_APP_AUTOCORR_SERIES_SERIES_H
#define KN_APP_AUTOCORR_SERIES_SERIES_H

#include "app/autocorr/methods.h"
#include "app/autocorr/normalize.h"
#include "app/autocorr/radial.h"
#include "app/autocorr/prepare/reader.h"
#include "app/autocorr/verify.h"

struct autocorr_settings {
    size_t max_offset; // 0: a quarter of the first frame's shorter side, at least 1 where there is one, at
                       // most 250
    kn_autocorr_normalization normalization;
    const struct autocorr_region *region; // NULL: all of each frame
    const struct autocorr_grey *mask;     // where it is 0 pixels do not count; NULL: all do
    const struct autocorr_grey *with;     // the second image of each frame; NULL: itself
    bool one_size;                        // frames of another size than the first one's are refused
    bool products, values;                // are wanted of each frame, beside its rings and lengths
    size_t verify;                        // offsets of each frame
    uint64_t seed;
    unsigned threads;                               // that decode; 0: all
    const struct autocorr_preparation *preparation; // NULL: frames are taken as they are
};

// What of a frame is correlated: `mask` has the bytes of the settings' mask; max_offset 0 is chosen as above.
// Errors, with `file`: KN_ERROR_INPUT for a mask of another size, and ki_autocorr_check's and
// ki_autocorr_crop's.
kn_status ki_autocorr_make_task(const struct autocorr_settings *settings, const uint8_t *mask,
                                const char *file, const struct autocorr_grey *grey, size_t max_offset,
                                struct autocorr_task *task, kn_error *err);
// A mask's bytes, 0 where it is black; NULL for none. The caller frees them. KN_ERROR_MEMORY.
kn_status ki_autocorr_mask_bytes(const struct autocorr_grey *mask, uint8_t **bytes, kn_error *err);

// What came of a frame.
struct autocorr_frame {
    struct autocorr_source source;
    size_t index;         // in the series, from 0
    size_t width, height; // of what was correlated
    size_t max_offset;
    bool colour, stretched; // as in struct autocorr_grey
    struct autocorr_prepared prepared;
    uint64_t *products;          // over the offsets; may be NULL where they are not wanted
    double *values;              // over the offsets, normalised; NULL likewise
    struct ki_kept *kept;        // where the values are from; NULL: none is kept
    struct autocorr_ring *rings; // R + 1
    bool rings_on_device;        // they were made there (device_radial.h), else by the host
    kn_autocorr_lengths lengths;
    kn_autocorr_method method; // that ran
    double bound;              // of the sums' errors; 0: they are exact
    struct autocorr_verified verified;
    double seconds;  // of computing: its share of those that were computed together
    kn_error *error; // why there is nothing of it; NULL: there is
};

void ki_autocorr_frame_free(struct autocorr_frame *frame);

// Is told of each frame, in order, and may take arrays over by setting their pointers to NULL. What it
// returns ends the work, unless it is KN_OK.
typedef kn_status autocorr_take(void *context, struct autocorr_frame *frame, kn_error *err);

struct autocorr_pipeline {
    size_t frames, failed;
    unsigned decoders;
    double decode;       // seconds of all decoding threads together
    double wait;         // for a frame to be decoded
    double analyse;      // from sums to lengths, on the host
    size_t batches;      // of frames that were computed together
    size_t overlapped;   // batches that were copied to the device while the one before was there
    size_t device_rings; // frames whose rings the device made
};

// On a device two batches of frames are under way, one being copied while the other is computed, and of a
// frame its rings alone come back, and what else is wanted. A frame that cannot be read or correlated is told
// of as one, and the others are done. Errors: what `take`
// returned; KN_ERROR_MEMORY and errors of the device, which are not a frame's own.
kn_status ki_autocorr_series(struct autocorr_engine *engine, const struct autocorr_film *frames,
                             const struct autocorr_settings *settings, autocorr_take *take, void *context,
                             struct autocorr_pipeline *pipeline, kn_error *err);

#endif
