// SPDX-License-Identifier: Apache-2.0
#include "batch_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/cost/crossovers.h"

enum { AT_ONCE = 128, MOST_IMAGES = 32, MOST_GROUP = 1024, MOST_AHEAD = 16, MOST_TILE = 1024 };
// Tiles are refused for more nonzeros than this; each takes 80 bytes on the host.
enum { MOST_TILED = 1 << 26 };

// The most parts of a sum, of batch_back and of the other kernels; the fewest columns and rows that a
// work-item has.
enum { MOST_BACK_PARTS = 512, MOST_PARTS = 64, COLUMNS_EACH = 2, ROWS_EACH = 16 };

// The kinds of launches (enum sparse_batch_launches) that use a kernel, as bits.
enum {
    WHOLE = 1 << SPARSE_BATCH_WHOLE,
    TILED = 1 << SPARSE_BATCH_TILED,
    SPREAD = 1 << SPARSE_BATCH_SPREAD,
    EVERY = WHOLE | TILED | SPREAD
};
static const struct {
    const char *name, *file;
    unsigned launches;
} kernels[BATCH_KERNELS] = {[BATCH_MULTIPLY] = {"batch_multiply", "app/sparse/sparse_batch.cl", EVERY},
                            [BATCH_MULTIPLY_BACK] = {"batch_multiply", "app/sparse/sparse_batch.cl", EVERY},
                            [BATCH_BACK] = {"batch_back", "app/sparse/sparse_batch.cl", SPREAD},
                            [BATCH_TILE] = {"batch_tile", "app/sparse/sparse_batch_tiles.cl", TILED},
                            [BATCH_GATHER] = {"batch_gather", "app/sparse/sparse_batch_tiles.cl", TILED},
                            [BATCH_MOVE] = {"batch_move", "app/sparse/sparse_batch.cl", SPREAD | TILED},
                            [BATCH_TURN] = {"batch_turn", "app/sparse/sparse_batch.cl", SPREAD | TILED},
                            [BATCH_WHOLE] = {"batch_whole", "app/sparse/sparse_batch_whole.cl", WHOLE},
                            [BATCH_TAKE] = {"batch_take", "app/sparse/sparse_batch.cl", EVERY},
                            [BATCH_GIVE] = {"batch_give", "app/sparse/sparse_batch.cl", EVERY},
                            [BATCH_BEGIN] = {"batch_begin", "app/sparse/sparse_batch.cl", EVERY},
                            [BATCH_REST] = {"batch_residual", "app/sparse/sparse_batch.cl", EVERY}};

bool ki_sparse_batch_is_whole(const struct sparse_batch *batch)
{
    return batch->launches == SPARSE_BATCH_WHOLE;
}

bool ki_sparse_batch_is_tiled(const struct sparse_batch *batch)
{
    return batch->launches == SPARSE_BATCH_TILED;
}

unsigned ki_sparse_batch_images(const struct sparse_batch *batch)
{
    return batch->options.images;
}

size_t ki_sparse_batch_at_once(const struct sparse_batch *batch)
{
    return batch->most;
}

// ---- options ----

static bool is_power(unsigned value)
{
    return value && !(value & (value - 1));
}

static kn_status check_options(const struct sparse_batch_options *options, kn_error *err)
{
    const struct {
        const char *name;
        unsigned value, most;
    } counts[] = {{"images side by side", options->images, MOST_IMAGES},
                  {"images of a work-item", options->wide, 16},
                  {"images of a work-item of A^T", options->back_wide, 16},
                  {"nonzeros ahead", options->ahead, MOST_AHEAD},
                  {"nonzeros of A^T ahead", options->back_ahead, MOST_AHEAD},
                  {"work-items of a group", options->group, MOST_GROUP},
                  {"work-items of a group of A^T", options->back_group, MOST_GROUP},
                  {"rows of a tile", options->tile, MOST_TILE},
                  {"images of a step's group", options->step, MOST_IMAGES},
                  {"work-items of a step's group", options->step_group, MOST_GROUP},
                  {"work-items of a row", options->shares, MOST_IMAGES},
                  {"work-items of a column", options->back_shares, MOST_IMAGES}};
    kn_status status = ki_cgnr_check_options(&options->solver, err);

    for (size_t i = 0; i < KI_COUNT(counts) && !status; i++)
        if (counts[i].value && (!is_power(counts[i].value) || counts[i].value > counts[i].most))
            status = ki_fail(err, KN_ERROR_ARGUMENT, "%u %s; expected a power of two up to %u",
                             counts[i].value, counts[i].name, counts[i].most);
    if (!status && (options->wide == 2 || options->back_wide == 2))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "2 images of a work-item; there are 1, 4, 8 and 16");
    if (!status && (options->solver.printed || options->solver.white))
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "many right-hand sides at once have neither the loop as it is printed nor a stop at "
                         "the whiteness of A x - b; solve one at a time");
    if (!status && options->solver.residual > 0)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "many right-hand sides stop at a gradient, not at a residual (%g); solve one after "
                         "the other, or give a gradient",
                         options->solver.residual);
    if (!status && (unsigned)options->launches > SPARSE_BATCH_SPREAD)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "there is no way of launching %d; see sparse_batch_launches",
                         (int)options->launches);
    return status;
}

