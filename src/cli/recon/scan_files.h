// SPDX-License-Identifier: Apache-2.0
// A scan, whatever kind of file it comes in. By the name's ending:
//   .h5           ISMRMRD: every acquisition but those of noise, all channels, with their own trajectory
//   .cfl, .npy    k-space [1, samples, spokes, coils] (.npy: (coils, spokes, samples[, 1])), beside a
//                 trajectory
//   .bin          Parboil's mri-q: k, phi and voxels; its Q is the adjoint of |phi|^2 at those voxels
#ifndef KN_CLI_RECON_SCAN_FILES_H
#define KN_CLI_RECON_SCAN_FILES_H

#include <complex.h>

#include <koine/experimental/recon.h>

#include "io/array/parboil.h"

enum { SCAN_AXES = 3 }; // of k

// Parboil's mri-q has no data, but a phase a sample, and voxels of its own.
enum mri_scan_format { MRI_SCAN_ARRAY, MRI_SCAN_ISMRMRD, MRI_SCAN_PARBOIL };

struct mri_scan {
    enum mri_scan_format format;
    kn_recon_matrix matrix;
    const char *matrix_from;       // in words, where it comes from: "--matrix", "its header", ...
    size_t samples, coils, voxels; // voxels: of the matrix, or the positions
    double *k;                     // 3 a sample, cycles per field of view
    double complex *data;          // coils x samples, a coil's samples together; NULL: 1 throughout
    double *weights;               // a sample each; NULL: 1
    double *positions;             // 3 a voxel; NULL: the matrix's own
    kn_recon_range range;          // of k
    size_t noise;                  // acquisitions that were left out
    size_t empty;                  // coils whose samples are all 0
};

struct mri_scan_request {
    const char *path;
    const char *trajectory; // of an array's samples (mri_files.h); NULL: none
    kn_recon_unit unit;     // that k has in the file; Parboil's has none but its own
    enum parboil_order order;
    kn_recon_matrix matrix; // 0 axes: what the file or the trajectory tells
};

// Errors, with the file, what was found and what was expected, all before memory for the samples is taken
// where the sizes tell: KN_ERROR_INPUT for files that cannot be read or are damaged, a trajectory that is
// missing, that has another number of samples than the data, that cannot be one of this matrix in this unit
// (with the likely cause), samples that are no numbers, several images in one file; KN_ERROR_ARGUMENT for an
// input that needs a trajectory or a matrix and has none; KN_ERROR_MEMORY. On failure `scan` is empty.
kn_status mri_scan_read(const struct mri_scan_request *request, struct mri_scan *scan, kn_error *err);
void mri_scan_free(struct mri_scan *scan);

// ---- what was read, checked (scan_settle.c): the matrix and its voxels, k's unit and range, empty coils
// ----

kn_status mri_scan_settle(const struct mri_scan_request *request, struct mri_scan *scan, kn_error *err);

// ---- an ISMRMRD file's part of it (scan_ismrmrd.c): k as in the file, data, coils, samples, noise ----

kn_status mri_scan_ismrmrd(const char *path, struct mri_scan *scan, kn_error *err);

#endif
