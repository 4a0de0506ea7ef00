// SPDX-License-Identifier: Apache-2.0
// How far a frame has moved against another one, by phase correlation (Kuglin and Hines 1975), and moving it
// back. Pictures are floats, row after row.
#ifndef KN_APP_AUTOCORR_PREPARE_REGISTER_H
#define KN_APP_AUTOCORR_PREPARE_REGISTER_H

#include <stddef.h>

#include <koine/error.h>

struct autocorr_shift {
    double x, y; // frame(x + shift) is the reference's (x)
};

// The frames' spectra under a Hann window, their phases alone, and of those the low frequencies most (a
// Gaussian's, so that the peak is as wide as a pixel): the highest whole pixel, from there the top between
// pixels by Newton's method, and, where the frames have moved, the same in their overlap until that stays.
// What is within a thousandth of a whole pixel is one. Shifts up to an eighth of the picture are found;
// frames that have nothing in common have any. Cost: 2 to 8 complex transforms of the picture, and a few
// reads of a spectrum. KN_ERROR_MEMORY.
//
// `certainty`: the peak-to-sidelobe ratio (Bolme et al. 2010, Visual object tracking using adaptive
// correlation filters), by how many of their standard deviations the whole pixel stands above the mean of all
// but the 11 x 11 around it; the least of those of the correlations above. 0 for frames of one level or of 11
// x 11 pixels and fewer. Bolme et al. have 20 to 60 for what is found and 7 for what is lost.
kn_status ki_autocorr_register(const float *reference, const float *frame, size_t width, size_t height,
                               struct autocorr_shift *shift, double *certainty, kn_error *err);

// Of 6,000 pairs of unrelated random pictures of 64 x 80 to 256 x 256 pixels, of white noise to noise
// smoothed over 16, the most certain had 9; of pictures of 32 x 32 pixels, 2 of a thousand have 10.
enum { AUTOCORR_LEAST_CERTAINTY = 10 };

// moved(x) = frame(x + shift): whole pixels are copied, parts of one interpolated by cubics (Catmull and Rom
// 1974) through 4 x 4 neighbours. What comes from outside repeats the edge.
void ki_autocorr_move(const float *frame, size_t width, size_t height, struct autocorr_shift shift,
                      float *moved);

#endif
