// SPDX-License-Identifier: Apache-2.0
// Systems like those of Stock and Koch's A Fast GPU Implementation for Solving Sparse Ill-Posed Linear
// Equation Systems: pieces of parallel rays through an image, of which each row has the lengths in the pixels
// (Siddon 1985).
#ifndef KN_TOOLS_SOLVE_SEGMENTS_H
#define KN_TOOLS_SOLVE_SEGMENTS_H

#include <koine/sparse.h>

struct solve_segments {
    size_t width, height; // pixels of side 1: the columns, by lines of the image
    size_t rows;
    double length; // of a piece; 7.95 crosses about 10.5 pixels, as the source's
    uint64_t seed; // of their centres, which are anywhere in the image
};

// Angles are in steps of half a degree, the next row's 3.5 degrees on. The caller frees the matrix by
// kn_sparse_free. KN_ERROR_ARGUMENT: no pixel, a length that is not above 0 or longer than 2^20;
// KN_ERROR_MEMORY. The same bits for the same numbers.
kn_status solve_segments_create(const struct solve_segments *segments, kn_sparse **made, kn_error *err);

#endif
