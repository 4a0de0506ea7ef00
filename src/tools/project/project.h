// SPDX-License-Identifier: Apache-2.0
// The sinogram of a picture, or the back-projection of a sinogram, on the host or on a device, for koine
// project.
#ifndef KN_TOOLS_PROJECT_PROJECT_H
#define KN_TOOLS_PROJECT_PROJECT_H

#include <koine/tomography.h>

#include "base/text/text.h"

struct projection {
    kn_tomography_geometry geometry;
    bool adjoint;            // from a sinogram to a picture
    kn_sparse_format format; // on a device; on input the requested format, on output the one that was used
    struct ki_text why;      // for KN_SPARSE_AUTO, the time of each format; the caller frees it
};

// Computes to = A from, or A^T from: on the queue's device in single precision, or without a queue on the
// host in double precision, for any format. Errors: those of kn_tomography_operator_create; the device's;
// KN_ERROR_ARGUMENT if a number is out of the range of single precision.
kn_status project_apply(kn_queue *queue, struct projection *projection, const double *from, double *to,
                        kn_error *err);

#endif
