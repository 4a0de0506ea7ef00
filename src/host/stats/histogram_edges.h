// SPDX-License-Identifier: Apache-2.0
// The edges of histograms as elements of a type, so that elements are compared with them exactly.
#ifndef KN_HOST_HISTOGRAM_EDGES_H
#define KN_HOST_HISTOGRAM_EDGES_H

#include <stddef.h>
#include <stdint.h>

#include <koine/types.h>

#include "base/kept.h"

struct histogram_edges {
    struct ki_kept *kept; // the source of the arrays' memory: the caller sets it first; may be NULL
    double *edges;        // bins + 1
    void *least;  // for `used` bins: the least element of the type that is not below the bin's lower edge
    uint64_t top; // the stored bits of the greatest element that is counted
    size_t bins, used; // bins after `used` begin above all elements of the type; 0: nothing is counted
};

// Checks the caller's `edges`, or if that is NULL, makes `bins` bins between low and high. Free it after
// success. Errors: KN_ERROR_ARGUMENT, KN_ERROR_LIMIT, KN_ERROR_MEMORY.
kn_status ki_histogram_edges_make(const char *function, kn_type type, const double *edges, double low,
                                  double high, size_t bins, struct histogram_edges *made, kn_error *err);
void ki_histogram_edges_free(struct histogram_edges *made);

#endif
