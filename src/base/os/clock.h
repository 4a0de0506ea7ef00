// SPDX-License-Identifier: Apache-2.0
// Measuring time.
#ifndef KN_BASE_CLOCK_H
#define KN_BASE_CLOCK_H

#include <time.h>

// Seconds of a monotonic clock; only differences have a meaning.
static inline double ki_clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
