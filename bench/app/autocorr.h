// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of correlations share.
#ifndef KN_BENCH_AUTOCORR_H
#define KN_BENCH_AUTOCORR_H

#include <stdbool.h>

#include <koine/koine.h>

#include "app/autocorr/autocorr.h"

struct autocorr_job {
    const char *file;
    size_t max_offset, repetitions;
    unsigned threads;
    bool naive, fastest;
    struct autocorr_image image;
    // On a device.
    const char *device; // NULL: on the host
    size_t batch;
    bool tune, ladder;
    const char *listing; // the folder with autocorr_listing.cl
};

// [W (2R + 1) - R (R + 1)] [H (R + 1) - R (R + 1) / 2], where R is less than both sides.
double autocorr_multiplications(const struct autocorr_task *task);

// Whether 200 random offsets are what two loops add up to.
bool autocorr_is_right(const struct autocorr_task *task, const uint64_t *products);

// The methods on a device, timed and checked. False where one was wrong.
bool autocorr_time_device(const struct autocorr_job *job);

// The source's listing 1, timed and checked. False where it was wrong.
bool autocorr_time_listing(const struct autocorr_job *job, kn_queue *queue);

#endif
