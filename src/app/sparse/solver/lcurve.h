// SPDX-License-Identifier: Apache-2.0
// The corner of an L-curve (Hansen, Analysis of discrete ill-posed problems by means of the L-curve, 1992).
#ifndef KN_APP_SPARSE_SOLVER_LCURVE_H
#define KN_APP_SPARSE_SOLVER_LCURVE_H

#include <stddef.h>

// The numbers of a point.
enum { LCURVE_LAMBDA, LCURVE_RESIDUAL, LCURVE_NORM, LCURVE_NUMBERS };

// Index of the point at which the curve of log norm against log residual turns upwards most sharply, for
// points by falling lambda; `count` if it turns nowhere with a radius below half a factor of e. Curvature is
// that of the circle through the point and its next neighbours on either side that are some distance away:
// points at the ends, which hardly differ from one another, have none.
size_t ki_sparse_lcurve_corner(const double *points, size_t count);

#endif
