// SPDX-License-Identifier: Apache-2.0
// The source's comparison (Lu et al. 2009, figures 6, 7 and 9): one image by every method, for growing R.
#ifndef KN_APP_AUTOCORR_VARIANTS_H
#define KN_APP_AUTOCORR_VARIANTS_H

#include "methods.h"

enum { AUTOCORR_LADDER_MAX = 16 };

struct autocorr_variants {
    size_t offsets[AUTOCORR_LADDER_MAX]; // R: 16, 32, ... and the greatest
    size_t offset_count;
    enum autocorr_method methods[AUTOCORR_METHODS]; // those that run here, in their order, naive first
    size_t method_count;
    // By methods and offsets: what a caller waits, images to the device and sums back; and how many sums are
    // not naive's.
    double seconds[AUTOCORR_METHODS][AUTOCORR_LADDER_MAX];
    size_t differ[AUTOCORR_METHODS][AUTOCORR_LADDER_MAX];
    enum autocorr_method against; // whose speed-up over the others figure 9 has: two-line, or the last
};

// Each is computed once, on a device twice, and up to five times while that takes less than half a second:
// the least time counts, without compiling. `queue` NULL: the host's methods alone. `progress` may be NULL.
// Errors: those of the methods; KN_ERROR_MEMORY.
kn_status autocorr_variants_run(kn_queue *queue, const struct autocorr_task *task,
                                void (*progress)(void *context, double done), void *context,
                                struct autocorr_variants *variants, kn_error *err);

// How often the time of one goes into that of another, at the offset of that number.
double autocorr_speed_up(const struct autocorr_variants *variants, enum autocorr_method of,
                         enum autocorr_method over, size_t offset);

#endif
