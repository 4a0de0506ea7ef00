// SPDX-License-Identifier: Apache-2.0
// The host's back-projection of filtered panels: the data that fdk_host.c prepares, and its loop for a
// processor.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_CONE_FDK_HOST_H
#define KN_APP_SPARSE_TOMOGRAPHY_CONE_FDK_HOST_H

#include <stdbool.h>

#include "app/sparse/tomography/parallel.h"
#include "host/simd/levels.h"

enum {
    SPARSE_FDK_LANES = 16, // at most, of a vector
    SPARSE_FDK_TILE = 8, // pixels on each side of a tile, which a thread sums at a time: they see few columns
    SPARSE_FDK_FIRST = 1, // zeros before the numbers of a column,
    SPARSE_FDK_MORE = 3   // and with those behind
};

// Filtered projections, turned: column k of projection t, the detectors of all lines above one another,
// begins at ((t * (detectors + 2)) + k + 1) * stride, with a zero first and at least two last; columns 0 and
// detectors + 1 are zeros.
struct sparse_fdk_columns {
    const struct sparse_view *views; // of these projections
    const double *weights;
    size_t angles, detectors, lines, size, slices, stride;
    double source, length, axis;
    const void *numbers;
    bool adds; // to the volume
};

struct sparse_fdk_code {
    const char *name;
    // Computes lines `y` to y + SPARSE_FDK_TILE - 1 of all slices of a volume. `column` has room for `stride`
    // numbers.
    void (*back)(const struct sparse_fdk_columns *columns, size_t y, void *column, void *volume);
};

HOST_DECLARE_LEVELS(const struct sparse_fdk_code, sparse_fdk);

#endif
