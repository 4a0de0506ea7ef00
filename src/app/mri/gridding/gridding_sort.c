// SPDX-License-Identifier: Apache-2.0
// Samples in tiles of the grid, as the kernels take them: each tile with all samples whose windows touch it.
#include "gridding_internal.h"

#include <stdlib.h>

#include "base/error.h"

// A tile made in more parts than this would wait for its fold.
enum { PARTS_MAX = 1024 };
// Samples between two questions whether to go on.
enum { PIECE = 1 << 18 };
#define STORED_AT_ONCE UINT32_MAX

// A window on one axis: its first cell, and the tiles that it touches, each with its first cell as seen from
// there. A window is no longer than the grid, and a tile no shorter than a window but for the last one.
enum { TOUCHED_MAX = 4, FIRST_ZERO = 128 };
struct touched {
    size_t count, tile[TOUCHED_MAX];
    uint32_t first[TOUCHED_MAX];
};

static void touch(struct touched *touched, const struct gridding_shape *shape, size_t axis, size_t from,
                  size_t to, long begins)
{
    for (size_t tile = from / shape->tile[axis]; from < to; tile++) {
        touched->tile[touched->count] = tile;
        touched->first[touched->count++] = (uint32_t)(begins - (long)(tile * shape->tile[axis]) + FIRST_ZERO);
        from = (tile + 1) * shape->tile[axis];
    }
}

static struct touched touched_tiles(const struct gridding_shape *shape, size_t axis, uint32_t first)
{
    size_t cells = shape->cells[axis], end = (size_t)first + shape->span[axis];
    struct touched touched = {.count = 0};

    touch(&touched, shape, axis, first, end < cells ? end : cells, (long)first);
    if (end > cells)
        touch(&touched, shape, axis, 0, end - cells, (long)first - (long)cells);
    return touched;
}

// ---- samples ----

struct placing {
    const struct gridding_shape *shape;
    const double *k;
    struct gridding_sorted *sorted;
};

static void place_sample(void *context, size_t m, size_t at)
{
    const struct placing *p = context;
    struct gridding_position position = {.sample = (uint32_t)m};
    struct gridding_offset offset = {{0}};

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        double distance;

        position.first[axis] = gridding_first_cell(p->shape, axis, p->k[MRI_AXES * m + axis], &distance);
        offset.cells[axis] = (float)distance;
    }
    p->sorted->positions[at] = position;
    p->sorted->offsets[at] = offset;
}

// ---- entries ----

// Counts a sample's entries, or stores them where `entries` is given.
static void enter(const struct gridding_shape *shape, const struct gridding_position *position, size_t index,
                  size_t *starts, struct gridding_entry *entries)
{
    struct touched at[MRI_AXES];

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        at[axis] = touched_tiles(shape, axis, position->first[axis]);
    for (size_t z = 0; z < at[2].count; z++)
        for (size_t y = 0; y < at[1].count; y++)
            for (size_t x = 0; x < at[0].count; x++) {
                size_t tile = (at[2].tile[z] * gridding_tiles_along(shape, 1) + at[1].tile[y]) *
                                  gridding_tiles_along(shape, 0) +
                              at[0].tile[x];
                if (entries)
                    entries[starts[tile]] = (struct gridding_entry){
                        (uint32_t)index, at[0].first[x] | at[1].first[y] << 8 | at[2].first[z] << 16};
                starts[tile]++;
            }
}

static kn_status enter_all(const struct gridding_shape *shape, size_t *starts, const struct ki_ask *ask,
                           struct gridding_sorted *sorted, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < sorted->samples && !status; i++) {
        if (i % PIECE == PIECE - 1)
            status = ki_ask(ask, err);
        enter(shape, &sorted->positions[i], i, starts, sorted->entries);
    }
    return status;
}

static kn_status make_entries(const struct gridding_shape *shape, size_t *starts, const struct ki_ask *ask,
                              struct gridding_sorted *sorted, kn_error *err)
{
    size_t tiles = gridding_tiles(shape), sum = 0;
    kn_status status;

