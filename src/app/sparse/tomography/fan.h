// SPDX-License-Identifier: Apache-2.0
// Fan beams: the rays from a source to a line (flat) or an arc (curved) of detectors, as rays of parallel.h.
//
// From the axis, the source is at source (-sin theta, cos theta), y down, and sees the axis in the middle of
// the fan, at detector `axis`. With k - axis = u, the distance L = source + detector, and the angle gamma of
// a ray in the fan, tan gamma = u / L on a flat detector and gamma = u / L on a curved one, whose centre is
// the source, the ray has phi = theta + gamma, and the distance source sin gamma from the axis.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_FAN_H
#define KN_APP_SPARSE_TOMOGRAPHY_FAN_H

#include "parallel.h"

// Whether rays start at a source: those of a cone are a flat fan in the plane of its source.
bool ki_sparse_is_fan(const struct sparse_parallel *geometry);
bool ki_sparse_is_cone(const struct sparse_parallel *geometry);

// KN_ERROR_ARGUMENT for a beam that there is not, distances that are not finite or above 2^24, a source
// within a circle around the picture (and one pixel more), a detector that is not behind the source, and
// curved detectors of half a turn or more. Geometries of parallel rays pass if they have no distances.
kn_status ki_sparse_fan_check(const struct sparse_parallel *geometry, kn_error *err);

// The angle of detector k's ray in the fan, in radians; 0 for parallel rays. And the distance from the axis
// of any geometry's ray.
double ki_sparse_fan_angle(const struct sparse_parallel *geometry, size_t k);
double ki_sparse_fan_distance(const struct sparse_parallel *geometry, size_t k);

// The rays of a projection, one for each detector.
void ki_sparse_fan_rays(const struct sparse_parallel *geometry, double theta, struct sparse_ray *rays);

// The detectors of a projection that may see a pixel: first to end - 1.
void ki_sparse_fan_seen(const struct sparse_parallel *geometry, const struct sparse_view *view, size_t x,
                        size_t y, size_t *first, size_t *end);
// A bound of their number, for all pixels.
double ki_sparse_fan_seen_most(const struct sparse_parallel *geometry);

#endif
