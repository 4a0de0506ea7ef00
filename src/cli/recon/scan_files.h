// SPDX-License-Identifier: Apache-2.0
// A scan from any supported kind of file, chosen by the ending of its name:
// .h5: ISMRMRD: every acquisition except those of noise, all channels, with their own trajectory
// .cfl, .npy: k-space [1, samples, spokes, coils] (.npy: (coils, spokes, samples[, 1])), with a trajectory
// .bin: Parboil's mri-q: k, phi and voxels; its Q is the adjoint of |phi|^2 at those voxels
#ifndef KN_CLI_RECON_SCAN_FILES_H
#define KN_CLI_RECON_SCAN_FILES_H

#include <complex.h>

#include <koine/experimental/recon.h>

#include "io/array/parboil.h"

enum { SCAN_AXES = 3 }; // of k

// Parboil's mri-q has a phase for each sample instead of data, and its own list of voxels.
enum mri_scan_format { MRI_SCAN_ARRAY, MRI_SCAN_ISMRMRD, MRI_SCAN_PARBOIL };

struct mri_scan {
    enum mri_scan_format format;
    kn_recon_matrix matrix;
    const char *matrix_from;       // where the matrix comes from, in words: "--matrix", "its header", ...
    size_t samples, coils, voxels; // voxels: of the matrix, or the number of positions
    double *k;                     // 3 numbers for each sample, in cycles per field of view
    double complex *data;          // coils x samples, the samples of a coil contiguous; NULL: all are 1
    double *weights;               // one for each sample; NULL: 1
    double *positions;             // 3 numbers for each voxel; NULL: those of the matrix
    kn_recon_range range;          // of k
    size_t noise;                  // number of acquisitions left out as noise
    size_t empty;                  // number of coils whose samples are all 0
};

struct mri_scan_request {
    const char *path;
    const char *trajectory; // of the samples of an array (mri_files.h); NULL: none
    kn_recon_unit unit;     // the unit of k in the file; Parboil's files have their own
    enum parboil_order order;
    kn_recon_matrix matrix; // 0 axes: what the file or the trajectory says
};

// Reads a scan. Error messages name the file, what was found and what was expected; wrong sizes are refused
// before memory for the samples is allocated. KN_ERROR_INPUT: a file that cannot be read or is damaged; a
// trajectory that is missing, has another number of samples than the data, or is impossible for this matrix
// and unit (with the likely cause); samples that are not numbers; several images in one file.
// KN_ERROR_ARGUMENT: the input needs a trajectory or a matrix and none is given. KN_ERROR_MEMORY. On failure
// `scan` is empty.
kn_status mri_scan_read(const struct mri_scan_request *request, struct mri_scan *scan, kn_error *err);
void mri_scan_free(struct mri_scan *scan);

// ---- checks after reading (scan_settle.c): the matrix and its voxels, unit and range of k, empty coils ----

kn_status mri_scan_settle(const struct mri_scan_request *request, struct mri_scan *scan, kn_error *err);

// ---- reading an ISMRMRD file (scan_ismrmrd.c): k as in the file, data, coils, samples, noise ----

kn_status mri_scan_ismrmrd(const char *path, struct mri_scan *scan, kn_error *err);

#endif
