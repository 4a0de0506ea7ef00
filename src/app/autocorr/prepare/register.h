// SPDX-License-Identifier: Apache-2.0
// How far a frame has moved against another one, by phase correlation (Kuglin and Hines 1975), and moving it
// back. Pictures are of floats, row after row.
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
kn_status ki_autocorr_register(const float *reference, const float *frame, size_t width, size_t height,
                               struct autocorr_shift *shift, kn_error *err);

// moved(x) = frame(x + shift): whole pixels are copied, parts of one interpolated by cubics (Catmull and Rom
// 1974) through 4 x 4 neighbours. What comes from outside repeats the edge.
void ki_autocorr_move(const float *frame, size_t width, size_t height, struct autocorr_shift shift,
                      float *moved);

#endif
