// SPDX-License-Identifier: Apache-2.0
// What is done to a photograph before it is correlated: lighting, dust, contrast. Pictures are floats, row
// after row, in the file's levels.
#ifndef KN_APP_AUTOCORR_PREPARE_FILTERS_H
#define KN_APP_AUTOCORR_PREPARE_FILTERS_H

#include <stddef.h>
#include <stdint.h>

#include <koine/error.h>

// Multiplies the picture by its mean over its own blur: light that varies over more than `radius` pixels
// becomes even. The blur is three boxes, together a Gaussian with the standard deviation `radius` (at least
// 1); at the edges they average the existing pixels. KN_ERROR_MEMORY.
kn_status ki_autocorr_flatten(float *picture, size_t width, size_t height, double radius, kn_error *err);

// Dust: pixels that are off their neighbourhood's median (17 x 17, in 256 steps from the least level to the
// greatest) by more than 8 standard deviations, told by the median of all pixels' distances, by more than
// twice the distance that 98 % of them keep within, so that what a picture is made of is no dust, and by at
// least 3 levels; and what is within 2 pixels of them. 1 in `dust`, else 0. KN_ERROR_MEMORY.
kn_status ki_autocorr_find_dust(const float *picture, size_t width, size_t height, uint8_t *dust,
                                kn_error *err);

// Replaces pixels where `dust` is not 0 by what surrounds them: the harmonic function through their edge, so
// that level and slope continue. If everything is dust, nothing is done. `changed`: how many.
// KN_ERROR_MEMORY.
kn_status ki_autocorr_mend(float *picture, size_t width, size_t height, const uint8_t *dust, size_t *changed,
                           kn_error *err);

// The levels that a thousandth of the pixels is below, and above. `stride` from a row to the next.
// KN_ERROR_MEMORY.
kn_status ki_autocorr_levels(const float *picture, size_t width, size_t height, size_t stride, double *low,
                             double *high, kn_error *err);

// `low` becomes 0, `high` `white`; what is beyond them too. KN_ERROR_ARGUMENT unless low < high.
kn_status ki_autocorr_stretch(float *picture, size_t count, double low, double high, double white,
                              kn_error *err);

#endif
