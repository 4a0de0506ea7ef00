// SPDX-License-Identifier: Apache-2.0
// Prepares the host's NUFFT: its grid and tiles, the windows' polynomials, and the samples' places.
#include "host_nufft_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/threads.h"

static const double oversampling = 2;
static const struct nufft_code *const codes[][2] = {HOST_LEVELS(nufft_code)};

// ---- the grid ----

// Cells of a tile along the axes that have a grid, by the number of these axes: tiles fit in a core's caches.
static const unsigned wanted_tiles[][MRI_AXES] = {{2048, 1, 1}, {64, 32, 1}, {32, 16, 8}};

// The length of a tile for which there is one tile or an even number, none shorter than a window's margin.
static unsigned tile_along(size_t cells, unsigned span, unsigned wanted)
{
    size_t least = span > 1 ? span - 1 : 1;

    for (size_t tiles = cells / wanted / 2 * 2; tiles > 0; tiles -= 2) {
        size_t tile = (cells + tiles - 1) / tiles;

        if (tile >= least && (tiles - 1) * tile + least <= cells)
            return (unsigned)tile;
    }
    return (unsigned)cells;
}

static bool is_on_grid(double tolerance)
{
    return tolerance == MRI_NUFFT_ON_GRID;
}

static unsigned width_of(double tolerance)
{
    return is_on_grid(tolerance) ? 1 : ki_gridding_width(tolerance, oversampling);
}

static void plan_shape(const kn_recon_matrix *matrix, unsigned width, struct gridding_shape *shape)
{
    size_t axes = 0, at = 0;

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        axes += matrix->size[axis] > 1;
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        bool has_grid = matrix->size[axis] > 1;

        shape->size[axis] = matrix->size[axis];
        shape->cells[axis] = ki_gridding_cells(matrix->size[axis], oversampling, width);
        shape->span[axis] = has_grid ? width : 1;
        shape->tile[axis] =
            has_grid ? tile_along(shape->cells[axis], width, wanted_tiles[axes - 1][at++]) : 1;
    }
}

// ---- windows ----

// The piece of the window for one cell, for offsets from -1 to 1.
struct piece {
    const struct gridding_window *window;
    unsigned cell;
};

static double piece_at(const void *context, double t)
{
    const struct piece *piece = context;

    return ki_gridding_window_at(piece->window, (t + 1 - piece->window->width) / 2 + piece->cell);
}

static double fit(const struct gridding_window *window, unsigned terms,
                  double powers[NUFFT_WIDTH][GRIDDING_TERMS_MAX])
{
    enum { POINTS = 32 };
    double worst = 0;

    for (unsigned cell = 0; cell < window->width; cell++) {
        const struct piece piece = {window, cell};

        ki_gridding_fit(piece_at, &piece, -1, terms, powers[cell]);
        for (int p = 0; p < POINTS; p++) {
            double t = (2 * p + 1.0) / POINTS - 1, value = 0;

            for (unsigned i = terms; i-- > 0;)
                value = value * t + powers[cell][i];
            worst = fmax(worst, fabs(value - piece_at(&piece, t)));
        }
    }
    return worst;
}

static void store(const struct mri_host_nufft *nufft, void *to, size_t i, double value)
{
    if (nufft->is_double)
        ((double *)to)[i] = value;
    else
        ((float *)to)[i] = (float)value;
}

// Takes the fewest terms whose error is negligible relative to the tolerance.
static void make_windows(struct mri_host_nufft *nufft, const struct gridding_window *window, double tolerance)
{
    enum { AXIS = GRIDDING_TERMS_MAX * NUFFT_NUMBERS };
    double powers[NUFFT_WIDTH][GRIDDING_TERMS_MAX] = {{0}};
    unsigned terms = 4;

    while (window->width > 1 && fit(window, terms, powers) > tolerance / 100 && terms < GRIDDING_TERMS_MAX)
        terms++;
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        unsigned span = nufft->shape.span[axis], twice = axis == 0 ? 2 : 1;
        char *to = (char *)nufft->powers + axis * AXIS * nufft_number(nufft);

        nufft->windows[axis] = (struct nufft_window){span, span > 1 ? terms : 1, to};
        for (size_t i = 0; i < nufft->windows[axis].terms; i++)
            for (size_t at = 0; at < NUFFT_NUMBERS; at++) {
                double value = span > 1 ? powers[at / twice % NUFFT_WIDTH][i] : 1;

                store(nufft, to, i * NUFFT_NUMBERS + at, at < (size_t)span * twice ? value : 0);
            }
    }
}

