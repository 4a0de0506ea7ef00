// SPDX-License-Identifier: Apache-2.0
// Both sums of mri.h by gridding and FFT on a device, in single precision: fast and approximate.
//
// Samples are placed on a finer grid of K = os N cells per axis, at u = k K/N. The adjoint spreads each
// sample over `width` cells per axis with the Kaiser-Bessel window, transforms the grid, crops it to the
// matrix and divides by the window's transform; the forward sum takes the same steps in reverse. Window and
// its parameter (Beatty, Nishimura and Pauly, IEEE TMI 24, 2005):
//     kb(x) = I0(b sqrt(1 - (2x/J)^2)) / I0(b),   b = pi sqrt((J/os)^2 (os - 1/2)^2 - 0.8),   J = width
//     A(n) = J sinh(s)/(s I0(b)),   s = sqrt(b^2 - (pi J n/K)^2)
// The grid wraps around, so that samples at or beyond the edge of the band are placed correctly, too.
//
// Relative error of the adjoint in the 2-norm, for a spiral scan of a brain (64 x 64), by oversampling and
// width; where the table has less than 3e-7, single precision leaves about that much:
//            3       4       5       6       7       8
//   1.25  2.4e-2  5.1e-3  1.2e-3  3.0e-4  6.5e-5  1.6e-5
//   1.5   7.4e-3  1.1e-3  2.2e-4  3.6e-5  5.6e-6  9.3e-7
//   2     2.4e-3  2.4e-4  2.5e-5  2.7e-6  2.9e-7  3.0e-8
//
// No float is added atomically: samples are sorted into tiles of the grid, and each cell gathers its samples
// in a fixed order, so that the same call gives the same bits.
#ifndef KN_APP_MRI_GRIDDING_GRIDDING_H
#define KN_APP_MRI_GRIDDING_GRIDDING_H

#include <koine/koine.h>

#include "engine/device/tuning.h"
#include "app/mri/memory.h"
#include "app/mri/mri.h"

enum {
    MRI_GRIDDING_WIDTH_MIN = 2,
    MRI_GRIDDING_WIDTH_MAX = 8,
    MRI_GRIDDING_TILE_MIN = MRI_GRIDDING_WIDTH_MAX, // a window touches at most two tiles
    MRI_GRIDDING_TILE_MAX = 64,
    // Bytes per sample on the device, for the sample and for the parts of its tile, and on the host.
    MRI_GRIDDING_SAMPLE = 84 + 128,
    MRI_GRIDDING_HOST_SAMPLE = 20
};

struct mri_gridding_options {
    double oversampling; // os, 1.25 to 4; 0: 2
    unsigned width;      // J in cells of the grid, MRI_GRIDDING_WIDTH_MIN to _MAX; 0: 6
    // If both are 1, samples lie on the matrix's own grid, each at its nearest point,
    // without a window. For measurements; all 0: the sizes that koine tune kept for the device, or its
    // default.
    unsigned group; // work-items of the adjoint's kernel, a power of two; 1 selects a kernel for CPUs
    unsigned split; // the most samples of a tile in a group; changes the last bits
    // Cells, powers of two from MRI_GRIDDING_TILE_MIN to _MAX; 1 for an axis of one cell.
    unsigned tile[MRI_AXES];
    // The fields of view that the matrix covers along each axis, 0 for 1: k is in cycles per one of them.
    unsigned fields_of_view;
};

struct mri_gridding;

// Copies the samples to the device, sorts them there and compiles. Each grid has the least length that is not
// below os N and has no prime factor above 7, and at least `width` cells; an axis of size 1 has no grid, and
// its k is ignored. Cost: a sort of 8 bytes per sample; about 84 bytes per sample on the device, up to 128
// more if tiles are computed in parts, 8 bytes per cell for the grid, and as much again for the transform.
// Errors: KN_ERROR_ARGUMENT for a width or an oversampling out of range, a matrix that ki_mri_matrix_count
// refuses or that does not have 2 or 3 axes, and for a k that is not finite; KN_ERROR_LIMIT for a grid or
// samples that exceed one allocation of the device, or a group that it cannot run; KN_ERROR_UNSUPPORTED for a
// group of 1 if the driver stops long loops (Mesa's llvmpipe); KN_ERROR_MEMORY.
kn_status ki_mri_gridding_create(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                 size_t samples, const struct mri_gridding_options *options,
                                 struct mri_gridding **gridding, kn_error *err);
// Sorts the samples again, as for a new trajectory; ki_mri_gridding_create has already done so. Does not
// wait.
kn_status ki_mri_gridding_set(kn_queue *queue, struct mri_gridding *gridding, kn_error *err);
// NULL is fine.
void ki_mri_gridding_free(struct mri_gridding *gridding);

// An estimate for the grid, as much again for the transform, the image, and the samples. `options` may be
// NULL.
struct mri_bytes ki_mri_gridding_memory(const kn_recon_matrix *matrix, size_t samples,
                                        const struct mri_gridding_options *options);

// Computes the image, a float2 per voxel, unscaled; `weights` may be NULL, for 1. NaN in the data gives NaN
// in the image. KN_ERROR_ARGUMENT for a buffer that is too small.
// Cost: copies the samples to the device, then five to eight passes over the grid.
kn_status ki_mri_gridding_adjoint(kn_queue *queue, struct mri_gridding *gridding, const double complex *data,
                                  const double *weights, kn_buffer *image, kn_error *err);

// The same for data on the device, a float2 per sample in the order of k; without weights.
kn_status ki_mri_gridding_adjoint_there(kn_queue *queue, struct mri_gridding *gridding, const kn_buffer *data,
                                        kn_buffer *image, kn_error *err);

// From the image (a float2 per voxel) to a float2 per sample, in the order of k.
kn_status ki_mri_gridding_forward(kn_queue *queue, struct mri_gridding *gridding, const kn_buffer *image,
                                  kn_buffer *data, kn_error *err);

// The sizes that koine tune chooses, for planes and for volumes; and the values of this gridding, in that
// order.
extern const kn_tunables ki_mri_gridding_tunables[2];
void ki_mri_gridding_values(const struct mri_gridding *gridding, unsigned values[KN_TUNABLES]);

// The cells of the grid along each axis, 1 for an axis without a grid.
void ki_mri_gridding_grid(const struct mri_gridding *gridding, size_t cells[MRI_AXES]);

// ---- for density compensation ----

// C C^H: spreads onto the grid and reads it at the same positions with the same window. A float2 per sample,
// in the order of ki_mri_gridding_order; in != out.
kn_status ki_mri_gridding_convolve(kn_queue *queue, struct mri_gridding *gridding, kn_buffer *in,
                                   kn_buffer *out, kn_error *err);
// One step: divides the real part of each weight by |C C^H weights|.
kn_status ki_mri_gridding_compensate(kn_queue *queue, struct mri_gridding *gridding, kn_buffer *weights,
                                     kn_error *err);
// order[i] is the sample at position i; owned by the gridding. The first call waits.
kn_status ki_mri_gridding_order(kn_queue *queue, struct mri_gridding *gridding, const uint32_t **order,
                                kn_error *err);
// The factor from C C^H w = 1 to weights in the image's scale (density.h): w is the area of each sample in
// cells divided by the square of the window's integral; the area in cycles per field of view divided by the
// voxels equals that in cells divided by the grid's cells.
double ki_mri_gridding_weight(const struct mri_gridding *gridding);

#endif
