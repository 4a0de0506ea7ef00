// SPDX-License-Identifier: Apache-2.0
// Sinograms from measured tomography: counts of a detector and its fields become sums along rays.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_SINOGRAM_H
#define KN_APP_SPARSE_TOMOGRAPHY_SINOGRAM_H

#include "parallel.h"

// Counts of one slice, frame after frame. A field's frames are averaged.
struct sparse_counts {
    const char *name; // whose they are, for messages
    size_t angles, detectors;
    const double *counts;       // angles x detectors
    const double *white, *dark; // white_frames x detectors without the object, dark_frames x detectors
                                // without the beam. NULL white: the counts are -log already; NULL dark: 0
    size_t white_frames, dark_frames;
    size_t bin; // so many neighbouring detectors become one, their counts added; 0 and 1: none. Detectors
                // that are left over at the end are left out
};

struct sparse_sinogram {
    size_t slices; // that the file has
    size_t angles, detectors;
    double *values; // angles x detectors, a projection's together: -log of the part of the beam that is left,
                    // the sum of the absorption along the ray. In pixels as wide as the binned detectors, a
                    // picture of it has the absorption a pixel
    double *theta;  // radians, one a projection
};

// Fills in the sizes and `values` of an empty sinogram. What is -log already is binned to its mean. The part
// of the beam is at least 1e-6; a detector whose white field is no brighter than its dark one says nothing,
// and counts as 0. The caller frees it. KN_ERROR_MEMORY.
kn_status ki_sparse_sinogram_from_counts(const struct sparse_counts *counts, struct sparse_sinogram *out,
                                         kn_error *err);
void ki_sparse_sinogram_free(struct sparse_sinogram *sinogram);

// The geometry of its rays: `axis` in binned detectors, not-a-number for their middle; the picture is as wide
// as the detectors. The caller frees it by ki_sparse_parallel_free. Errors as ki_sparse_parallel_check;
// KN_ERROR_MEMORY.
kn_status ki_sparse_sinogram_geometry(const struct sparse_sinogram *sinogram, double axis,
                                      struct sparse_parallel *out, kn_error *err);

#endif
