// SPDX-License-Identifier: Apache-2.0
// A picture's sinogram, or what a sinogram gives back, by the host or a device.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_PROJECT_H
#define KN_APP_SPARSE_TOMOGRAPHY_PROJECT_H

#include "app/sparse/product/spmv.h"

// to = A from, or with `transposed` A^T from: on the queue's device in single precision, in `format`, or
// without a queue by the host in double. Errors: ki_sparse_operator_create_parallel's, the device's;
// KN_ERROR_ARGUMENT: a number beyond single precision.
kn_status ki_sparse_project(kn_queue *queue, const struct sparse_parallel *geometry, bool transposed,
                            kn_sparse_format format, const double *from, double *to, kn_error *err);

#endif
