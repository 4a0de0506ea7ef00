// SPDX-License-Identifier: Apache-2.0
// The source's comparison (Lu et al. 2009, figures 6, 7 and 9): one image by every method, for growing R.
#ifndef KN_APP_AUTOCORR_SERIES_VARIANTS_H
#define KN_APP_AUTOCORR_SERIES_VARIANTS_H

#include "app/autocorr/methods.h"

enum { AUTOCORR_LADDER_MAX = 16, AUTOCORR_VARIANTS_MAX = AUTOCORR_METHODS };

struct autocorr_variants {
    size_t offsets[AUTOCORR_LADDER_MAX]; // R: 16, 32, ... and the greatest
    size_t offset_count;
    struct autocorr_variant {
        kn_autocorr_method method;
        bool on_device;
        const char *name; // "fft-host" and the method's name otherwise
        // By offsets: what a caller waits, images to the device and sums back; and how many sums are not
        // naive's within the bound that the method states.
        double seconds[AUTOCORR_LADDER_MAX];
        size_t differ[AUTOCORR_LADDER_MAX];
    } items[AUTOCORR_VARIANTS_MAX]; // those that run here, naive first
    size_t count;
    size_t against; // whose speed-up over the others figure 9 has: two-line's, or the last one's
};

// Without `exact` transforms are in single precision. Each is computed once, on a device twice, and up to
// five times while that takes less than half a second: the least time counts, without compiling. `queue`
// NULL: the host's methods alone. `progress` may be NULL. Errors: those of the methods; KN_ERROR_MEMORY.
kn_status ki_autocorr_variants_run(kn_queue *queue, const struct autocorr_task *task, bool exact,
                                   void (*progress)(void *context, double done), void *context,
                                   struct autocorr_variants *variants, kn_error *err);

#endif
