// SPDX-License-Identifier: Apache-2.0
// The parts that the files of gridding share.
#ifndef KN_APP_MRI_GRIDDING_GRIDDING_INTERNAL_H
#define KN_APP_MRI_GRIDDING_GRIDDING_INTERNAL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/ask.h"
#include "gridding.h"

// KN_ERROR_ARGUMENT for a k that is not finite.
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
// The polynomial with this many terms that interpolates f at the Chebyshev points of [low, 1], by powers.
typedef double gridding_function(const void *context, double x);
void ki_gridding_fit(gridding_function *f, const void *context, double low, unsigned terms, double *powers);
// The least width whose error is at most the tolerance (host_nufft.h).
unsigned ki_gridding_width(double tolerance, double oversampling);
// kb(x), which is 0 from J/2 on.
double ki_gridding_window_at(const struct gridding_window *window, double x);
// A(n) for a grid of `cells`.
double ki_gridding_window_transform(const struct gridding_window *window, double n, double cells);

// ---- samples in tiles (gridding_order.c: on the host) ----

struct gridding_shape {
    size_t size[MRI_AXES], cells[MRI_AXES]; // of the image and of the grid
    unsigned span[MRI_AXES]; // cells of the window; 1 for an axis of one cell, or for samples on the grid
    unsigned tile[MRI_AXES];
    unsigned split;          // the most samples of a job
    unsigned fields_of_view; // struct mri_gridding_options
};

static inline size_t gridding_tiles_along(const struct gridding_shape *shape, size_t axis)
{
    return (shape->cells[axis] - 1) / shape->tile[axis] + 1;
}

static inline size_t gridding_tiles(const struct gridding_shape *shape)
{
    return gridding_tiles_along(shape, 0) * gridding_tiles_along(shape, 1) * gridding_tiles_along(shape, 2);
}

// Cells of an axis of the grid: the least length that is not below oversampling x size and has no prime
// factor above 7, and at least the window's width; for a window of one cell, as for samples on the grid,
// `size`.
size_t ki_gridding_cells(size_t size, double oversampling, unsigned width);

// The first cell of a sample's window, and its distance from the sample.
static inline uint32_t gridding_first_cell(const struct gridding_shape *shape, size_t axis, double k,
                                           double *offset)
{
    double size = (double)shape->size[axis], cells = (double)shape->cells[axis], at, begin;
    int64_t first, grid = (int64_t)shape->cells[axis];

    *offset = 0;
    if (shape->cells[axis] == 1)
        return 0;
    // Exact, so that a k far outside of the band is placed correctly, too.
    at = (fabs(k) < size ? k : fmod(k, size)) * (cells / size);
    begin = at - shape->span[axis] / 2.0;
    first = (int64_t)begin;
    first += (int64_t)((double)first < begin);
    *offset = (double)first - at;
    // It is at most one and a half grids below 0, because a window is not longer than a grid. Without
    // branches, which would be unpredictable.
    first += grid & -(int64_t)(first < 0);
    first += grid & -(int64_t)(first < 0);
    first -= grid & -(int64_t)(first >= grid);
    return (uint32_t)first;
}

// Samples sorted by the tile in which their window begins, in their order within a tile: those of tile t are
// at positions starts[t] to starts[t + 1] - 1.
struct gridding_order {
    uint32_t *samples;
    size_t *starts;
};

// Sample m goes to position `at`; called on several threads, each for neighbouring samples in turn.
typedef void gridding_place(void *context, size_t m, size_t at);

// Calls `place` for every sample. KN_ERROR_LIMIT if 32 bits cannot count the samples or tiles;
// KN_ERROR_MEMORY; KN_ERROR_INTERRUPTED by `ask`. Cost: two passes, shared among threads.
kn_status ki_gridding_order(const struct gridding_shape *shape, const double *k, size_t samples,
                            gridding_place *place, void *context, const struct ki_ask *ask,
                            struct gridding_order *order, kn_error *err);
void ki_gridding_order_free(struct gridding_order *order);

// ---- samples in bins (gridding_place.c: on a device) ----

struct mri_gridding;

// Creates the samples' buffers, and computes their places.
kn_status ki_gridding_place(kn_queue *queue, struct mri_gridding *gridding, const double *k, kn_error *err);
kn_status ki_gridding_make_buffer(kn_queue *queue, size_t count, size_t size, const void *data,
                                  kn_buffer **buffer, kn_error *err);

// ---- the prepared gridding (gridding.c) ----

struct mri_gridding {
    kn_recon_matrix matrix;
    struct gridding_shape shape;
    struct gridding_window window;
    size_t samples, voxels, cells;
    size_t tiles, bins, places, jobs;        // places for the sums of parts; groups of the adjoint's kernel
    bool serial;                             // one work-item per group, which adds samples to cells
    unsigned group;                          // work-items
    size_t piece;                            // approximate number of windows that a launch adds or reads
    uint32_t *order;                         // NULL until it is asked for
    float *staged;                           // data on their way to the device
    kn_buffer *fractions;                    // k / N, 3 per sample, in the caller's order
    kn_buffer *keys, *sorted;                // the samples' bins and numbers
    kn_buffer *starts, *positions, *offsets; // of bins; of the samples in the order of bins
    kn_buffer *extras, *sums, *job_list, *folds, *parts;
    kn_buffer *phases, *factors;              // tables along x, then y, then z
    kn_buffer *arrived, *data, *grid, *image; // data in the caller's order and in that of `positions`
    kn_kernel *take, *spread, *fold, *interpolate, *deapodise, *compensate;
    kn_kernel *bin, *start, *place, *count_parts, *make_jobs;
    kn_fft_plan *to_image, *to_grid; // created when first used
};

#endif
