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

// ---- samples in tiles (gridding_order.c, gridding_sort.c) ----

struct gridding_shape {
    size_t size[MRI_AXES], cells[MRI_AXES]; // of the image and of the grid
    unsigned span[MRI_AXES];                // cells of the window, 1 for an axis of one cell
    unsigned tile[MRI_AXES];
    unsigned split; // entries of a job at most
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
// and the window's width at least.
size_t ki_gridding_cells(size_t size, double oversampling, unsigned width);

// Where a sample's window begins: its first cell, and how far that is from the sample.
static inline uint32_t gridding_first_cell(const struct gridding_shape *shape, size_t axis, double k,
                                           double *offset)
{
    double size = (double)shape->size[axis], cells = (double)shape->cells[axis], at, begin;
    int64_t first, grid = (int64_t)shape->cells[axis];

    *offset = 0;
    if (shape->span[axis] == 1)
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

// What cl/app/mri/mri_gridding.cl reads, as it reads it.
struct gridding_position {
    uint32_t first[MRI_AXES], sample;
};
struct gridding_offset {
    float cells[MRI_AXES + 1]; // from the sample to its first cell; the last one is nothing
};
struct gridding_entry {
    uint32_t position, first;
};
struct gridding_job {
    uint32_t tile, first, count, part;
};

struct gridding_sorted {
    struct gridding_position *positions; // a sample each, sorted by tile
    struct gridding_offset *offsets;
    struct gridding_entry *entries; // sorted by tile, then by position
    struct gridding_job *jobs, *folds;
    size_t samples, entry_count, job_count, fold_count, part_count;
};

// KN_ERROR_LIMIT for more samples or entries than 32 bits count; KN_ERROR_MEMORY.
kn_status ki_gridding_sort(const struct gridding_shape *shape, const double *k, size_t samples,
                           const struct ki_ask *ask, struct gridding_sorted *sorted, kn_error *err);
void ki_gridding_sorted_free(struct gridding_sorted *sorted);

// ---- what was prepared (gridding.c) ----

struct mri_gridding {
    kn_recon_matrix matrix;
    struct gridding_shape shape;
    struct gridding_window window;
    size_t samples, voxels, cells, fold_count;
    bool serial;    // a work-item a group, which adds samples to cells
    unsigned group; // work-items
    size_t piece;   // windows that a launch adds or reads, about
    size_t *pieces; // of the jobs, in launches of their own: where each begins, and where the last one ends
    size_t piece_count;
    uint32_t *order;
    float *staged; // data as they go to the device
    kn_buffer *positions, *offsets, *entries, *jobs, *folds, *parts;
    kn_buffer *phases, *factors;              // tables along x, y and z in turn
    kn_buffer *arrived, *data, *grid, *image; // data in the caller's order and in that of `positions`
    kn_kernel *take, *spread, *fold, *interpolate, *deapodise, *compensate;
    kn_fft_plan *to_image, *to_grid; // made when first gone
};

#endif
