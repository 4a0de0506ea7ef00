// SPDX-License-Identifier: Apache-2.0
// A picture's sinogram, or what a sinogram gives back, by the host or a device.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_PROJECT_H
#define KN_APP_SPARSE_TOMOGRAPHY_PROJECT_H

#include "base/text.h"
#include "app/sparse/product/spmv.h"

struct sparse_projection {
    const struct sparse_parallel *geometry;
    bool transposed;         // from a sinogram to a picture
    kn_sparse_format format; // of a device; in, and what was used, out
    struct ki_text why;      // of KN_SPARSE_AUTO what each took; the caller frees it
};

// to = A from, or A^T from: on the queue's device in single precision, or without a queue by the host in
// double. Errors: ki_sparse_operator_create_parallel's, the device's; KN_ERROR_ARGUMENT: a number beyond
// single precision.
kn_status ki_sparse_project(kn_queue *queue, struct sparse_projection *projection, const double *from,
                            double *to, kn_error *err);

#endif
