// SPDX-License-Identifier: Apache-2.0
// Sinograms from measured tomography: HDF5 files as synchrotrons write them (Data Exchange; De Carlo and
// others 2014), with projections in exchange/data, fields without the object in exchange/data_white, without
// the beam in exchange/data_dark, and the angles in exchange/theta.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_SINOGRAM_H
#define KN_APP_SPARSE_TOMOGRAPHY_SINOGRAM_H

#include "parallel.h"

struct sparse_sinogram_options {
    size_t slice; // which one, from 0
    size_t bin;   // so many neighbouring detectors become one, their counts added; 0 and 1: none. Detectors
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

// Reads one slice. Numbers of any type; fields are averaged. Without exchange/data_dark it is 0; without
// exchange/data_white the projections are taken for -log already, and binned to their mean. Angles are in
// degrees, as the format has them; without exchange/theta they are even over half a turn. The part of the
// beam is at least 1e-6; a detector whose white field is no brighter than its dark one says nothing, and
// counts as 0. The caller frees it. Errors: KN_ERROR_INPUT, with the file, what it has and what was expected,
// for a file that is none or damaged, without exchange/data, of other dimensions, sizes that disagree, that
// are more than sparse_parallel_check takes or that the file is too short for, numbers that are not finite, a
// dark field without a white one, a slice it has not; KN_ERROR_ARGUMENT: a bin wider than the detectors;
// KN_ERROR_MEMORY; KN_ERROR_UNSUPPORTED without libhdf5. On failure `out` is empty.
kn_status sparse_read_sinogram(const char *path, const struct sparse_sinogram_options *options,
                               struct sparse_sinogram *out, kn_error *err);
void sparse_sinogram_free(struct sparse_sinogram *sinogram);

// The geometry of its rays: `axis` in binned detectors, not-a-number for their middle; the picture is as wide
// as the detectors. The caller frees it by sparse_parallel_free. Errors as sparse_parallel_check;
// KN_ERROR_MEMORY.
kn_status sparse_sinogram_geometry(const struct sparse_sinogram *sinogram, double axis,
                                   struct sparse_parallel *out, kn_error *err);

#endif