static unsigned or_default(unsigned value, unsigned otherwise)
{
    return value ? value : otherwise;
}

static unsigned at_most(unsigned value, size_t most)
{
    while (value > most)
        value /= 2;
    return value;
}

// Fills in the sizes that were left open, and reduces those that the device does not allow: those that the
// choice of launches depends on.
static void choose_blocks(struct sparse_batch_options *o, const kn_device_info *info)
{
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_SPARSE_BATCH);

    o->group = at_most(or_default(o->group, sizes->group), info->max_work_group);
    o->back_group = at_most(or_default(o->back_group, o->group), info->max_work_group);
    o->images = at_most(or_default(o->images, sizes->items), o->group);
    o->images = at_most(o->images, o->back_group);
    o->tile = at_most(or_default(o->tile, sizes->chunk), info->local_memory / (sizeof(float) * o->images));
}

// The width of vectors of images, at most `wide`. No vector has 2 images.
static unsigned wide_of(const struct sparse_batch_options *o, unsigned wide)
{
    wide = at_most(wide, o->images);
    return wide == 2 ? 1 : wide;
}

// Fills in and reduces the sizes that depend on the launches.
static void choose_shape(struct sparse_batch_options *o, enum sparse_batch_launches launches,
                         const kn_device_info *info)
{
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_SPARSE_BATCH),
                              *step = ki_engine_sizes(info, SHAPE_SPARSE_BATCH_STEP),
                              *back = ki_engine_sizes(info, launches == SPARSE_BATCH_TILED
                                                                ? SHAPE_SPARSE_BATCH_BACK_TILED
                                                                : SHAPE_SPARSE_BATCH_BACK);

    o->wide = wide_of(o, or_default(o->wide, sizes->width));
    o->shares = at_most(or_default(o->shares, sizes->shares), o->group * o->wide / o->images);
    o->ahead = or_default(o->ahead, sizes->ahead);
    o->back_wide = wide_of(o, or_default(o->back_wide, back->width));
    o->back_shares = or_default(o->back_shares, back->shares);
    o->back_ahead = or_default(o->back_ahead, back->ahead);
    o->step_group = at_most(or_default(o->step_group, step->group), info->max_work_group);
    o->step = at_most(at_most(or_default(o->step, step->items), o->images), o->step_group);
    if (launches == SPARSE_BATCH_WHOLE) { // a launch of all has one shape
        o->back_group = o->group;
        o->back_wide = o->wide;
        o->back_ahead = o->ahead;
    }
    o->back_shares = at_most(o->back_shares, o->back_group * o->back_wide / o->images);
    if (launches == SPARSE_BATCH_WHOLE)
        o->shares = o->back_shares;
}

// Divides the columns into at most `most` pieces, in multiples of `at_a_time`; one piece without columns.
static struct batch_pieces divide(uint32_t columns, uint32_t at_a_time, uint32_t most)
{
    uint32_t times = columns / at_a_time + (columns % at_a_time > 0);
    uint32_t each = (times + most - 1) / most * at_a_time;
    uint32_t count = each ? columns / each + (columns % each > 0) : 1;

    return (struct batch_pieces){each, count};
}

// The bytes that a group of batch_whole reads and writes in an iteration.
static size_t bytes_of_iteration(const struct sparse_batch *b, const struct sparse_matrix *matrix)
{
    return 16 * matrix->nonzeros +
           (7 * matrix->columns + 2 * matrix->rows) * b->options.images * sizeof(float);
}

