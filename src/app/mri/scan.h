// SPDX-License-Identifier: Apache-2.0
// A scan as the arrays of mri.h: where its samples lie and what was measured there.
#ifndef KN_APP_MRI_SCAN_H
#define KN_APP_MRI_SCAN_H

#include "trajectory.h"

// Where a scan comes from. Parboil's mri-q has no data, but a phase a sample, and voxels of its own.
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

// What is known of a scan beside its arrays.
struct mri_scan_terms {
    const char *name;       // whose data they are, for messages
    const char *trajectory; // whose trajectory, if it is another; else NULL
    kn_recon_unit unit;     // of k. Parboil's has none but its own
    kn_recon_matrix matrix; // 0 axes: what the scan has already, or the trajectory tells
};

// Checks the arrays of a scan that was just read, and settles the rest: the matrix and its voxels, k in
// cycles per field of view and its range, the empty coils. Errors, with the name, what was found and what was
// expected: KN_ERROR_INPUT for no samples, a trajectory that cannot be one of this matrix in this unit (with
// the likely cause), samples that are no numbers; KN_ERROR_ARGUMENT for one that needs a matrix and has none.
kn_status ki_mri_scan_settle(const struct mri_scan_terms *terms, struct mri_scan *scan, kn_error *err);

void ki_mri_scan_free(struct mri_scan *scan);

#endif
