// SPDX-License-Identifier: Apache-2.0
// Sinograms, sums along rays: of a detector's counts (sinogram.c), and of a picture, with the way back
// (project.c).
#ifndef KN_APP_SPARSE_TOMOGRAPHY_SINOGRAM_H
#define KN_APP_SPARSE_TOMOGRAPHY_SINOGRAM_H

#include <koine/tomography.h>

#include "app/sparse/product/spmv.h"

// Counts that were checked, in which no number of frames and no bin is 0, as koine/tomography.h has them.
// KN_ERROR_MEMORY, before anything is written.
kn_status ki_sparse_take_logs(const kn_tomography_counts *counts, double *sinogram, kn_error *err);

// to = A from, or with `transposed` A^T from: on the queue's device in single precision, in `format`, or
// without a queue by the host in double. Errors: ki_sparse_operator_create_parallel's, the device's;
// KN_ERROR_ARGUMENT: a number beyond single precision.
kn_status ki_sparse_project(kn_queue *queue, const struct sparse_parallel *geometry, bool transposed,
                            kn_sparse_format format, const double *from, double *to, kn_error *err);

#endif
