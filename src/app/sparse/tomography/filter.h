// SPDX-License-Identifier: Apache-2.0
// Filters of filtered back-projection, as factors of a projection's Fourier transform.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_FILTER_H
#define KN_APP_SPARSE_TOMOGRAPHY_FILTER_H

#include <koine/tomography.h>

#include "parallel.h"

// The points of a projection's transform: the least power of two that is at least 64 and twice the detectors,
// so that the convolution with the ramp does not wrap around.
size_t ki_sparse_filter_length(size_t detectors);
// Those of half the spectrum, 0 to length / 2.
size_t ki_sparse_filter_points(size_t detectors);

// The factors of points 0 to length / 2, times `scale`; those of the other points mirror them. They are the
// transform of the ramp's samples, 1/4 at 0, -1 / (pi n)^2 at odd n and 0 at even n (Kak and Slaney,
// Principles of Computerized Tomographic Imaging, equation 3.61), times the filter's window. On an arc, where
// n detectors are an angle of gamma, the samples are times (gamma / sin gamma)^2 (equation 3.97). `length` is
// a power of two. KN_ERROR_MEMORY.
kn_status ki_sparse_filter_fill(const struct sparse_parallel *geometry, kn_tomography_filter filter,
                                size_t length, double scale, double *factors, kn_error *err);

// The weight of each projection: half the angle between its two neighbours, modulo half a turn, so that the
// weights add up to pi. A gap wider than four times the mean is not bridged: the projections beside it use
// the gap on their other side instead. Of a fan, half of half the angle modulo a whole turn, in which every
// ray is seen twice: KN_ERROR_ARGUMENT for a gap, beside which rays are seen once. KN_ERROR_MEMORY.
kn_status ki_sparse_filter_weights(const struct sparse_parallel *geometry, double *weights, kn_error *err);

#endif
