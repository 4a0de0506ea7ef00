// SPDX-License-Identifier: Apache-2.0
// An orthogonal wavelet transform of pictures and volumes, and its proximal operator. The wavelet is
// Daubechies' with four taps (Daubechies 1988), periodic along each axis. A level halves each axis whose
// length is even and at least WAVELET_SHORTEST at that level, low half first, so that lengths need not be
// powers of two; the next level has the box of all low halves. There are as many levels as halve anything, at
// most WAVELET_MOST_LEVELS. What the last level's low halves hold is the coarse approximation, all else
// details. For devices, see cl/operator/wavelet.cl.
#ifndef KN_OPERATOR_PROXIMAL_WAVELET_H
#define KN_OPERATOR_PROXIMAL_WAVELET_H

#include <stddef.h>

#include <koine/types.h>

enum { WAVELET_AXES = 3, WAVELET_TAPS = 4, WAVELET_MOST_LEVELS = 5, WAVELET_SHORTEST = 16 };

struct wavelet_level {
    size_t lengths[WAVELET_AXES]; // of the box that it halves
    unsigned halved;              // a bit for each axis
};

struct wavelet {
    size_t lengths[WAVELET_AXES]; // the fastest axis first
    size_t strides[WAVELET_AXES]; // in elements
    unsigned components;          // numbers per element: 1, or 2 if it is complex
    unsigned levels;
    size_t elements;
    struct wavelet_level level[WAVELET_MOST_LEVELS];
    double taps[WAVELET_TAPS]; // of the low half; those of the high one are the same backwards, every other
                               // one negated
};

// For lengths of at least 1 whose product fits in a size_t. There may be no level.
struct wavelet ki_wavelet(const size_t *shape, unsigned components);

// KN_ERROR_ARGUMENT for a shape that no level halves, so that there are no details.
kn_status ki_wavelet_check(const size_t *shape, kn_error *err);

// x becomes W x, or W^H x; `line` has room for the longest axis, twice, times the components.
void ki_wavelet_forward(const struct wavelet *wavelet, double *x, double *line);
void ki_wavelet_backward(const struct wavelet *wavelet, double *x, double *line);

// Shortens each detail of W x by `threshold`, or to 0. Returns the sum of the lengths that are left.
double ki_wavelet_shrink(const struct wavelet *wavelet, double *coefficients, double threshold);

#endif
