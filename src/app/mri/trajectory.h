// SPDX-License-Identifier: Apache-2.0
// Trajectories: where in k-space the samples lie, in the convention of mri.h: cycles per field of view, three
// numbers a sample. koine/recon.h says what each kind is.
#ifndef KN_APP_MRI_TRAJECTORY_H
#define KN_APP_MRI_TRAJECTORY_H

#include <koine/experimental/recon.h>

#include "mri.h"

#define TRAJECTORY_KINDS (KN_RECON_TRAJECTORY_CARTESIAN + 1)
#define TRAJECTORY_UNITS (KN_RECON_UNIT_NORMALIZED + 1)

// "radial", ...; ends in NULL
extern const char *const ki_trajectory_names[TRAJECTORY_KINDS + 1];

// Fills in what is 0: N = samples, and samples = N, 128 if both are; spokes that sample k-space densely up to
// its edge: pi/2 N (kooshball: pi/2 N^2), cartesian N; 16 partitions of a stack. A spiral has 16 arms and pi
// N^2 / (4 S) samples each, or the N that its samples are dense for. KN_ERROR_ARGUMENT for partitions where
// there are none, and for more samples than memory can have.
kn_status ki_trajectory_plan(kn_recon_trajectory *plan, kn_error *err);

// Of a plan that is filled in: its samples, the matrix that it is for, and k[3 points].
size_t ki_trajectory_points(const kn_recon_trajectory *plan);
kn_recon_matrix ki_trajectory_matrix(const kn_recon_trajectory *plan);
void ki_trajectory_fill(const kn_recon_trajectory *plan, double *k);

// ---- anybody's trajectory: see also koine/experimental/recon.h ----

extern const char *const ki_trajectory_unit_names[TRAJECTORY_UNITS + 1]; // "fov", ...; ends in NULL

// To cycles per field of view, in place.
void ki_trajectory_convert(kn_recon_unit unit, const kn_recon_matrix *matrix, double *k, size_t samples);

// Refuses what cannot be a trajectory of this matrix in cycles per field of view: not a number, more than a
// cycle outside of the band N/2, or with two axes a kz that is not 0. KN_ERROR_INPUT, with the file, the
// sample and the likely cause.
kn_status ki_trajectory_check(const char *file, const kn_recon_matrix *matrix, const double *k,
                              size_t samples, kn_error *err);

#endif
