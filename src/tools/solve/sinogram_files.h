// SPDX-License-Identifier: Apache-2.0
// Sinograms from HDF5 files as synchrotrons write them (Data Exchange; De Carlo and others 2014), with
// projections in exchange/data, fields without the object in exchange/data_white, without the beam in
// exchange/data_dark, and the angles in exchange/theta.
#ifndef KN_TOOLS_SOLVE_SINOGRAM_FILES_H
#define KN_TOOLS_SOLVE_SINOGRAM_FILES_H

#include <koine/tomography.h>

struct sparse_sinogram {
    size_t slices; // that the file has
    size_t count;  // that were read
    size_t angles, detectors;
    double *values; // count x angles x detectors, each as kn_tomography_sinogram_from_counts has them. In
                    // pixels as wide as the binned detectors, a picture of it has the absorption a pixel
    double *theta;  // radians, one a projection
};

#define SPARSE_SINOGRAM_ALL ((size_t)-1)
struct sparse_sinogram_options {
    size_t slice; // the first one, from 0
    size_t count; // how many of them; 0: 1; SPARSE_SINOGRAM_ALL: all that follow
    size_t bin;   // as in kn_tomography_counts; 0: 1
};

// Reads one slice or several. Numbers of any type; fields are averaged. Without exchange/data_dark it is 0;
// without exchange/data_white the projections are taken for -log already. Angles are in degrees, as the
// format has them; without exchange/theta they are even over half a turn. The caller frees it by
// sparse_sinogram_free. Errors: KN_ERROR_INPUT, with the file, what it has and what was expected, for a file
// that is none or damaged, without exchange/data, of other dimensions, sizes that disagree, that are more
// than koine/tomography.h takes or that the file is too short for, numbers that are not finite, a dark field
// without a white one, a slice it has not; KN_ERROR_ARGUMENT: a bin wider than the detectors;
// KN_ERROR_MEMORY; KN_ERROR_UNSUPPORTED without libhdf5. On failure `out` is empty.
kn_status sparse_read_sinogram(const char *path, const struct sparse_sinogram_options *options,
                               struct sparse_sinogram *out, kn_error *err);
void sparse_sinogram_free(struct sparse_sinogram *sinogram);

#endif
