// SPDX-License-Identifier: Apache-2.0
// Tells whether a residual is white noise: then nothing is left to be learned from the data.
#ifndef KN_OPERATOR_NCP_H
#define KN_OPERATOR_NCP_H

#include <stddef.h>

// The distance between the normalised cumulative periodogram (Hansen, Kilmer and Kjeldsen 2006) and the
// straight line of white noise: the root mean square of the difference, 0 to 0.58. The periodogram is the
// mean of those of segments of 512 neighbouring elements (or the greatest power of two, if there are fewer),
// each without its mean; elements after the last whole segment are ignored. 0 for fewer than 8 elements.
// Cost: one pass, and 512 log 512 operations for 512 elements.
double ki_ncp_distance(const double *residual, size_t count);

// The approximate distance of white noise of this many elements: 1 / sqrt(6 n), where n is the number of
// ordinates in all periodograms.
double ki_ncp_of_noise(size_t count);

// Elements in a segment with one periodogram: 512, or the greatest power of two that is not above `count`.
size_t ki_ncp_segment(size_t count);

// The rule that ends iterations: NCP_PATIENCE iterations after the last one whose residual is no further from
// white noise than the whitest, plus NCP_MARGIN times the distance of noise itself. If the whitest is further
// away than NCP_WHITE times that distance, it is not white, and may be a local minimum where only the coarse
// structure has been learned: then the iterations end NCP_PATIENCE iterations after three times the number of
// that last one.
enum { NCP_SHORTEST = 8, NCP_PATIENCE = 5, NCP_MARGIN = 2, NCP_WHITE = 4 };

#endif
