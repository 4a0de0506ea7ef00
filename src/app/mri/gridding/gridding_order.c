// SPDX-License-Identifier: Apache-2.0
// Sorts samples by the tile of the grid in which their window begins: threads count and then place blocks of
// samples. The order is by tile, then by sample, for any number of threads.
#include "gridding_internal.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/threads.h"

enum { BLOCK = 1 << 16 }; // samples between two calls of `ask`

struct ordering {
    const struct gridding_shape *shape;
    const double *k;
    size_t along[MRI_AXES], tiles; // tiles along each axis, and in all
    size_t samples, block;         // in all, and in a block
    size_t first;                  // the first block of a loop
    uint32_t *tile;                // of each sample
    uint32_t *places;              // for each block and each tile: the number of samples, later their places
    gridding_place *place;
    void *context;
    uint32_t *order;
};

static size_t end_of(const struct ordering *o, size_t block)
{
    return (block + 1) * o->block < o->samples ? (block + 1) * o->block : o->samples;
}

static void count_block(void *context, size_t round)
{
    const struct ordering *o = context;
    size_t block = o->first + round;
    uint32_t *counts = o->places + block * o->tiles;

    for (size_t m = block * o->block; m < end_of(o, block); m++) {
        size_t tile = 0;

        for (size_t axis = MRI_AXES; axis-- > 0;) {
            double offset;
            uint32_t first = gridding_first_cell(o->shape, axis, o->k[MRI_AXES * m + axis], &offset);

            tile = tile * o->along[axis] + first / o->shape->tile[axis];
        }
        o->tile[m] = (uint32_t)tile;
        counts[tile]++;
    }
}

static void place_block(void *context, size_t round)
{
    const struct ordering *o = context;
    size_t block = o->first + round;
    uint32_t *places = o->places + block * o->tiles;

    for (size_t m = block * o->block; m < end_of(o, block); m++) {
        size_t at = places[o->tile[m]]++;

        o->order[at] = (uint32_t)m;
        o->place(o->context, m, at);
    }
}

static kn_status all_blocks(struct ordering *o, size_t blocks, ki_round *work, const struct ki_ask *ask,
                            kn_error *err)
{
    size_t threads = ki_threads(0);
    kn_status status = KN_OK;

    for (o->first = 0; o->first < blocks && !status; o->first += threads) {
        status = ki_ask(ask, err);
        if (!status)
            ki_parallel((unsigned)threads, blocks - o->first < threads ? blocks - o->first : threads,
                        KI_STATIC, work, o);
    }
    return status;
}

// Turns counts into places.
static void add_up(const struct ordering *o, size_t blocks, size_t *starts)
{
    uint32_t sum = 0;

    for (size_t tile = 0; tile < o->tiles; tile++) {
        starts[tile] = sum;
        for (size_t block = 0; block < blocks; block++) {
            uint32_t *place = &o->places[block * o->tiles + tile], count = *place;

            *place = sum;
            sum += count;
        }
    }
    starts[o->tiles] = sum;
}

kn_status ki_gridding_order(const struct gridding_shape *shape, const double *k, size_t samples,
                            gridding_place *place, void *context, const struct ki_ask *ask,
                            struct gridding_order *order, kn_error *err)
{
    // A block has at least as many samples as there are tiles, because it has a count for each tile.
    struct ordering o = {.shape = shape,
                         .k = k,
                         .samples = samples,
                         .tiles = gridding_tiles(shape),
                         .place = place,
                         .context = context};
    size_t blocks;
    kn_status status = KN_OK;

    *order = (struct gridding_order){.samples = NULL};
    if (samples >= UINT32_MAX || o.tiles >= UINT32_MAX)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "gridding: %zu samples into %zu tiles; 32 bits count them. Grid the samples in parts "
                       "and add the images up",
                       samples, o.tiles);
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        o.along[axis] = gridding_tiles_along(shape, axis);
    o.block = o.tiles > BLOCK ? o.tiles : BLOCK;
    blocks = (samples + o.block - 1) / o.block;
    o.tile = malloc((samples + 1) * sizeof *o.tile);
    o.places = calloc(blocks * o.tiles + 1, sizeof *o.places);
    order->samples = o.order = malloc((samples + 1) * sizeof *o.order);
    order->starts = malloc((o.tiles + 1) * sizeof *order->starts);
    if (!o.tile || !o.places || !order->samples || !order->starts)
        status = ki_fail_memory(err, 2 * samples * sizeof *o.tile, "sorting samples into tiles");
    if (!status)
        status = all_blocks(&o, blocks, count_block, ask, err);
    if (!status) {
        add_up(&o, blocks, order->starts);
        status = all_blocks(&o, blocks, place_block, ask, err);
    }
    free(o.tile);
    free(o.places);
    if (status)
        ki_gridding_order_free(order);
    return status;
}

void ki_gridding_order_free(struct gridding_order *order)
{
    free(order->samples);
    free(order->starts);
    *order = (struct gridding_order){.samples = NULL};
}
