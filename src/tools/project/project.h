// SPDX-License-Identifier: Apache-2.0
// A picture's sinogram, or what a sinogram gives back, on the host or on a device: what koine project
// computes.
#ifndef KN_TOOLS_PROJECT_PROJECT_H
#define KN_TOOLS_PROJECT_PROJECT_H

#include <koine/tomography.h>

#include "base/text/text.h"

struct projection {
    kn_tomography_geometry geometry;
    bool adjoint;            // from a sinogram to a picture
    kn_sparse_format format; // of a device; in, and what was used, out
    struct ki_text why;      // of KN_SPARSE_AUTO what each took; the caller frees it
};

// to = A from, or A^T from: on the queue's device in single precision, or without a queue by the host in
// double, whatever the format. Errors: those of kn_tomography_operator_create; the device's;
// KN_ERROR_ARGUMENT: a number beyond single precision.
kn_status project_apply(kn_queue *queue, struct projection *projection, const double *from, double *to,
                        kn_error *err);

#endif
