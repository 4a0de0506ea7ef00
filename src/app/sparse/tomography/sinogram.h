// SPDX-License-Identifier: Apache-2.0
// Sinograms, which are sums along rays: from a detector's counts (sinogram.c), and from a picture, with the
// transposed product (project.c).
#ifndef KN_APP_SPARSE_TOMOGRAPHY_SINOGRAM_H
#define KN_APP_SPARSE_TOMOGRAPHY_SINOGRAM_H

#include <koine/tomography.h>

#include "app/sparse/product/spmv.h"

// Counts that have been checked, with at least one frame per field and a bin of at least 1, as in
// koine/tomography.h. KN_ERROR_MEMORY, before anything is written.
kn_status ki_sparse_take_logs(const kn_tomography_counts *counts, double *sinogram, kn_error *err);

// to = A from, or with `transposed` A^T from: on the queue's device in single precision, in `format`, or,
// without a queue, on the host in double precision. Errors: those of ki_sparse_operator_create_parallel and
// of the device; KN_ERROR_ARGUMENT: a number beyond single precision.
kn_status ki_sparse_project(kn_queue *queue, const struct sparse_parallel *geometry, bool transposed,
                            kn_sparse_format format, const double *from, double *to, kn_error *err);

#endif
