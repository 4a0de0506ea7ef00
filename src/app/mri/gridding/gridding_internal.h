// SPDX-License-Identifier: Apache-2.0
// What the files of gridding share.
#ifndef KN_APP_MRI_GRIDDING_GRIDDING_INTERNAL_H
#define KN_APP_MRI_GRIDDING_GRIDDING_INTERNAL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/ask.h"
#include "gridding.h"

// KN_ERROR_ARGUMENT for a k that is not a number.
kn_status ki_gridding_check_samples(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                    kn_error *err);

// ---- the window (gridding_window.c) ----

enum { GRIDDING_TERMS_MAX = 24 };

struct gridding_window {
    unsigned width;
    double beta, peak; // b, I0(b)
    unsigned terms;    // of the polynomial in 1 - (2x/J)^2
    float coefficients[GRIDDING_TERMS_MAX];
};

// Without the polynomial; with it.
struct gridding_window ki_gridding_kaiser(unsigned width, double oversampling);
struct gridding_window ki_gridding_window(unsigned width, double oversampling);
// The polynomial of so many terms through f at Chebyshev's points of [low, 1], by its powers.
typedef double gridding_function(const void *context, double x);
void ki_gridding_fit(gridding_function *f, const void *context, double low, unsigned terms, double *powers);
// The width whose error is at most the tolerance (host_nufft.h).
unsigned ki_gridding_width(double tolerance, double oversampling);
// kb(x), 0 from J/2 on.
double ki_gridding_window_at(const struct gridding_window *window, double x);
// A(n) on a grid of `cells`.
double ki_gridding_window_transform(const struct gridding_window *window, double n, double cells);

// ---- samples in tiles (gridding_order.c: on the host) ----

struct gridding_shape {
    size_t size[MRI_AXES], cells[MRI_AXES]; // of the image and of the grid
    unsigned span[MRI_AXES]; // cells of the window; 1 for an axis of one cell, or samples on the grid
    unsigned tile[MRI_AXES];
    unsigned split; // samples of a job at most
};

static inline size_t gridding_tiles_along(const struct gridding_shape *shape, size_t axis)
{
    return (shape->cells[axis] - 1) / shape->tile[axis] + 1;
}

static inline size_t gridding_tiles(const struct gridding_shape *shape)
{
    return gridding_tiles_along(shape, 0) * gridding_tiles_along(shape, 1) * gridding_tiles_along(shape, 2);
}

// Cells of an axis of the grid: the next length from oversampling x size on without a prime factor above 7,
// and the window's width at least; for a window of one cell, which samples on the grid have, `size`.
size_t ki_gridding_cells(size_t size, double oversampling, unsigned width);

// Where a sample's window begins: its first cell, and how far that is from the sample.
static inline uint32_t gridding_first_cell(const struct gridding_shape *shape, size_t axis, double k,
                                           double *offset)
{
    double size = (double)shape->size[axis], cells = (double)shape->cells[axis], at, begin;
    int64_t first, grid = (int64_t)shape->cells[axis];

    *offset = 0;
    if (shape->cells[axis] == 1)
        return 0;
    // Exact, so that k far outside of the band lies where it belongs as well.
    at = (fabs(k) < size ? k : fmod(k, size)) * (cells / size);
    begin = at - shape->span[axis] / 2.0;
    first = (int64_t)begin;
    first += (int64_t)((double)first < begin);
    *offset = (double)first - at;
    // It is at most one and a half grids below 0, a window being no longer than a grid; without branches,
    // which nobody could predict.
    first += grid & -(int64_t)(first < 0);
    first += grid & -(int64_t)(first < 0);
    first -= grid & -(int64_t)(first >= grid);
    return (uint32_t)first;
}

// Samples by the tile that their window begins in, and within it in their order: those of tile t stand from
// starts[t] to starts[t + 1].
struct gridding_order {
    uint32_t *samples;
    size_t *starts;
};

// Sample m stands at position `at`; called by several threads, for neighbouring samples in turn.
typedef void gridding_place(void *context, size_t m, size_t at);

// Calls `place` for every sample. KN_ERROR_LIMIT for more samples or tiles than 32 bits count;
// KN_ERROR_MEMORY; KN_ERROR_INTERRUPTED by `ask`. Cost: two passes, shared among threads.
kn_status ki_gridding_order(const struct gridding_shape *shape, const double *k, size_t samples,
                            gridding_place *place, void *context, const struct ki_ask *ask,
                            struct gridding_order *order, kn_error *err);
void ki_gridding_order_free(struct gridding_order *order);

// ---- samples in bins (gridding_place.c: on a device) ----

struct mri_gridding;

// Buffers for the samples, and where they lie.
kn_status ki_gridding_place(kn_queue *queue, struct mri_gridding *gridding, const double *k, kn_error *err);
kn_status ki_gridding_make_buffer(kn_queue *queue, size_t count, size_t size, const void *data,
                                  kn_buffer **buffer, kn_error *err);

// ---- what was prepared (gridding.c) ----

struct mri_gridding {
    kn_recon_matrix matrix;
    struct gridding_shape shape;
    struct gridding_window window;
    size_t samples, voxels, cells;
    size_t tiles, bins, places, jobs;        // places of the sums of parts; groups of the adjoint's kernel
    bool serial;                             // a work-item a group, which adds samples to cells
    unsigned group;                          // work-items
    size_t piece;                            // windows that a launch adds or reads, about
    uint32_t *order;                         // NULL: nobody has asked for it yet
    float *staged;                           // data as they go to the device
    kn_buffer *fractions;                    // k / N, 3 a sample, in the caller's order
    kn_buffer *keys, *sorted;                // the samples' bins and numbers
    kn_buffer *starts, *positions, *offsets; // of bins; of the samples in the order of bins
    kn_buffer *extras, *sums, *job_list, *folds, *parts;
    kn_buffer *phases, *factors;              // tables along x, y and z in turn
    kn_buffer *arrived, *data, *grid, *image; // data in the caller's order and in that of `positions`
    kn_kernel *take, *spread, *fold, *interpolate, *deapodise, *compensate;
    kn_kernel *bin, *start, *place, *count_parts, *make_jobs;
    kn_fft_plan *to_image, *to_grid; // made when first gone
};

#endif