// Takes tiles if they were asked for, or if so many nonzeros share a line that both products find most of
// their data on chip.
static kn_status try_tiles(struct sparse_batch *b, kn_queue *queue, const struct sparse_matrix *matrix,
                           kn_error *err)
{
    const kn_device_info *info = kn_context_get_device(b->context);
    bool asked = b->options.launches == SPARSE_BATCH_TILED;
    uint64_t shared = ki_engine_crossover(b->context, CROSSOVER_BATCH_TILED);
    struct batch_tiles tiles = {.rows = 0};
    kn_status status = ki_batch_tiles_make(matrix, b->options.tile, &tiles, err);

    if (!status && (asked || (tiles.lines <= matrix->nonzeros / (shared ? shared : 1) &&
                              (uint64_t)tiles.lines * b->most * sizeof(float) <= info->max_alloc))) {
        b->launches = SPARSE_BATCH_TILED;
        b->tiles = tiles.tiles;
        b->tile_rows = tiles.rows;
        b->lines = tiles.lines;
        status = ki_batch_tiles_upload(queue, &tiles, b->columns, b->tile_buffers, err);
    }
    ki_batch_tiles_free(&tiles);
    return status;
}

static kn_status choose_launches(struct sparse_batch *b, kn_queue *queue, const struct sparse_matrix *matrix,
                                 kn_error *err)
{
    const kn_device_info *info = kn_context_get_device(b->context);
    enum sparse_batch_launches launches = b->options.launches;

    if (launches == SPARSE_BATCH_WHOLE && info->loop_limit)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s (%s) stops loops after %u, which whole solutions may need; spread them",
                       info->spec, info->name, info->loop_limit);
    if (launches == SPARSE_BATCH_TILED && matrix->nonzeros > MOST_TILED)
        return ki_fail(err, KN_ERROR_LIMIT, "tiles of %zu nonzeros; there are at most %d, spread them",
                       matrix->nonzeros, MOST_TILED);
    if (launches == SPARSE_BATCH_AUTO && !info->loop_limit &&
        bytes_of_iteration(b, matrix) <= ki_engine_crossover(b->context, CROSSOVER_BATCH_WHOLE))
        launches = SPARSE_BATCH_WHOLE;
    b->launches = launches == SPARSE_BATCH_AUTO ? SPARSE_BATCH_SPREAD : launches;
    if (launches == SPARSE_BATCH_TILED ||
        (launches == SPARSE_BATCH_AUTO &&
         ki_engine_crossover(b->context, CROSSOVER_BATCH_TILED) != CROSSOVER_NEVER && !info->loop_limit &&
         matrix->nonzeros <= MOST_TILED))
        return try_tiles(b, queue, matrix, err);
    return KN_OK;
}

// ---- creation ----

static kn_status get_kernel(struct sparse_batch *b, unsigned kernel, kn_error *err)
{
    const struct sparse_batch_options *o = &b->options;
    struct batch_shape shape = ki_batch_shape_of(o, kernel);
    struct engine_defines defines = {.count = 0};
    kn_status status;

    ki_engine_define(&defines, "GROUP", shape.group);
    ki_engine_define(&defines, "IMAGES", o->images);
    ki_engine_define(&defines, "WIDE", shape.wide);
    ki_engine_define(&defines, "AHEAD", shape.ahead);
    if (kernel == BATCH_TILE || kernel == BATCH_GATHER)
        ki_engine_define(&defines, "TILE", o->tile);
    else
        ki_engine_define(&defines, "SHARES", shape.shares);
    if (kernels[kernel].launches != WHOLE)
        ki_engine_define(&defines, "STEP", o->step);
    status = ki_cgnr_define(&defines, b->context, &o->solver, KN_F32, err);
    if (status)
        return status;
    return ki_engine_builtin_kernel(b->context, kernels[kernel].file, defines.items, defines.count,
                                    KN_POLICY_DEFAULT, kernels[kernel].name, &b->kernels[kernel], err);
}

static kn_status get_kernels(struct sparse_batch *b, kn_error *err)
{
    kn_status status = KN_OK;

    for (unsigned i = 0; i < BATCH_KERNELS && !status; i++)
        if (kernels[i].launches & 1U << b->launches)
            status = get_kernel(b, i, err);
    return status;
}

static kn_status prepare_products(struct sparse_batch *b, kn_queue *queue, const struct sparse_matrix *matrix,
                                  kn_error *err)
{
    struct sparse_matrix transposed = {.rows = 0};
    kn_status status = ki_sparse_transpose(matrix, &transposed, err);

    for (unsigned i = 0; i < 2 && !status; i++) {
        const struct spmv_task task = i == 0 ? ki_spmv_task_of(queue, matrix, &transposed, NULL)
                                             : ki_spmv_task_of(queue, &transposed, matrix, NULL);
        status = ki_spmv_product_create(&task, KN_SPARSE_SIMPLE, &b->products[i], err);
    }
    ki_sparse_free(&transposed);
    return status;
}

