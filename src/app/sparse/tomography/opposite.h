// SPDX-License-Identifier: Apache-2.0
// The axis of rotation as opposite projections show it: half a turn apart, they are mirror images of each
// other.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_OPPOSITE_H
#define KN_APP_SPARSE_TOMOGRAPHY_OPPOSITE_H

#include <stddef.h>

// Finds the axis, in detectors from 0, within the middle half of the line of detectors, from at most 64 pairs
// of projections whose angles differ by half a turn and at most one mean step. Where they are not exactly
// opposite, the axis is off by half of what the object moves meanwhile. Returns the number of pairs; 0: there
// are none, or nothing is seen, and `axis` is not set. `sinogram` is angles x detectors finite numbers.
size_t ki_sparse_opposite_axis(size_t angles, size_t detectors, const double *theta, const double *sinogram,
                               double *axis);

#endif