    for (size_t tile = 0; tile <= tiles; tile++)
        starts[tile] = 0;
    status = enter_all(shape, starts, ask, sorted, err);
    if (status)
        return status;
    for (size_t tile = 0; tile <= tiles; tile++) {
        size_t count = starts[tile];
        starts[tile] = sum;
        sum += count;
    }
    if (sum >= UINT32_MAX)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "gridding: the windows of %zu samples touch %zu tiles; 32 bits count them. Grid the "
                       "samples in parts and add the images up",
                       sorted->samples, sum);
    sorted->entry_count = sum;
    sorted->entries = malloc((sum + 1) * sizeof *sorted->entries);
    if (!sorted->entries)
        return ki_fail_memory(err, sum * sizeof *sorted->entries, "sorting samples into tiles");
    return enter_all(shape, starts, ask, sorted, err);
}

// ---- jobs ----

static size_t parts_of(const struct gridding_shape *shape, size_t count)
{
    size_t parts = count ? (count - 1) / shape->split + 1 : 1;

    return parts < PARTS_MAX ? parts : PARTS_MAX;
}

// starts[tile] is where the tile's entries end.
static kn_status make_jobs(const struct gridding_shape *shape, const size_t *ends,
                           struct gridding_sorted *sorted, kn_error *err)
{
    size_t tiles = gridding_tiles(shape), jobs = 0;

    for (size_t tile = 0; tile < tiles; tile++)
        jobs += parts_of(shape, ends[tile] - (tile ? ends[tile - 1] : 0));
    sorted->jobs = malloc((jobs + 1) * sizeof *sorted->jobs);
    sorted->folds = malloc((jobs + 1) * sizeof *sorted->folds);
    if (!sorted->jobs || !sorted->folds)
        return ki_fail_memory(err, 2 * jobs * sizeof *sorted->jobs, "sorting samples into tiles");
    for (size_t tile = 0; tile < tiles; tile++) {
        size_t begin = tile ? ends[tile - 1] : 0, count = ends[tile] - begin, parts = parts_of(shape, count);

        if (parts > 1)
            sorted->folds[sorted->fold_count++] = (struct gridding_job){
                (uint32_t)tile, (uint32_t)sorted->part_count, (uint32_t)parts, STORED_AT_ONCE};
        for (size_t part = 0; part < parts; part++) {
            size_t from = count * part / parts, to = count * (part + 1) / parts;
            sorted->jobs[sorted->job_count++] =
                (struct gridding_job){(uint32_t)tile, (uint32_t)(begin + from), (uint32_t)(to - from),
                                      parts > 1 ? (uint32_t)sorted->part_count++ : STORED_AT_ONCE};
        }
    }
    return KN_OK;
}

kn_status ki_gridding_sort(const struct gridding_shape *shape, const double *k, size_t samples,
                           const struct ki_ask *ask, struct gridding_sorted *sorted, kn_error *err)
{
    struct gridding_order order = {.samples = NULL};
    size_t *starts;
    kn_status status = KN_OK;

    *sorted = (struct gridding_sorted){.samples = samples};
    starts = calloc(gridding_tiles(shape) + 1, sizeof *starts);
    sorted->positions = malloc((samples + 1) * sizeof *sorted->positions);
    sorted->offsets = malloc((samples + 1) * sizeof *sorted->offsets);
    if (!starts || !sorted->positions || !sorted->offsets)
        status = ki_fail_memory(err, samples * (sizeof *sorted->positions + sizeof *sorted->offsets),
                                "sorting samples into tiles");
    if (!status)
        status = ki_gridding_order(shape, k, samples, place_sample, &(struct placing){shape, k, sorted}, ask,
                                   &order, err);
    ki_gridding_order_free(&order);
    if (!status)
        status = make_entries(shape, starts, ask, sorted, err);
    if (!status)
        status = make_jobs(shape, starts, sorted, err);
    free(starts);
    if (status)
        ki_gridding_sorted_free(sorted);
    return status;
}

void ki_gridding_sorted_free(struct gridding_sorted *sorted)
{
    free(sorted->positions);
    free(sorted->offsets);
    free(sorted->entries);
    free(sorted->jobs);
    free(sorted->folds);
    *sorted = (struct gridding_sorted){.positions = NULL};
}
