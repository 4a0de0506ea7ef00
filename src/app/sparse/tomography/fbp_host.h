// SPDX-License-Identifier: Apache-2.0
// The host's back-projection of filtered rows: the data that fbp_host.c prepares, and its loop for a
// processor.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_FBP_HOST_H
#define KN_APP_SPARSE_TOMOGRAPHY_FBP_HOST_H

#include "host/simd/levels.h"
#include "parallel.h"

enum {
    SPARSE_FBP_VECTORS = 8, // neighbouring pixels are summed at once, in at most this many vectors
    SPARSE_FBP_LANES = 16,  // lanes of a vector
    SPARSE_FBP_CHUNK = SPARSE_FBP_VECTORS * SPARSE_FBP_LANES,
    SPARSE_FBP_MARGIN = SPARSE_FBP_CHUNK + 16 // zeros before and after a row, which a chunk may read
};

// Filtered projections, `stride` numbers apart, detector 0 of each at SPARSE_FBP_MARGIN.
struct sparse_fbp_rows {
    const struct sparse_view *views;
    size_t angles, detectors, size, stride;
    const void *rows;
};

struct sparse_fbp_code {
    const char *name;
    // Computes line `line` of the picture.
    void (*back)(const struct sparse_fbp_rows *rows, size_t line, void *to);
};

HOST_DECLARE_LEVELS(const struct sparse_fbp_code, sparse_fbp);

#endif
