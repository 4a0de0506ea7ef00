// SPDX-License-Identifier: Apache-2.0
// Frames of a series, decoded by several threads ahead of those who take them, in their order.
#ifndef KN_APP_AUTOCORR_PREPARE_READER_H
#define KN_APP_AUTOCORR_PREPARE_READER_H

#include "prepare.h"

struct autocorr_decoded {
    struct autocorr_grey grey;         // the taker frees its pixels; NULL if it could not be read
    struct autocorr_prepared prepared; // and this
    double energy;                     // ki_autocorr_energy, where it was asked for; else 0
    kn_error error;                    // and why
};

struct autocorr_reader_options {
    unsigned threads;                               // 0: as many as ki_threads gives
    size_t ahead;                                   // frames that are in memory at most, at least 1
    const struct autocorr_preparation *preparation; // in the thread that decoded it; NULL: nothing is done
    bool energies;                                  // of what was decoded and prepared, there, too:
    const struct autocorr_region *region;           // of this part of it; NULL: of all
};

struct autocorr_reader;

// Starts the threads. `frames` must stay. KN_ERROR_MEMORY.
kn_status ki_autocorr_reader_open(const struct autocorr_film *frames,
                                  const struct autocorr_reader_options *options,
                                  struct autocorr_reader **reader, kn_error *err);

// The next frame, in their order. False where there is none: all were taken, or, without
// `wait`, it is not decoded yet.
bool ki_autocorr_reader_next(struct autocorr_reader *reader, bool wait, struct autocorr_decoded *decoded);

// Ends the threads, also before all frames were taken. `decode`, if not NULL: the seconds of decoding, of
// all threads together. NULL is no reader.
void ki_autocorr_reader_close(struct autocorr_reader *reader, double *decode);

#endif
