// SPDX-License-Identifier: Apache-2.0
// Systems like those of Stock and Koch, A Fast GPU Implementation for Solving Sparse Ill-Posed Linear
// Equation Systems: segments of parallel rays through an image; each row has the lengths of a segment in the
// pixels (Siddon 1985).
#ifndef KN_TOOLS_SOLVE_SEGMENTS_H
#define KN_TOOLS_SOLVE_SEGMENTS_H

#include <koine/sparse.h>

struct solve_segments {
    size_t width, height; // the image in pixels of side 1; pixels are the columns, ordered by lines of the
                          // image
    size_t rows;
    double length; // of a segment; 7.95 crosses about 10.5 pixels, as in the source
    uint64_t seed; // for their centres, which are uniformly distributed in the image
};

// Angles are multiples of half a degree; each row's angle is 3.5 degrees greater than the one before. The
// caller frees the matrix with kn_sparse_free. KN_ERROR_ARGUMENT: no pixels, or a length that is not above 0
// or exceeds 2^20; KN_ERROR_MEMORY. Equal arguments give the same bits.
kn_status solve_segments_create(const struct solve_segments *segments, kn_sparse **made, kn_error *err);

#endif
