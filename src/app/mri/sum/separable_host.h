// SPDX-License-Identifier: Apache-2.0
// The inner loops of the adjoint and forward sum as products of matrices on the host (sum.h): the factors of
// a run of samples, and their products with a block of columns, in double or single precision.
#ifndef KN_APP_MRI_SUM_SEPARABLE_HOST_H
#define KN_APP_MRI_SUM_SEPARABLE_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "host/simd/levels.h"
#include "sum_host.h"

enum {
    SEPARABLE_RUN = 256,    // samples in a run and in a float's sum: their factors fit in a cache
    SEPARABLE_PAIRS = 96,   // pairs of voxels at x and -x at a time: a multiple of the kernel's
    SEPARABLE_COLUMNS = 64, // columns (y, z) of a block: a multiple of all vectors
    SEPARABLE_SUMS = 4,     // per pair and column: Re U, Im U, Re V, Im V
    SEPARABLE_LANES = 16    // lanes of the widest vector
};

// A run of samples with a block of columns. Phases are in turns, as doubles, or in single precision as
// fractions in units of 2^-32 turns (cl/app/mri/turn.clh).
struct separable_block {
    const void *k[3], *real, *imaginary; // k per voxel step; `imaginary` is NULL if mu is real
    const void *half;                    // half a step along x, if pairs lie half a voxel off the middle
    size_t samples;                      // at most SEPARABLE_RUN
    size_t first_pair, pairs, columns;   // at most SEPARABLE_PAIRS and SEPARABLE_COLUMNS
    // Positions of columns in steps from the middle of the matrix: int32_t, or doubles. Undefined beyond the
    // last one.
    const void *y, *z;
    // Cosines and sines of all pairs, [pair][2][SEPARABLE_RUN]; and G for a vector of columns, for each
    // sample the real parts, then the imaginary ones. In the precision of the sum.
    void *factors, *panel;
    double *sums; // [pair][SEPARABLE_SUMS][SEPARABLE_COLUMNS], added to
};

// The bytes of `factors` and `panel`, for numbers of `size` bytes.
static inline size_t separable_factors(size_t size)
{
    return (size_t)SEPARABLE_PAIRS * 2 * SEPARABLE_RUN * size;
}

static inline size_t separable_panel(size_t size)
{
    return (size_t)SEPARABLE_LANES * 2 * SEPARABLE_RUN * size;
}

typedef void separable_add(const struct separable_block *block);

// A run of samples with all columns of an image, for the block's pairs from first_pair on. The block's arrays
// of k and half have SEPARABLE_RUN numbers; it has neither mu nor columns, and its sums are the data,
// [2][SEPARABLE_RUN].
struct separable_image {
    struct separable_block block;
    const void *opposite; // -half
    // For each column and pair, with the sum E and the difference O of its voxels at x and -x: Re E, Im E, Re
    // O, Im O, in the precision of the sum. The contribution of both with exp(-i 2 pi k x) is cos E - i sin
    // O.
    const void *numbers;
    size_t columns, pairs, size_y, size_z; // of the whole image
};

typedef void separable_read(const struct separable_image *image);

extern separable_add ki_separable_double_scalar, ki_separable_single_scalar;
HOST_DECLARE_SET_VECTORS(separable_add, separable_double);
HOST_DECLARE_SET_VECTORS(separable_add, separable_single);
extern separable_read ki_separable_read_double_scalar, ki_separable_read_single_scalar;
HOST_DECLARE_SET_VECTORS(separable_read, separable_read_double);
HOST_DECLARE_SET_VECTORS(separable_read, separable_read_single);

#endif
