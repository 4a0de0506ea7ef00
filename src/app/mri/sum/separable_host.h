// SPDX-License-Identifier: Apache-2.0
// The inner loops of adjoint and forward sum as products of matrices on the host (sum.h): the factors of a
// run of samples, and their products with a block of columns, in double precision or in single.
#ifndef KN_APP_MRI_SUM_SEPARABLE_HOST_H
#define KN_APP_MRI_SUM_SEPARABLE_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "host/simd/levels.h"
#include "sum_host.h"

enum {
    SEPARABLE_RUN = 256,    // samples at a time, which a float's sum has: factors of them stay in a cache
    SEPARABLE_PAIRS = 96,   // pairs of voxels at x and -x at a time: a multiple of what a kernel takes
    SEPARABLE_COLUMNS = 64, // columns (y, z) of a block: a multiple of all vectors
    SEPARABLE_SUMS = 4,     // of a pair and a column: Re U, Im U, Re V, Im V
    SEPARABLE_LANES = 16    // of the widest vector
};

// A run of samples with a block of columns. Phases are turns: doubles, or in single precision fractions of
// one, 2^32 to a turn (cl/app/mri/turn.clh).
struct separable_block {
    const void *k[3], *real, *imaginary; // k a voxel's step; `imaginary` NULL where mu is real
    const void *half;                    // what half a step along x is, where pairs lie half a voxel off
    size_t samples;                      // at most SEPARABLE_RUN
    size_t first_pair, pairs, columns;   // at most SEPARABLE_PAIRS and SEPARABLE_COLUMNS
    // Columns, from the matrix's middle, in steps: int32_t, or doubles. Beyond the last one there is
    // anything.
    const void *y, *z;
    // Cosines and sines of all pairs, [pair][2][SEPARABLE_RUN]; G of a vector of columns, for each sample the
    // real parts and the imaginary ones. Of the precision.
    void *factors, *panel;
    double *sums; // [pair][SEPARABLE_SUMS][SEPARABLE_COLUMNS], which grow
};

// Bytes of `factors` and `panel`, for numbers of `size` bytes.
static inline size_t separable_factors(size_t size)
{
    return (size_t)SEPARABLE_PAIRS * 2 * SEPARABLE_RUN * size;
}

static inline size_t separable_panel(size_t size)
{
    return (size_t)SEPARABLE_LANES * 2 * SEPARABLE_RUN * size;
}

typedef void separable_add(const struct separable_block *block);

// A run of samples with all columns of an image, for pairs first_pair on of the block. The block's arrays of
// k and half are SEPARABLE_RUN long; it has neither mu nor columns, and its sums are data,
// [2][SEPARABLE_RUN].
struct separable_image {
    struct separable_block block;
    const void *opposite; // of half
    // Of each column and pair, with the sum E and the difference O of its voxels at x and -x, Re E, Im E, Re
    // O, Im O, of the precision: what exp(-i 2 pi k x) makes of both is cos E - i sin O.
    const void *numbers;
    size_t columns, pairs, size_y, size_z; // all of them
};

typedef void separable_read(const struct separable_image *image);

extern separable_add ki_separable_double_scalar, ki_separable_single_scalar;
HOST_DECLARE_SET_VECTORS(separable_add, separable_double);
HOST_DECLARE_SET_VECTORS(separable_add, separable_single);
extern separable_read ki_separable_read_double_scalar, ki_separable_read_single_scalar;
HOST_DECLARE_SET_VECTORS(separable_read, separable_read_double);
HOST_DECLARE_SET_VECTORS(separable_read, separable_read_single);

#endif
