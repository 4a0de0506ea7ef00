// SPDX-License-Identifier: Apache-2.0
// Trajectories: the positions of samples in k-space, in the convention of mri.h: cycles per field of view,
// three numbers per sample. koine/recon.h describes each kind.
#ifndef KN_APP_MRI_TRAJECTORY_H
#define KN_APP_MRI_TRAJECTORY_H

#include <koine/experimental/recon.h>

#include "mri.h"

#define TRAJECTORY_KINDS (KN_RECON_TRAJECTORY_CARTESIAN + 1)
#define TRAJECTORY_UNITS (KN_RECON_UNIT_NORMALIZED + 1)

// "radial", ...; ends with NULL
extern const char *const ki_trajectory_names[TRAJECTORY_KINDS + 1];

// Fills in the fields that are 0: N = samples, and samples = N, 128 if both are 0; as many spokes as sample
// k-space densely up to its edge: pi/2 N (kooshball: pi/2 N^2), cartesian N; 16 partitions for a stack. A
// spiral has 16 arms with pi N^2 / (4 S) samples each, or the N for which its samples are dense.
// KN_ERROR_ARGUMENT for partitions of a kind without partitions, and for more samples than memory can have.
kn_status ki_trajectory_plan(kn_recon_trajectory *plan, kn_error *err);

// For a plan that is filled in: the number of samples, the matrix for which it is meant, and k[3 points].
size_t ki_trajectory_points(const kn_recon_trajectory *plan);
kn_recon_matrix ki_trajectory_matrix(const kn_recon_trajectory *plan);
void ki_trajectory_fill(const kn_recon_trajectory *plan, double *k);

// ---- any trajectory: see also koine/experimental/recon.h ----

extern const char *const ki_trajectory_unit_names[TRAJECTORY_UNITS + 1]; // "fov", ...; ends with NULL

// Converts k to cycles per field of view, in place.
void ki_trajectory_convert(kn_recon_unit unit, const kn_recon_matrix *matrix, double *k, size_t samples);

// Refuses numbers that cannot be a trajectory for this matrix in cycles per field of view: a number that is
// not finite, more than a cycle outside of the band N/2, or, with two axes, a kz that is not 0.
// KN_ERROR_INPUT, with the file, the sample and the likely cause.
kn_status ki_trajectory_check(const char *file, const kn_recon_matrix *matrix, const double *k,
                              size_t samples, kn_error *err);

#endif
