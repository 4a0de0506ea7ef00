// SPDX-License-Identifier: Apache-2.0
// Sinograms from HDF5 files as synchrotrons write them (Data Exchange; De Carlo and others 2014), with
// projections in exchange/data, fields without the object in exchange/data_white, without the beam in
// exchange/data_dark, and the angles in exchange/theta.
#ifndef KN_CLI_INPUTS_SINOGRAM_FILES_H
#define KN_CLI_INPUTS_SINOGRAM_FILES_H

#include "app/sparse/tomography/sinogram.h"

struct sparse_sinogram_options {
    size_t slice; // which one, from 0
    size_t bin;   // as in struct sparse_counts
};

// Reads one slice. Numbers of any type; fields are averaged. Without exchange/data_dark it is 0; without
// exchange/data_white the projections are taken for -log already (sinogram.h). Angles are in degrees, as the
// format has them; without exchange/theta they are even over half a turn. The caller frees it. Errors:
// KN_ERROR_INPUT, with the file, what it has and what was expected, for a file that is none or damaged,
// without exchange/data, of other dimensions, sizes that disagree, that are more than
// ki_sparse_parallel_check takes or that the file is too short for, numbers that are not finite, a dark field
// without a white one, a slice it has not; KN_ERROR_ARGUMENT: a bin wider than the detectors;
// KN_ERROR_MEMORY; KN_ERROR_UNSUPPORTED without libhdf5. On failure `out` is empty.
kn_status sparse_read_sinogram(const char *path, const struct sparse_sinogram_options *options,
                               struct sparse_sinogram *out, kn_error *err);

#endif
