// SPDX-License-Identifier: Apache-2.0
// The statistics on a device: sums in the fixed tree, bitonic sort, medians from the sorted column.
#ifndef KN_APP_STATS_DEVICE_H
#define KN_APP_STATS_DEVICE_H

#include <koine/koine.h>

#include "stats.h"

// Seconds spent, by the host's clock, with the device waited for after each.
struct stats_times {
    double build;    // compiling, or fetching from the cache
    double upload;
    double compute;
    double download; // only for columns that are held in parts
};

// Mean, std and CV equal stats_reference to the bit on a device with double precision; median and MAD are exact. A
// column larger than the device's largest allocation is sorted in parts. `times` may be NULL; else it is added to.
// Errors: those of the engine; KN_ERROR_UNSUPPORTED for double precision where there is none; KN_ERROR_MEMORY.
kn_status stats_device(kn_queue *queue, const double *values, size_t n, const struct stats_options *options,
                       struct stats_result *result, struct stats_times *times, kn_error *err);

#endif
