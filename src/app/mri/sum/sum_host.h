// SPDX-License-Identifier: Apache-2.0
// The inner loops of the sums on the host: a block of voxels with a chunk of samples, in double or single
// precision, in plain C or with vectors. Each adds to the sums of the block.
#ifndef KN_APP_MRI_SUM_SUM_HOST_H
#define KN_APP_MRI_SUM_SUM_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "host/simd/levels.h"

enum {
    SUM_HOST_BLOCK =
        64, // voxels of a block, at positions that are a multiple of it: arrays are filled up with zeros
    SUM_HOST_CHUNK = 1024 // samples that fit in a first-level cache, and in a float's sum
};

// Samples by component: k in cycles per field of view and mu, in double or single precision. `imaginary` is
// NULL if mu is real.
struct sum_samples {
    const void *k[3], *real, *imaginary;
    size_t count;
};

// Adds to re[] and im[] of SUM_HOST_BLOCK voxels at x[], y[], z[], in double precision.
typedef void sum_block_double(const struct sum_samples *samples, const double *const positions[3], double *re,
                              double *im);
// The same for k in fractions of a turn per voxel, in units of 2^-32 turns (cl/app/mri/turn.clh), and integer
// positions.
typedef void sum_block_fractions(const struct sum_samples *samples, const int32_t *const positions[3],
                                 double *re, double *im);
// The same in single precision.
typedef void sum_block_single(const struct sum_samples *samples, const float *const positions[3], double *re,
                              double *im);

sum_block_double ki_sum_double_scalar;
sum_block_fractions ki_sum_fractions_scalar;
sum_block_single ki_sum_single_scalar;
HOST_DECLARE_SET_VECTORS(sum_block_double, sum_double);
HOST_DECLARE_SET_VECTORS(sum_block_fractions, sum_fractions);
HOST_DECLARE_SET_VECTORS(sum_block_single, sum_single);

// sin(pi t) / t and cos(pi t) by powers of t^2, |t| <= 1/2, the highest first: for a reduced phase of t
// turns, this is half the angle. Errors below 1.1e-8 and 2e-8 (each coefficient of the sine was fitted after
// the previous ones had been rounded, so that the mean of the cosine is accurate to 4e-9), and 1e-16.
#define SUM_SINE_SINGLE   7.77943954e-2f, -5.98383784e-1f, 2.55010104f, -5.16771269f, 3.14159274f
#define SUM_COSINE_SINGLE -2.43959315e-2f, 2.34937072e-1f, -1.33521199f, 4.05870914f, -4.93480206f, 1.0f
#define SUM_SINE_DOUBLE                                                                                      \
    7.697826768224191e-07, -2.1903497074626018e-05, 0.0004662998161898394, -0.007370430505916944,            \
        0.0821458865731029, -0.5992645293189447, 2.5501640398773007, -5.167712780049969, 3.141592653589793
#define SUM_COSINE_DOUBLE                                                                                    \
    4.149564353942586e-06, -0.00010456655338748738, 0.0019295562724817132, -0.025806888737002202,            \
        0.23533063012953284, -1.335262768843447, 4.058712126416497, -4.934802200544676, 1.0

#endif
