// SPDX-License-Identifier: Apache-2.0
// Selection on the host with what its tests turn.
#ifndef KN_ALGO_HOST_SELECT_H
#define KN_ALGO_HOST_SELECT_H

#include "host.h"

struct host_select {
    size_t samples;   // 0: chosen by n
    double deviation; // a bracket's half width, in square roots of the samples; 0: 3, which misses once in 10^8
    // What happened:
    size_t reads;  // of brackets
    bool missed;   // a bracket did not hold its rank, or too much
    bool sorted;   // a copy was
    size_t beyond; // NaN
};

kn_status host_select(const void *x, kn_type type, size_t n, const size_t *ranks, size_t count, void *values,
                      const struct host_plan *plan, struct host_select *how, kn_error *err);

#endif
