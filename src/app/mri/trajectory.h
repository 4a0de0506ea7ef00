// SPDX-License-Identifier: Apache-2.0
// Trajectories: where in k-space the samples lie. All in the convention of mri.h: cycles per field of view,
// three numbers a sample.
//
// With D samples a spoke, S spokes, P partitions, a matrix of N, and t = (j - floor(D/2)) N/D for sample j:
//   radial     diameters at angles pi s/S in the plane: (t cos, t sin)
//   golden     the same at s pi (sqrt(5)-1)/2, 111.246 degrees apart (Winkelmann et al., IEEE TMI 26, 2007)
//   spiral     Archimedean arms, turned by 2 pi s/S: radius (N/2) u at N/(2S) u turns, u = sqrt(j/D), which
//   is about
//              uniform along the arm; neighbouring arms are 1 apart
//   kooshball  diameters of a ball by the two-dimensional golden means (Chan et al., MRM 61, 2009):
//   cos(theta) =
//              frac(0.46557 s), phi = 2 pi frac(0.68233 s)
//   stack      radial in each of P planes kz = p - floor(P/2)
//   cartesian  lines along kx at ky = s - floor(S/2), kz = p - floor(P/2)
// Order: partitions, in them spokes, in them samples. A sample of each diameter and line is at t = 0.
#ifndef KN_APP_MRI_TRAJECTORY_H
#define KN_APP_MRI_TRAJECTORY_H

#include <stdbool.h>

#include "mri.h"

enum trajectory_kind {
    TRAJECTORY_RADIAL,
    TRAJECTORY_GOLDEN,
    TRAJECTORY_SPIRAL,
    TRAJECTORY_KOOSHBALL,
    TRAJECTORY_STACK,
    TRAJECTORY_CARTESIAN,
    TRAJECTORY_KINDS
};

extern const char *const ki_trajectory_names[TRAJECTORY_KINDS + 1]; // "radial", ...; ends in NULL

// 0 stands for: as many as the others ask for (trajectory_plan).
struct trajectory_plan {
    enum trajectory_kind kind;
    size_t samples;    // of a spoke, a spiral's arm or a line
    size_t spokes;     // in a partition
    size_t partitions; // only stack and cartesian have more than 1
    size_t extent;     // the matrix's size N in the plane (kooshball: everywhere): k goes to N/2
};

// Fills in what is 0: N = samples, and samples = N, 128 if both are; spokes that sample k-space densely up to
// its edge: pi/2 N (kooshball: pi/2 N^2), cartesian N; 16 partitions of a stack. A spiral has 16 arms and pi
// N^2 / (4 S) samples each, or the N that its samples are dense for. KN_ERROR_ARGUMENT for partitions where
// there are none, and for more samples than memory can have.
kn_status ki_trajectory_plan(struct trajectory_plan *plan, kn_error *err);

// Of a plan that is filled in: its samples, the matrix that it is for, and k[3 points].
size_t ki_trajectory_points(const struct trajectory_plan *plan);
struct mri_matrix ki_trajectory_matrix(const struct trajectory_plan *plan);
void ki_trajectory_fill(const struct trajectory_plan *plan, double *k);

// ---- anybody's trajectory ----

enum trajectory_unit {
    TRAJECTORY_FOV,        // cycles per field of view, as here and in BART: up to N/2
    TRAJECTORY_RADIANS,    // radians per voxel: up to pi
    TRAJECTORY_NORMALIZED, // cycles per voxel: up to 1/2
    TRAJECTORY_UNITS
};

extern const char *const ki_trajectory_unit_names[TRAJECTORY_UNITS + 1]; // "fov", ...; ends in NULL

// To cycles per field of view, in place.
void ki_trajectory_convert(enum trajectory_unit unit, const struct mri_matrix *matrix, double *k,
                           size_t samples);

struct trajectory_range {
    double low[MRI_AXES], high[MRI_AXES]; // 0 where there is no sample
    size_t centre;                        // samples at k = 0
};

struct trajectory_range ki_trajectory_range(const double *k, size_t samples);

// Refuses what cannot be a trajectory of this matrix in cycles per field of view: not a number, more than a
// cycle outside of the band N/2, or with two axes a kz that is not 0. KN_ERROR_INPUT, with the file, the
// sample and the likely cause.
kn_status ki_trajectory_check(const char *file, const struct mri_matrix *matrix, const double *k,
                              size_t samples, kn_error *err);

// The unit in which such a range would be usual if it is not this one, TRAJECTORY_FOV if nothing is odd: all
// of a trajectory for 8 voxels or more within 1/2, or within pi.
enum trajectory_unit ki_trajectory_likely_unit(const struct mri_matrix *matrix,
                                               const struct trajectory_range *range);

#endif
