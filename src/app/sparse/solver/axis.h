// SPDX-License-Identifier: Apache-2.0
// The axis of rotation of a sinogram of parallel beams: from opposite projections, then where the
// least-squares picture leaves the least residual.
#ifndef KN_APP_SPARSE_SOLVER_AXIS_H
#define KN_APP_SPARSE_SOLVER_AXIS_H

#include <koine/tomography.h>

#include "app/sparse/tomography/parallel.h"

// As kn_tomography_find_axis describes it, for arguments that have been checked.
kn_status ki_sparse_find_axis(const struct sparse_parallel *geometry, const double *sinogram,
                              kn_tomography_axis *found, kn_error *err);

#endif
