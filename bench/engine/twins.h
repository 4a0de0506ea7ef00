// SPDX-License-Identifier: Apache-2.0
// The tasks of bench/twins: what a kernel and its twin both compute, and the check of their results.
#ifndef KN_BENCH_TWINS_H
#define KN_BENCH_TWINS_H

#include <stdbool.h>

#include "bench/bench.h"

struct twins_task {
    const char *file, *kernel; // FILE.cl and FILE.cu, and the kernel's name in both
    double amount;             // of work in one launch
    const char *unit;          // in which 1e-9 amount / second is told: "GB/s"
    kn_range range;
    kn_arg args[6];
    size_t arg_count, constants; // the first `constants` arguments are __constant
    kn_buffer *output;           // among the arguments
    size_t floats;               // in the output
    const float *before;         // what the output holds before a launch; NULL if that does not matter
    void *inputs[3];             // on the host; each task defines their contents
    uint32_t n;
    float factor;
    // The largest error relative to its bound among the results that are looked at (more than 1 is wrong),
    // measured against double precision; `bound` is the largest of the bounds.
    double (*worst)(const struct twins_task *task, const float *found, double *bound);
};

// Each fills `task`, whose address must not change from then on: arguments point into it.
typedef void twins_make(struct twins_task *task, kn_context *context, kn_queue *queue);
twins_make twins_stream, twins_transpose, twins_product, twins_fhd_1, twins_fhd_8;
void twins_free(struct twins_task *task);

#endif
