// SPDX-License-Identifier: Apache-2.0
// Moments of a column on a device. The host computes its results from sums in the same way
// (host/stats/moments_finish.h).
#ifndef KN_ALGO_MOMENTS_H
#define KN_ALGO_MOMENTS_H

#include <koine/reduce.h>

#include "host/stats/moments_finish.h"

// How moments of floats are launched on a GPU: it changes the speed, never the bits. `group` 0: as in
// kn_reduce_moments; other fields 0: the defaults of cl/algo/moments.cl, one turn, no limit.
struct moments_tuning {
    unsigned group, width;  // as in cl/algo/reduce.cl
    unsigned unroll, ahead; // as in cl/algo/moments.cl
    unsigned turns;         // cells that a group computes, one after the other
    unsigned fold;          // work-items in a group that folds the cells
    unsigned registers;     // kn_program_options' max_registers
};

// kn_reduce_moments for a column that has been checked, n > 0.
kn_status ki_moments_tuned(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const double *shift,
                           const struct moments_tuning *tuning, kn_moments *moments, kn_error *err);

#endif
