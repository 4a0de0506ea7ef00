// SPDX-License-Identifier: Apache-2.0
// The timing of one problem in several places.
#ifndef KN_TOOLS_COMPARE_MEASURE_H
#define KN_TOOLS_COMPARE_MEASURE_H

#include "compare.h"

struct measure_limits {
    size_t repetitions; // requested number
    size_t least;       // done even if time runs out
    double seconds;     // time limit, after which no more than `least` are done
    double patience;    // limit for these and the warm-up, estimated from the size before (run.c)
};

// The part of one place. `row` receives the times and the verdict; a place whose verdict is not COMPARE_RIGHT
// is skipped.
struct measured {
    struct compare_work work;
    struct compare_row *row;
    double *wall, *device; // seconds of each repetition
    size_t count;
    double spent;
};

// Warms up, times and checks all places. KN_ERROR_MEMORY if the host runs out of memory; the failures of a
// device are recorded in its row.
kn_status measure_places(struct measured *places, size_t count, const struct measure_limits *limits,
                         kn_error *err);

// Marks a row as failed, or as left out if the device lacks something that is needed.
void measure_failed(struct measured *place, const kn_error *err);

// The median, the least and the greatest sample. Sorts the samples.
struct compare_times measure_times(double *samples, size_t count);

#endif
