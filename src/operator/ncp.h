// SPDX-License-Identifier: Apache-2.0
// Whether a residual is white noise: then all there was to learn from the data has been learned.
#ifndef KN_OPERATOR_NCP_H
#define KN_OPERATOR_NCP_H

#include <stddef.h>

// How far the normalised cumulative periodogram (Hansen, Kilmer and Kjeldsen 2006) is from the straight line
// of white noise: the root of the mean square of the difference, 0 to 0.58. The periodogram is the mean of
// those of 512 neighbouring elements each (of the greatest power of two where there are less), without their
// mean; what is left behind the last ones is not looked at. Fewer than 8: 0. One pass, and 512 log 512
// operations for 512 elements.
double ki_ncp_distance(const double *residual, size_t count);

// The distance that white noise of so many elements itself has, about: 1 / sqrt(6 n), of n ordinates in all
// periodograms.
double ki_ncp_of_noise(size_t count);

// Elements that have a periodogram together: 512, or the greatest power of two that there are.
size_t ki_ncp_segment(size_t count);

// What ends iterations: so many (PATIENCE) behind the last one whose residual is no further from white noise
// than the whitest, but for so many times (MARGIN) what noise itself has. If the whitest is further than
// WHITE times that, it is none, and may be a trough on the way, where the coarse structure has been learned:
// then behind three times as many iterations.
enum { NCP_SHORTEST = 8, NCP_PATIENCE = 5, NCP_MARGIN = 2, NCP_WHITE = 4 };

#endif
