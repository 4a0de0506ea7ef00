// SPDX-License-Identifier: Apache-2.0
// The timing of one problem in several places.
#ifndef KN_TOOLS_COMPARE_MEASURE_H
#define KN_TOOLS_COMPARE_MEASURE_H

#include "compare.h"

struct measure_limits {
    size_t repetitions; // wanted
    size_t least;       // done in any case
    double seconds;     // after which no more than `least` are done
    double patience;    // what they and the warm-up may take; the size before tells (run.c)
};

// One place's part. `row` receives the times and the verdict; a place whose verdict is not COMPARE_RIGHT is
// not used.
struct measured {
    struct compare_work work;
    struct compare_row *row;
    double *wall, *device; // seconds of each repetition
    size_t count;
    double spent;
};

// Warms up, times and checks all of them. KN_ERROR_MEMORY: the host's; what a device does wrong is in its
// row.
kn_status measure_places(struct measured *places, size_t count, const struct measure_limits *limits,
                         kn_error *err);

// Marks a row as failed, or, if the device lacks what is needed, as left out.
void measure_failed(struct measured *place, const kn_error *err);

// The median, the least and the most. Sorts the samples.
struct compare_times measure_times(double *samples, size_t count);

#endif