static kn_status create_buffers(struct sparse_batch *b, kn_error *err)
{
    const size_t columns = (size_t)b->columns * b->most * sizeof(float);
    const size_t rows = (size_t)b->rows * b->most * sizeof(float);
    const size_t bytes[BATCH_BUFFERS] = {
        [BATCH_X] = columns,
        [BATCH_H] = columns,
        [BATCH_D] = columns,
        [BATCH_E] = columns,
        [BATCH_W] = rows,
        [BATCH_B] = rows,
        [BATCH_NORMS] = 2 * (b->options.solver.iterations + 1) * b->most * CGNR_CELL,
        [BATCH_ENDS] = 2 * (size_t)b->most * sizeof(uint32_t),
        [BATCH_SUMS] = 2 * (size_t)b->most * b->rests.count * CGNR_CELL,
        [BATCH_PARTS] = 2 * (size_t)b->most * b->back.count * CGNR_CELL,
        [BATCH_NEXT_PARTS] = 2 * (size_t)b->most * b->steps.count * CGNR_CELL,
        [BATCH_CURVATURES] = b->most * CGNR_CELL,
        [BATCH_LINES] = (size_t)b->lines * b->most * sizeof(float)};
    const kn_device_info *info = kn_context_get_device(b->context);
    kn_status status = KN_OK;

    for (unsigned i = 0; i < BATCH_BUFFERS && !status; i++) {
        if (bytes[i] > info->max_alloc)
            return ki_fail(err, KN_ERROR_LIMIT,
                           "%u images of %u rows and %u columns at once take %zu bytes in one piece, and one "
                           "allocation of %s holds %llu; take fewer at once",
                           b->most, b->rows, b->columns, bytes[i], info->spec,
                           (unsigned long long)info->max_alloc);
        status = kn_buffer_create(b->context, bytes[i], &b->buffers[i], err);
    }
    return status;
}

kn_status ki_sparse_batch_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                 const struct sparse_batch_options *options, struct sparse_batch **batch,
                                 kn_error *err)
{
    struct sparse_batch *b = calloc(1, sizeof *b);
    kn_status status = b ? check_options(options, err) : ki_fail_memory(err, sizeof *b, "a sparse solver");

    if (!status)
        status = ki_spmv_check(kn_context_get_device(kn_queue_get_context(queue)), matrix, KN_SPARSE_SIMPLE,
                               false, err);
    if (!status) {
        size_t at_once = options->at_once ? options->at_once : AT_ONCE;
        b->context = kn_queue_get_context(queue);
        b->options = *options;
        b->terms = ki_cgnr_terms_of(&options->solver, KN_F32);
        b->rows = (uint32_t)matrix->rows;
        b->columns = (uint32_t)matrix->columns;
        choose_blocks(&b->options, kn_context_get_device(b->context));
        at_once = at_once < UINT16_MAX ? at_once : UINT16_MAX;
        b->most = (uint32_t)(at_once + b->options.images - 1) / b->options.images * b->options.images;
        status = choose_launches(b, queue, matrix, err);
    }
    if (!status) {
        const struct sparse_batch_options *o = &b->options;
        choose_shape(&b->options, b->launches, kn_context_get_device(b->context));
        b->back = divide(b->columns,
                         ki_batch_rows_of(o, b->launches == SPARSE_BATCH_TILED ? BATCH_GATHER : BATCH_BACK),
                         MOST_BACK_PARTS);
        b->rests = divide(b->rows, ROWS_EACH * o->step_group / o->step, MOST_PARTS);
        b->steps = divide(b->columns, COLUMNS_EACH * o->step_group / o->step, MOST_PARTS);
        status = get_kernels(b, err);
    }
    if (!status)
        status = prepare_products(b, queue, matrix, err);
    if (!status)
        status = create_buffers(b, err);
    if (status) {
        ki_sparse_batch_free(b);
        return status;
    }
    b->options.solver.correction = NULL; // the string is the caller's
    *batch = b;
    return KN_OK;
}

void ki_sparse_batch_free(struct sparse_batch *batch)
{
    if (!batch)
        return;
    for (unsigned i = 0; i < 2; i++)
        ki_spmv_product_free(&batch->products[i]);
    for (unsigned i = 0; i < BATCH_BUFFERS; i++)
        kn_buffer_free(batch->buffers[i]);
    for (unsigned i = 0; i < BATCH_TILE_BUFFERS; i++)
        kn_buffer_free(batch->tile_buffers[i]);
    free(batch);
}
