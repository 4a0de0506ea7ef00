// SPDX-License-Identifier: Apache-2.0
// What a series needs of a reader of frames (koine/autocorr.h) beyond the public functions.
#ifndef KN_APP_AUTOCORR_PREPARE_READER_H
#define KN_APP_AUTOCORR_PREPARE_READER_H

#include "grey.h"

struct autocorr_decoded {
    kn_autocorr_grey grey;         // the receiver frees its pixels; NULL if it could not be read
    kn_autocorr_prepared prepared; // and this
    double energy;                 // ki_autocorr_energy, if it was requested; else 0
    kn_error error;                // and why
};

struct autocorr_reading {
    unsigned threads;                           // 0: as many as ki_threads gives
    size_t ahead;                               // the most frames in memory, at least 1
    const kn_autocorr_preparation *preparation; // done by the thread that decoded it; NULL: nothing is done
    bool energies;                              // computed by the same thread, after preparation:
    const kn_autocorr_region *region;           // of this part of it; NULL: of all
    const uint8_t *mask;                        // in this mask, a byte a pixel; NULL: there is none
    size_t mask_width, mask_height;
};

// Starts the threads. What `source` points to must stay. KN_ERROR_MEMORY.
kn_status ki_autocorr_reader_open(const kn_autocorr_source *source, const struct autocorr_reading *reading,
                                  kn_autocorr_reader **reader, kn_error *err);

// The next frame, in order. False if there is none: all were taken, or, without `wait`, the next is not
// decoded yet.
bool ki_autocorr_reader_next(kn_autocorr_reader *reader, bool wait, struct autocorr_decoded *decoded);

#endif
