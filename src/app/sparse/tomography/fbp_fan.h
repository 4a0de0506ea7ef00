// SPDX-License-Identifier: Apache-2.0
// Filtered back-projection of fans (Kak and Slaney, Principles of Computerized Tomographic Imaging, 3.4.1 and
// 3.4.2). Detector k's numbers are multiplied by the cosine of its ray's angle in the fan, projections are
// convolved with the filter, and each pixel sums them where it is seen, times L S / d^2, where L is the
// distance from source to detectors, S that from source to axis, and d the pixel's distance from the source,
// on flat detectors that along the ray through the axis; and times a weight for each projection (filter.h).
#ifndef KN_APP_SPARSE_TOMOGRAPHY_FBP_FAN_H
#define KN_APP_SPARSE_TOMOGRAPHY_FBP_FAN_H

#include "fbp_host.h"

// The cosines of a fan's rays, one for each detector.
void ki_sparse_fan_cosines(const struct sparse_parallel *geometry, double *cosines);

// Copies line `line` of a sinogram of a type, times these.
void ki_sparse_fan_weigh(const struct sparse_parallel *geometry, const double *cosines, kn_type type,
                         size_t line, const void *sinogram, void *to);

// Computes line `line` of the picture from the filtered rows, of a type; sums are in double precision.
void ki_sparse_fan_back(const struct sparse_parallel *geometry, const struct sparse_fbp_rows *rows,
                        kn_type type, size_t line, void *to);

#endif
