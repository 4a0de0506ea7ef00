// SPDX-License-Identifier: Apache-2.0
// What a series asks of a reader of frames (koine/autocorr.h) beyond what programs do.
#ifndef KN_APP_AUTOCORR_PREPARE_READER_H
#define KN_APP_AUTOCORR_PREPARE_READER_H

#include "grey.h"

struct autocorr_decoded {
    kn_autocorr_grey grey;         // the taker frees its pixels; NULL if it could not be read
    kn_autocorr_prepared prepared; // and this
    double energy;                 // ki_autocorr_energy, where it was asked for; else 0
    kn_error error;                // and why
};

struct autocorr_reading {
    unsigned threads;                           // 0: as many as ki_threads gives
    size_t ahead;                               // frames that are in memory at most, at least 1
    const kn_autocorr_preparation *preparation; // in the thread that decoded it; NULL: nothing is done
    bool energies;                              // of what was decoded and prepared, there, too:
    const kn_autocorr_region *region;           // of this part of it; NULL: of all
    const uint8_t *mask;                        // in this mask, a byte a pixel; NULL: there is none
    size_t mask_width, mask_height;
};

// Starts the threads. What `source` points to must stay. KN_ERROR_MEMORY.
kn_status ki_autocorr_reader_open(const kn_autocorr_source *source, const struct autocorr_reading *reading,
                                  kn_autocorr_reader **reader, kn_error *err);

// The next frame, in their order. False where there is none: all were taken, or, without
// `wait`, it is not decoded yet.
bool ki_autocorr_reader_next(kn_autocorr_reader *reader, bool wait, struct autocorr_decoded *decoded);

#endif
