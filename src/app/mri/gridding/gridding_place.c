// SPDX-License-Identifier: Apache-2.0
// Places samples on a device's grid, and assigns parts of it to the groups of the adjoint's kernel: the
// launches of cl/app/mri/mri_gridding_place.cl, and the sort by bins between them.
#include <stdlib.h>

#include <koine/scan.h>
#include <koine/sort.h>

#include "shared/mri.h"
#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "base/threads.h"
#include "gridding_internal.h"

// The most samples: a tile has one several times if windows wrap around a small grid.
static const size_t most_samples = (size_t)1 << 29;

// ---- buffers ----

kn_status ki_gridding_make_buffer(kn_queue *queue, size_t count, size_t size, const void *data,
                                  kn_buffer **buffer, kn_error *err)
{
    const kn_device_info *info = &queue->context->device.info;
    kn_status status;

    if (count > info->max_alloc / size)
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "gridding: %zu samples, tiles or cells of %zu bytes, and %s allocates %llu bytes at once; "
            "use a lower oversampling, or grid the samples in parts and add the images up",
            count, size, info->spec, (unsigned long long)info->max_alloc);
    status = kn_buffer_create(queue->context, count * size, buffer, err);
    if (!status && data && count)
        status = kn_buffer_write(queue, *buffer, 0, data, count * size, err);
    return status;
}

// Counts bins, tiles and jobs, which 32 bits must hold.
static kn_status count_all(struct mri_gridding *g, kn_error *err)
{
    const struct gridding_shape *shape = &g->shape;

    g->tiles = gridding_tiles(shape);
    g->bins = ((shape->cells[0] - 1) / GRIDDING_BIN + 1) * gridding_tiles_along(shape, 1) *
              gridding_tiles_along(shape, 2);
    if (g->samples > most_samples || g->bins >= UINT32_MAX / 2)
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "gridding: %zu samples into %zu bins; expected at most %zu, and %u. Grid the samples in "
            "parts and add the images up",
            g->samples, g->bins, most_samples, UINT32_MAX / 2 - 1);
    // A sample is in at most two tiles along each axis, except at the end of a grid that is no multiple of
    // tiles.
    g->places = g->samples;
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        g->places *= shape->span[axis] > 1 ? 2 : 1;
    g->places /= shape->split;
    g->jobs = g->tiles + g->places;
    return KN_OK;
}

static kn_status make_buffers(kn_queue *queue, struct mri_gridding *g, kn_error *err)
{
    const size_t word = sizeof(uint32_t), pair = 2 * sizeof(float);
    size_t tile = (size_t)g->shape.tile[0] * g->shape.tile[1] * g->shape.tile[2];
    const struct {
        size_t count, size;
        kn_buffer **buffer;
    } buffers[] = {{g->samples, MRI_AXES * word, &g->fractions},
                   {g->samples, word, &g->keys},
                   {g->samples, word, &g->sorted},
                   {g->samples, 4 * word, &g->positions},
                   {g->samples, 4 * word, &g->offsets},
                   {g->bins + 1, word, &g->starts},
                   {g->tiles, word, &g->extras},
                   {g->tiles, word, &g->sums},
                   {g->jobs, 4 * word, &g->job_list},
                   {g->places, 2 * word, &g->folds},
                   {g->places * tile, pair, &g->parts},
                   {g->samples, pair, &g->arrived},
                   {g->samples, pair, &g->data},
                   {g->cells, pair, &g->grid},
                   {g->voxels, pair, &g->image}};
    kn_status status = KN_OK;

    g->staged = malloc((g->samples + 1) * pair);
    if (!g->staged)
        return ki_fail_memory(err, g->samples * pair, "preparing gridding");
    for (size_t i = 0; i < KI_COUNT(buffers) && !status; i++)
        status =
            ki_gridding_make_buffer(queue, buffers[i].count, buffers[i].size, NULL, buffers[i].buffer, err);
    return status;
}

// ---- fractions ----

enum {
    BLOCK = 1 << 16
}; // samples that a thread takes at a time: some ten times as long as it takes to wake it

struct reducing {
    const struct mri_gridding *g;
    const double *k;
    uint32_t *fractions;
};

static void reduce_block(void *context, size_t block)
{
    const struct reducing *r = context;
    const struct gridding_shape *shape = &r->g->shape;
    size_t end = (block + 1) * BLOCK < r->g->samples ? (block + 1) * BLOCK : r->g->samples;

    for (size_t m = block * BLOCK; m < end; m++)
        for (size_t axis = 0, i = m * MRI_AXES; axis < MRI_AXES; axis++, i++)
            r->fractions[i] = shape->cells[axis] > 1
                                  ? ki_mri_fraction(shape->fields_of_view * r->k[i], shape->size[axis])
                                  : 0;
}

static kn_status upload_fractions(kn_queue *queue, struct mri_gridding *g, const double *k, kn_error *err)
{
    size_t bytes = g->samples * MRI_AXES * sizeof(uint32_t);
    struct reducing reducing = {g, k, ki_kept_take(&queue->kept, bytes)};
    kn_status status = KN_OK;

    if (!reducing.fractions)
        return ki_fail_memory(err, bytes, "preparing gridding");
    ki_parallel(ki_threads(0), (g->samples + BLOCK - 1) / BLOCK, KI_STATIC, reduce_block, &reducing);
    if (bytes)
        status = kn_buffer_write(queue, g->fractions, 0, reducing.fractions, bytes, err);
    ki_kept_give(&queue->kept, reducing.fractions);
    return status;
}