static kn_status make_factors(struct mri_host_nufft *nufft, const struct gridding_window *window,
                              kn_error *err)
{
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t size = nufft->shape.size[axis], middle = size / 2;

        nufft->factors[axis] = malloc(size * sizeof(double));
        if (!nufft->factors[axis])
            return ki_fail_memory(err, size * sizeof(double), "a window's transform");
        for (size_t j = 0; j < size; j++)
            nufft->factors[axis][j] =
                nufft->shape.span[axis] > 1
                    ? 1 / ki_gridding_window_transform(window, (double)j - (double)middle,
                                                       (double)nufft->shape.cells[axis])
                    : 1;
    }
    return KN_OK;
}

// ---- samples ----

struct placing {
    const struct mri_host_nufft *nufft;
    const double *k;
};

static void place_sample(void *context, size_t m, size_t at)
{
    const struct placing *p = context;
    const struct mri_host_nufft *nufft = p->nufft;
    const struct gridding_shape *shape = &nufft->shape;
    const size_t step[MRI_AXES] = {2, nufft->row, nufft->plane};
    size_t place = 0;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        double offset;
        uint32_t first = gridding_first_cell(shape, axis, p->k[MRI_AXES * m + axis], &offset);

        place += first % shape->tile[axis] * step[axis];
        store(nufft, nufft->offsets, axis * nufft->samples + at,
              shape->span[axis] > 1 ? 2 * offset + shape->span[axis] - 1 : 0);
    }
    nufft->places[at] = (uint32_t)place;
}

// ---- the plan ----

// Voxel j of N is at j - N/2, modulo the cells.
static struct mri_fft_shape plan_fft(const struct mri_host_nufft *nufft)
{
    struct mri_fft_shape shape = {.type = nufft->is_double ? KN_F64 : KN_F32};

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t size = nufft->shape.size[axis];

        shape.length[axis] = nufft->shape.cells[axis];
        shape.used[axis] = size - size / 2;
        shape.used_below[axis] = size / 2;
    }
    return shape;
}

static void plan_rooms(struct mri_host_nufft *nufft)
{
    const struct gridding_shape *shape = &nufft->shape;

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        nufft->tiles[axis] = gridding_tiles_along(shape, axis);
    nufft->row = (2 * nufft_extent(shape, 0) / NUFFT_LANES + 2) * NUFFT_LANES;
    nufft->plane = nufft->row * nufft_extent(shape, 1);
    nufft->room = nufft->plane * nufft_extent(shape, 2);
}

struct mri_bytes ki_mri_host_nufft_memory(const kn_recon_matrix *matrix, size_t samples,
                                          const struct mri_nufft_options *options)
{
    struct mri_host_nufft nufft = {.is_double = options->is_double};
    size_t number = nufft_number(&nufft), bytes = 2 * number, tables = 0;
    struct mri_fft_shape fft;

    plan_shape(matrix, width_of(options->tolerance), &nufft.shape);
    plan_rooms(&nufft);
    fft = plan_fft(&nufft);
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        bytes = saturate_times(bytes, nufft.shape.cells[axis]);
        tables += GRIDDING_TERMS_MAX * NUFFT_NUMBERS * number + matrix->size[axis] * sizeof(double);
    }
    tables = saturate_plus(tables, saturate_times(gridding_tiles(&nufft.shape), sizeof(size_t)));
    bytes = saturate_plus(saturate_plus(bytes, tables), ki_mri_fft_memory(&fft).host);
    bytes = saturate_plus(bytes, saturate_times(samples, 4 * sizeof(uint32_t) + MRI_AXES * number));
    return (struct mri_bytes){
        .host = saturate_plus(bytes, saturate_times(ki_threads(0), saturate_times(nufft.room, number)))};
}

