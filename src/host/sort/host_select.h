// SPDX-License-Identifier: Apache-2.0
// Selection on the host, with parameters for its tests.
#ifndef KN_HOST_SORT_HOST_SELECT_H
#define KN_HOST_SORT_HOST_SELECT_H

#include "host_sort.h"

struct host_select {
    size_t samples; // 0: chosen by n
    double
        deviation; // a bracket's half width, in square roots of the samples; 0: 3, which misses once in 10^8
    // Results:
    size_t reads;  // number of reads by brackets
    bool missed;   // a bracket did not hold its rank, or held too much
    bool sorted;   // a copy was sorted
    size_t beyond; // number of NaN
};

kn_status ki_host_select(const void *x, kn_type type, size_t n, const size_t *ranks, size_t count,
                         void *values, const struct host_plan *plan, struct host_select *how, kn_error *err);

// The keys of two ranks, first <= last <= first + 1, among n > last encoded ones within [least, most], which
// are rearranged.
void ki_host_quickselect(const struct host_quicksort *quicksort, void *from, size_t n, size_t size,
                         size_t first, size_t last, int64_t least, int64_t most, int64_t found[2]);

#endif
