// SPDX-License-Identifier: Apache-2.0
// Both sums of the host's NUFFT: from tiles to the grid, and from the grid to the image, and back.
#include "host_nufft_internal.h"

#include <string.h>

#include "base/error.h"
#include "base/threads.h"

// The arguments of the loops.
struct work {
    struct mri_host_nufft *nufft;
    const double complex *data, *basis, *from; // for the adjoint; an image
    const double *weights;
    double complex *values, *to; // for the forward sum; an image
    size_t colour[MRI_AXES];     // of the current tiles
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// ---- a tile's cells ----

static void add_numbers(bool is_double, void *to, const void *from, size_t count)
{
    if (is_double) {
        double *sums = to;
        const double *more = from;

        KI_SIMD
        for (size_t i = 0; i < count; i++)
            sums[i] += more[i];
    } else {
        float *sums = to;
        const float *more = from;

        KI_SIMD
        for (size_t i = 0; i < count; i++)
            sums[i] += more[i];
    }
}

// Adds all rows of a tile and its margin, which wraps around, to the grid, or copies them from it.
static void exchange(const struct mri_host_nufft *nufft, const size_t begin[MRI_AXES], char *room, bool add)
{
    const struct gridding_shape *shape = &nufft->shape;
    size_t pair = 2 * nufft_number(nufft), extent[MRI_AXES];

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        extent[axis] = least(shape->tile[axis], shape->cells[axis] - begin[axis]) + shape->span[axis] - 1;
    for (size_t z = 0; z < extent[2]; z++)
        for (size_t y = 0; y < extent[1]; y++) {
            size_t row =
                (begin[2] + z) % shape->cells[2] * shape->cells[1] + (begin[1] + y) % shape->cells[1];
            char *grid = (char *)nufft->grid + row * shape->cells[0] * pair;
            char *cells = room + (z * nufft->plane + y * nufft->row) * nufft_number(nufft);

            for (size_t x = 0, count; x < extent[0]; x += count) {
                size_t at = (begin[0] + x) % shape->cells[0];

                count = least(extent[0] - x, shape->cells[0] - at);
                if (add)
                    add_numbers(nufft->is_double, grid + at * pair, cells + x * pair, 2 * count);
                else
                    memcpy(cells + x * pair, grid + at * pair, count * pair);
            }
        }
}

static void do_tile(void *context, size_t round)
{
    const struct work *work = context;
    const struct mri_host_nufft *nufft = work->nufft;
    size_t number = nufft_number(nufft), begin[MRI_AXES], index = 0, first;
    char *room = (char *)nufft->rooms + ki_thread() * nufft->room * number;
    struct nufft_tile tile = {.windows = nufft->windows,
                              .cells = room,
                              .row = nufft->row,
                              .plane = nufft->plane,
                              .data = work->data,
                              .basis = work->basis,
                              .weights = work->weights,
                              .values = work->values};

    for (size_t axis = 0, step = 1; axis < MRI_AXES; step *= nufft->tiles[axis++]) {
        size_t some = nufft->tiles[axis] > 1 ? nufft->tiles[axis] / 2 : 1,
               at = nufft->tiles[axis] > 1 ? 2 * (round % some) + work->colour[axis] : 0;

        round /= some;
        begin[axis] = at * nufft->shape.tile[axis];
        index += at * step;
    }
    first = nufft->order.starts[index];
    tile.count = nufft->order.starts[index + 1] - first;
    tile.samples = nufft->order.samples + first;
    tile.places = nufft->places + first;
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        tile.offsets[axis] = (const char *)nufft->offsets + (axis * nufft->samples + first) * number;
    if (tile.count == 0)
        return;
    if (work->values) {
        exchange(nufft, begin, room, false);
        nufft->code->read(&tile);
    } else {
        memset(room, 0, nufft->room * number);
        nufft->code->spread(&tile);
        exchange(nufft, begin, room, true);
    }
}

// Processes tiles by colour, 0 or 1 along each axis with more than one tile.
static kn_status do_tiles(struct work *work, kn_error *err)
{
    struct mri_host_nufft *nufft = work->nufft;
    kn_status status = KN_OK;

    for (size_t colours = 0; colours < 1 << MRI_AXES && !status; colours++) {
        size_t rounds = 1;

        for (size_t axis = 0; axis < MRI_AXES; axis++) {
            work->colour[axis] = colours >> axis & 1;
            rounds *= nufft->tiles[axis] > 1 ? nufft->tiles[axis] / 2 : 1 - work->colour[axis];
        }
        status = ki_ask(nufft->ask, err);
        if (!status)
            ki_parallel(nufft->threads, rounds, KI_DYNAMIC, do_tile, work);
    }
    return status;
}

// ---- the grid and the image ----

static void clear_plane(void *context, size_t z)
{
    const struct mri_host_nufft *nufft = ((struct work *)context)->nufft;
    size_t bytes = nufft->shape.cells[0] * 2 * nufft_number(nufft);

    memset((char *)nufft->grid + z * bytes, 0, bytes);
}

static void clear(struct work *work)
{
    const size_t *cells = work->nufft->shape.cells;

    ki_parallel(work->nufft->threads, cells[1] * cells[2], KI_STATIC, clear_plane, work);
}

static size_t cell_of(const struct gridding_shape *shape, size_t axis, size_t j)
{
    size_t middle = shape->size[axis] / 2;

    return j < middle ? shape->cells[axis] - middle + j : j - middle;
}

static double read_cell(const struct mri_host_nufft *nufft, size_t at)
{
    return nufft->is_double ? ((const double *)nufft->grid)[at] : (double)((const float *)nufft->grid)[at];
}

static void write_cell(const struct mri_host_nufft *nufft, size_t at, double value)
{
    if (nufft->is_double)
        ((double *)nufft->grid)[at] = value;
    else
        ((float *)nufft->grid)[at] = (float)value;
}

// Copies a row of the image from the grid, or to it, times the factors.
static void move_row(void *context, size_t row)
{
    const struct work *work = context;
    const struct mri_host_nufft *nufft = work->nufft;
    const struct gridding_shape *shape = &nufft->shape;
    size_t y = row % shape->size[1], z = row / shape->size[1], x_size = shape->size[0];
    size_t cells = (cell_of(shape, 2, z) * shape->cells[1] + cell_of(shape, 1, y)) * shape->cells[0];
    double factor = nufft->factors[1][y] * nufft->factors[2][z];

    for (size_t x = 0; x < x_size; x++) {
        size_t at = 2 * (cells + cell_of(shape, 0, x)), n = row * x_size + x;
        double f = factor * nufft->factors[0][x];

        if (work->to) {
            work->to[n] = mri_complex(f * read_cell(nufft, at), f * read_cell(nufft, at + 1));
        } else {
            write_cell(nufft, at, f * creal(work->from[n]));
            write_cell(nufft, at + 1, f * cimag(work->from[n]));
        }
    }
}

static void move_image(struct work *work)
{
    const size_t *size = work->nufft->shape.size;

    ki_parallel(work->nufft->threads, size[1] * size[2], KI_STATIC, move_row, work);
}

// ---- both sums ----

kn_status ki_mri_host_nufft_adjoint(struct mri_host_nufft *nufft, const double complex *data,
                                    const double *weights, const double complex *basis, double complex *image,
                                    kn_error *err)
{
    struct work work = {.nufft = nufft, .data = data, .weights = weights, .basis = basis, .to = image};
    kn_status status;

    clear(&work);
    status = do_tiles(&work, err);
    if (!status)
        status = ki_mri_fft_backward(&nufft->fft, nufft->grid, err);
    if (!status)
        move_image(&work);
    return status;
}

kn_status ki_mri_host_nufft_forward(struct mri_host_nufft *nufft, const double complex *image,
                                    double complex *data, kn_error *err)
{
    struct work work = {.nufft = nufft, .from = image, .values = data};
    kn_status status;

    clear(&work);
    move_image(&work);
    status = ki_mri_fft_forward(&nufft->fft, nufft->grid, err);
    return status ? status : do_tiles(&work, err);
}