static kn_status allocate(struct mri_host_nufft *nufft, kn_error *err)
{
    size_t number = nufft_number(nufft), cells = 2 * number, samples = nufft->samples;
    size_t rooms = saturate_times(nufft->threads, saturate_times(nufft->room, number));
    size_t tables = MRI_AXES * (size_t)GRIDDING_TERMS_MAX * NUFFT_NUMBERS * number;

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        cells = saturate_times(cells, nufft->shape.cells[axis]);
    nufft->grid = malloc(cells);
    nufft->rooms = malloc(rooms);
    nufft->powers = malloc(tables);
    nufft->places = malloc((samples + 1) * sizeof *nufft->places);
    nufft->offsets = malloc((samples + 1) * MRI_AXES * number);
    if (!nufft->grid || !nufft->rooms || !nufft->powers || !nufft->places || !nufft->offsets)
        return ki_fail_memory(
            err, saturate_plus(saturate_plus(cells, rooms), samples * (MRI_AXES * number + sizeof(uint32_t))),
            "a NUFFT's grid and samples");
    return KN_OK;
}

static kn_status check(const kn_recon_matrix *matrix, const double *k, size_t samples,
                       const struct mri_nufft_options *options, kn_error *err)
{
    double least = MRI_NUFFT_LEAST(options->is_double);
    size_t voxels;
    kn_status status = ki_mri_matrix_count(matrix, &voxels, err);

    // Refuses NaN, too.
    if (!status && options->tolerance != MRI_NUFFT_ON_GRID &&
        !(options->tolerance >= least && options->tolerance <= MRI_NUFFT_MOST))
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "a NUFFT's tolerance of %g; expected %g to %g in %s precision, or the exact sum",
                         options->tolerance, least, MRI_NUFFT_MOST, options->is_double ? "double" : "single");
    return status ? status : ki_gridding_check_samples(matrix, k, samples, err);
}

static kn_status prepare(struct mri_host_nufft *nufft, const double *k, double tolerance,
                         const kn_host_options *host, kn_error *err)
{
    struct gridding_window window = {.width = 1};
    const struct mri_fft_shape shape = plan_fft(nufft);
    kn_status status = allocate(nufft, err);

    if (!is_on_grid(tolerance))
        window = ki_gridding_kaiser(width_of(tolerance), oversampling);
    if (!status)
        status = make_factors(nufft, &window, err);
    if (!status)
        status = ki_gridding_order(&nufft->shape, k, nufft->samples, place_sample,
                                   &(struct placing){nufft, k}, nufft->ask, &nufft->order, err);
    if (status)
        return status;
    make_windows(nufft, &window, tolerance);
    return ki_mri_fft_create(&shape, host, nufft->ask, &nufft->fft, err);
}

kn_status ki_mri_host_nufft_create(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                   const struct mri_nufft_options *options, const kn_host_options *host,
                                   struct ki_ask *ask, struct mri_host_nufft **made, kn_error *err)
{
    struct host_plan plan;
    struct mri_host_nufft *nufft = NULL;
    kn_status status = check(matrix, k, samples, options, err);

    if (!status)
        status = ki_host_plan("mri_nufft", options->is_double ? KN_F64 : KN_F32, 0, host, &plan, err);
    if (status)
        return status;
    nufft = calloc(1, sizeof *nufft);
    if (!nufft)
        return ki_fail_memory(err, sizeof *nufft, "a NUFFT");
    nufft->is_double = options->is_double;
    nufft->code = codes[plan.level][options->is_double];
    nufft->threads = plan.threads;
    nufft->ask = ask;
    nufft->samples = samples;
    plan_shape(matrix, width_of(options->tolerance), &nufft->shape);
    plan_rooms(nufft);
    status = prepare(nufft, k, options->tolerance, host, err);
    if (status) {
        ki_mri_host_nufft_free(nufft);
        return status;
    }
    *made = nufft;
    return KN_OK;
}

void ki_mri_host_nufft_free(struct mri_host_nufft *nufft)
{
    if (!nufft)
        return;
    ki_mri_fft_free(&nufft->fft);
    ki_gridding_order_free(&nufft->order);
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        free(nufft->factors[axis]);
    free(nufft->powers);
    free(nufft->places);
    free(nufft->offsets);
    free(nufft->grid);
    free(nufft->rooms);
    free(nufft);
}
