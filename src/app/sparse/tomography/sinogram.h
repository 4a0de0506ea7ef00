// SPDX-License-Identifier: Apache-2.0
// What the counts of a detector and its fields become: sums along rays.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_SINOGRAM_H
#define KN_APP_SPARSE_TOMOGRAPHY_SINOGRAM_H

#include <koine/tomography.h>

// Counts that were checked, in which no number of frames and no bin is 0, as koine/tomography.h has them.
// KN_ERROR_MEMORY, before anything is written.
kn_status ki_sparse_take_logs(const kn_tomography_counts *counts, double *sinogram, kn_error *err);

#endif
