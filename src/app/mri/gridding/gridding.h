// SPDX-License-Identifier: Apache-2.0
// Both sums of mri.h by gridding and FFT on a device, in single precision: the fast and approximate way.
//
// Samples lie on a finer grid of K = os N cells an axis, at u = k K/N. The adjoint spreads each over `width`
// cells an axis with the window of Kaiser and Bessel, transforms the grid, crops it to the matrix and divides
// by the window's own transform; the forward sum goes the same way back. Window and its parameter: Beatty,
// Nishimura and Pauly, IEEE TMI 24 (2005),
//     kb(x) = I0(b sqrt(1 - (2x/J)^2)) / I0(b),   b = pi sqrt((J/os)^2 (os - 1/2)^2 - 0.8),   J = width
//     A(n) = J sinh(s)/(s I0(b)),   s = sqrt(b^2 - (pi J n/K)^2)
// The grid wraps: no sample is lost at the edge of the band, and none at k needs another k to be in it.
//
// Error of the adjoint, relative, in the 2-norm, of a spiral scan of a brain (64 x 64), by oversampling and
// width; single precision leaves about 3e-7 where less is said:
//            3       4       5       6       7       8
//   1.25  2.4e-2  5.1e-3  1.2e-3  3.0e-4  6.5e-5  1.6e-5
//   1.5   7.4e-3  1.1e-3  2.2e-4  3.6e-5  5.6e-6  9.3e-7
//   2     2.4e-3  2.4e-4  2.5e-5  2.7e-6  2.9e-7  3.0e-8
//
// No float is added atomically: samples are sorted into tiles of the grid, and each cell gathers its samples
// in one fixed order. So the same call gives the same bits.
#ifndef KN_APP_MRI_GRIDDING_GRIDDING_H
#define KN_APP_MRI_GRIDDING_GRIDDING_H

#include <koine/koine.h>

#include "engine/device/tuning.h"
#include "app/mri/memory.h"
#include "app/mri/mri.h"

enum {
    MRI_GRIDDING_WIDTH_MIN = 2,
    MRI_GRIDDING_WIDTH_MAX = 8,
    MRI_GRIDDING_TILE_MIN = MRI_GRIDDING_WIDTH_MAX, // a window touches two tiles at most
    MRI_GRIDDING_TILE_MAX = 64,
    // Bytes of a sample on the device, its own and of its tile's parts, and on the host.
    MRI_GRIDDING_SAMPLE = 84 + 128,
    MRI_GRIDDING_HOST_SAMPLE = 20
};

struct mri_gridding_options {
    double oversampling; // os, 1.25 to 4; 0: 2
    unsigned width;      // J in cells of the grid, MRI_GRIDDING_WIDTH_MIN to _MAX; 0: 6
    // Both 1: samples lie on the matrix's own grid, each at its nearest point, without a window.
    // For measurements; all 0: what koine tune kept for the device, else its default.
    unsigned group; // work-items of the adjoint's kernel, a power of two; 1 has a kernel of its own, for CPUs
    unsigned split; // samples a group takes of a tile at most; it decides the last bits
    // Cells, powers of two from MRI_GRIDDING_TILE_MIN to _MAX; of an axis of one cell it is 1.
    unsigned tile[MRI_AXES];
};

struct mri_gridding;

// Brings the samples to the device, sorts them there and compiles. Grids are the next lengths from os N
// on without a prime factor above 7, and `width` cells at least; an axis of size 1 has no grid, and k there
// no meaning. Cost: a sort of 8 bytes a sample; some 84 bytes a sample on the device, up to 128 more where
// tiles are made in parts, the grid's 8 bytes a cell, and as much again for the transform. Errors:
// KN_ERROR_ARGUMENT for a width or an oversampling out of range, a matrix that ki_mri_matrix_count refuses or
// of other than 2 or 3 axes, and for a k that is not a number; KN_ERROR_LIMIT for a grid or samples that the
// device cannot hold in one allocation, or a group that it cannot run; KN_ERROR_UNSUPPORTED for a group of 1
// where loops are stopped (Mesa's llvmpipe); KN_ERROR_MEMORY.
kn_status ki_mri_gridding_create(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                 size_t samples, const struct mri_gridding_options *options,
                                 struct mri_gridding **gridding, kn_error *err);
// Sorts the samples again, as a trajectory that is new would be: ki_mri_gridding_create has done it. Without
// waiting.
kn_status ki_mri_gridding_set(kn_queue *queue, struct mri_gridding *gridding, kn_error *err);
// NULL is fine.
void ki_mri_gridding_free(struct mri_gridding *gridding);

// An estimate: the grid, as much again for the transform, the image, and the samples. `options` may be NULL.
struct mri_bytes ki_mri_gridding_memory(const kn_recon_matrix *matrix, size_t samples,
                                        const struct mri_gridding_options *options);

// The image, float2 a voxel, unscaled; `weights` may be NULL, for 1. Data that are not numbers make an image
// that is none. KN_ERROR_ARGUMENT for a buffer too small.
// Cost: samples up, then five to eight passes over the grid.
kn_status ki_mri_gridding_adjoint(kn_queue *queue, struct mri_gridding *gridding, const double complex *data,
                                  const double *weights, kn_buffer *image, kn_error *err);

// The same of data that are on the device, float2 a sample in the order of k; there are no weights.
kn_status ki_mri_gridding_adjoint_there(kn_queue *queue, struct mri_gridding *gridding, const kn_buffer *data,
                                        kn_buffer *image, kn_error *err);

// From the image (float2 a voxel) to float2 a sample, in the order of k.
kn_status ki_mri_gridding_forward(kn_queue *queue, struct mri_gridding *gridding, const kn_buffer *image,
                                  kn_buffer *data, kn_error *err);

// What koine tune chooses, of planes and of volumes; and the values that this one has, in that order.
extern const kn_tunables ki_mri_gridding_tunables[2];
void ki_mri_gridding_values(const struct mri_gridding *gridding, unsigned values[KN_TUNABLES]);

// The grid's cells along each axis, 1 where there is none.
void ki_mri_gridding_grid(const struct mri_gridding *gridding, size_t cells[MRI_AXES]);

// ---- for density compensation ----

// C C^H: spreads onto the grid and reads it at the same positions with the same window. float2 a sample, in
// the order of ki_mri_gridding_order; in != out.
kn_status ki_mri_gridding_convolve(kn_queue *queue, struct mri_gridding *gridding, kn_buffer *in,
                                   kn_buffer *out, kn_error *err);
// A step: the real part of each weight divided by |C C^H weights|.
kn_status ki_mri_gridding_compensate(kn_queue *queue, struct mri_gridding *gridding, kn_buffer *weights,
                                     kn_error *err);
// order[i] is the sample that stands at position i; the gridding's own. Waits, the first time.
kn_status ki_mri_gridding_order(kn_queue *queue, struct mri_gridding *gridding, const uint32_t **order,
                                kn_error *err);
// What turns C C^H w = 1 into weights of the image's scale (density.h): w is then the area of each sample in
// cells over the square of the window's integral, and the area in cycles per field of view over the voxels is
// that in cells over the grid's cells.
double ki_mri_gridding_weight(const struct mri_gridding *gridding);

#endif