// ---- launches ----

enum { ITEMS = 64 }; // work-items of a group

static kn_status launch(kn_queue *queue, kn_kernel *kernel, size_t items, const kn_arg *args, size_t count,
                        kn_error *err)
{
    const kn_range range = {1, {(items + ITEMS - 1) / ITEMS * ITEMS}, {ITEMS}, {0}};

    return items ? kn_launch(queue, kernel, &range, args, count, NO_EVENT, err) : KN_OK;
}

// Sorts samples by bins.
static kn_status sort(kn_queue *queue, struct mri_gridding *g, const uint32_t cells[MRI_AXES], kn_error *err)
{
    const uint32_t samples = (uint32_t)g->samples, bins = (uint32_t)g->bins;
    const kn_arg bin[] = {KN_VALUE(samples),   KN_BUFFER(g->fractions), KN_VALUE(cells[0]),
                          KN_VALUE(cells[1]),  KN_VALUE(cells[2]),      KN_BUFFER(g->keys),
                          KN_BUFFER(g->sorted)};
    const kn_arg place[] = {KN_VALUE(samples),       KN_BUFFER(g->sorted), KN_BUFFER(g->fractions),
                            KN_VALUE(cells[0]),      KN_VALUE(cells[1]),   KN_VALUE(cells[2]),
                            KN_BUFFER(g->positions), KN_BUFFER(g->offsets)};
    const kn_arg start[] = {KN_VALUE(samples), KN_BUFFER(g->keys), KN_VALUE(bins), KN_BUFFER(g->starts)};
    kn_status status = launch(queue, g->bin, g->samples, bin, KI_COUNT(bin), err);

    if (!status && g->samples > 1)
        status = kn_sort_by_key(queue, g->keys, KN_U32, g->samples, g->sorted, sizeof(uint32_t), NULL, err);
    if (!status)
        status = launch(queue, g->place, g->samples, place, KI_COUNT(place), err);
    return status ? status : launch(queue, g->start, g->bins + 1, start, KI_COUNT(start), err);
}

// Assigns groups to the tiles, each in as many parts as its samples need.
static kn_status share_out(kn_queue *queue, struct mri_gridding *g, const uint32_t cells[MRI_AXES],
                           kn_error *err)
{
    const uint32_t tiles = (uint32_t)g->tiles, split = g->shape.split, places = (uint32_t)g->places;
    const uint32_t none = UINT32_MAX;
    const kn_arg count[] = {KN_VALUE(tiles),    KN_VALUE(split),    KN_BUFFER(g->starts), KN_VALUE(cells[0]),
                            KN_VALUE(cells[1]), KN_VALUE(cells[2]), KN_BUFFER(g->extras)};
    const kn_arg jobs[] = {KN_VALUE(tiles),    KN_VALUE(places),       KN_BUFFER(g->extras),
                           KN_BUFFER(g->sums), KN_BUFFER(g->job_list), KN_BUFFER(g->folds)};
    kn_status status =
        kn_buffer_fill(queue, g->job_list, &none, sizeof none, 0, g->jobs * 4 * sizeof none, NO_EVENT, err);

    if (!status && places)
        status = kn_buffer_fill(queue, g->folds, &none, sizeof none, 0, g->places * 2 * sizeof none, NO_EVENT,
                                err);
    if (!status)
        status = launch(queue, g->count_parts, g->tiles, count, KI_COUNT(count), err);
    if (!status)
        status = kn_scan(queue, g->extras, KN_U32, g->tiles, KN_REDUCE_SUM, KN_SCAN_EXCLUSIVE, g->sums, err);
    return status ? status : launch(queue, g->make_jobs, g->tiles, jobs, KI_COUNT(jobs), err);
}

kn_status ki_mri_gridding_set(kn_queue *queue, struct mri_gridding *g, kn_error *err)
{
    const uint32_t cells[MRI_AXES] = {(uint32_t)g->shape.cells[0], (uint32_t)g->shape.cells[1],
                                      (uint32_t)g->shape.cells[2]};
    kn_status status = sort(queue, g, cells, err);

    free(g->order);
    g->order = NULL;
    return status ? status : share_out(queue, g, cells, err);
}

kn_status ki_gridding_place(kn_queue *queue, struct mri_gridding *g, const double *k, kn_error *err)
{
    kn_status status = count_all(g, err);

    if (!status)
        status = make_buffers(queue, g, err);
    if (!status)
        status = upload_fractions(queue, g, k, err);
    return status ? status : ki_mri_gridding_set(queue, g, err);
}

kn_status ki_mri_gridding_order(kn_queue *queue, struct mri_gridding *g, const uint32_t **order,
                                kn_error *err)
{
    kn_status status = KN_OK;

    if (!g->order) {
        g->order = malloc((g->samples + 1) * sizeof *g->order);
        if (!g->order)
            return ki_fail_memory(err, g->samples * sizeof *g->order, "the order of samples");
        if (g->samples)
            status = kn_buffer_read(queue, g->sorted, 0, g->order, g->samples * sizeof *g->order, err);
    }
    *order = g->order;
    return status;
}
