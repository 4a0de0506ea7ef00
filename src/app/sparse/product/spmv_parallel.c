// SPDX-License-Identifier: Apache-2.0
// Products on the fly: rows and columns computed from a geometry of parallel rays; and what fans (spmv_fan.c)
// share with them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared/sparse.h"
#include "algo/rung.h"
#include "base/array.h"
#include "base/error.h"
#include "base/number.h"
#include "spmv_internal.h"

// The number of pairs of neighbours along a line.
static size_t pairs_of(size_t length)
{
    return length + 2;
}

struct view {
    int64_t cosine, sine, origin, weight_bits, first, next, drift;
    float weight;
    uint32_t steep;
};

// The side of a tile of pixels; the group is a multiple of it.
static unsigned side_of(unsigned group)
{
    return group < 32 ? group : 32;
}

struct spmv_task ki_spmv_task_of_geometry(kn_queue *queue, const struct sparse_parallel *geometry, bool back,
                                          const struct sparse_tuning *tuning)
{
    const kn_device_info *info = kn_context_get_device(kn_queue_get_context(queue));
    struct spmv_task task = {.queue = queue, .info = info, .geometry = geometry, .back = back};

    if (tuning)
        task.tuning = *tuning;
    return task;
}

// Fills in the sizes that the tuning leaves open. Small pictures have few pixels for many work-items, and few
// tiles for large groups.
void ki_spmv_settle_rays(struct spmv_task *task, bool local)
{
    struct sparse_tuning *to = &task->tuning;
    const struct engine_sizes *sizes =
        ki_engine_sizes(task->info, local ? SHAPE_SPARSE_PARALLEL_LOCAL : SHAPE_SPARSE_PARALLEL);
    bool any_group = !to->group;
    size_t pixels = ki_sparse_parallel_columns(task->geometry), units = task->info->compute_units;

    if (any_group)
        to->group = sizes->group;
    while (to->group > task->info->max_work_group)
        to->group /= 2;
    to->group -= to->group % side_of(to->group);
    if (!to->lanes)
        to->lanes = sizes->lanes;
    while (to->group % to->lanes)
        to->lanes /= 2;
    if (!to->items)
        for (to->items = sizes->items; to->items > 1 && pixels / to->items < units * 256;)
            to->items /= 2;
    while (any_group && task->back && !local && to->group > 32 && pixels / to->items / to->group < units * 4)
        to->group /= 2;
    if (!to->chunk)
        to->chunk = task->back && task->info->local_memory >= 36864 ? sizes->chunk : 4096;
}

// ---- the kernels' tunables ----

static size_t at_least(size_t count, size_t least)
{
    return count > least ? count : least;
}

// The lines of a band that fit in local memory, with the kernel's length of a line.
static unsigned band_rows(const struct sparse_tuning *tuning)
{
    unsigned rows = 1, group = tuning->group;

    while (rows < 64 && (rows + 1) * ((group * 3 / 2 + rows + 5) | 1) <= tuning->chunk)
        rows++;
    return rows;
}

static unsigned tile_height(const struct sparse_tuning *tuning)
{
    return tuning->group / side_of(tuning->group) * tuning->items;
}

size_t ki_spmv_tiles(const struct spmv_task *task)
{
    size_t size = task->geometry->size, height = tile_height(&task->tuning),
           side = side_of(task->tuning.group);

    return (size + side - 1) / side * ((size + height - 1) / height);
}

kn_status ki_spmv_ray_kernel(const struct spmv_task *task, const char *file, const char *name,
                             kn_kernel **kernel, kn_error *err)
{
    const struct sparse_tuning *tuning = &task->tuning;
    unsigned side = side_of(tuning->group), seen = side + tile_height(tuning) + 3;
    struct engine_defines defines = {.count = 0};
    kn_context *context = kn_queue_get_context(task->queue);
    kn_status status;

    ki_engine_define(&defines, "GROUP", tuning->group);
    ki_engine_define(&defines, "VIEWS", tuning->lanes);
    ki_engine_define(&defines, "ROWS", band_rows(tuning));
    ki_engine_define(&defines, "SIDE", side);
    ki_engine_define(&defines, "PIXELS", tuning->items);
    ki_engine_define(&defines, "BATCH", (unsigned)at_least(tuning->chunk / seen, 1));
    status = ki_rung_define_subgroups(&defines, context, err);
    return status ? status
                  : ki_engine_builtin_kernel(context, file, defines.items, defines.count, KN_POLICY_DEFAULT,
                                             name, kernel, err);
}

static kn_status get_kernel(const struct spmv_task *task, const char *name, kn_kernel **kernel, kn_error *err)
{
    return ki_spmv_ray_kernel(task, "app/sparse/sparse_parallel.cl", name, kernel, err);
}

// ---- memory ----

int64_t ki_spmv_fixed(double x)
{
    return (int64_t)llround(ldexp(x, PARALLEL_FRACTION));
}

static kn_status upload_views(const struct spmv_task *task, struct spmv_product *product, kn_buffer **buffer,
                              kn_error *err)
{
    size_t angles = task->geometry->angles;
    struct sparse_view *views = ki_sparse_parallel_views(task->geometry, err);
    struct view *table = NULL;
    kn_status status = views ? ki_spmv_allocate(&table, angles * sizeof *table, err) : KN_ERROR_MEMORY;

    for (size_t t = 0; t < angles && !status; t++) {
        const struct sparse_view *view = &views[t];
        double over = view->steep ? view->cosine : view->sine;
        double drift = view->steep ? view->sine : view->cosine;

        table[t] = (struct view){.cosine = ki_spmv_fixed(view->cosine),
                                 .sine = ki_spmv_fixed(view->sine),
                                 .origin = ki_spmv_fixed(view->origin),
                                 .weight_bits = ki_float_bits(1 / view->greatest),
                                 .first = ki_spmv_fixed(-view->origin / over),
                                 .next = ki_spmv_fixed(1 / over),
                                 .drift = ki_spmv_fixed(-drift / over),
                                 .weight = (float)(1 / view->greatest),
                                 .steep = view->steep};
        if (task->interpolated) { // the weight is 1 - |k - u|
            table[t].weight_bits = ki_float_bits(1);
            table[t].weight = (float)task->interpolated[t];
        }
    }
    if (!status)
        status = ki_spmv_upload(task, product, table, angles * sizeof *table, buffer, err);
    free(views);
    free(table);
    return status;
}

// ---- launches ----

kn_status ki_spmv_add_turn(const struct spmv_task *task, struct spmv_product *product, kn_buffer *pairs[2],
                           kn_error *err)
{
    size_t size = task->geometry->size, across = (pairs_of(size) + PARALLEL_TURN - 1) / PARALLEL_TURN;
    kn_kernel *kernel;
    kn_status status = KN_OK;

    for (int i = 0; i < 2 && !status; i++)
        status =
            ki_spmv_upload(task, product, NULL, size * pairs_of(size) * 2 * sizeof(float), &pairs[i], err);
    if (!status)
        status = get_kernel(task, "parallel_turn", &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {spmv_x(), spmv_memory(pairs[0]), spmv_memory(pairs[1]),
                                                  spmv_number(size)};
        ki_spmv_add_launch(product, kernel, across * across * task->tuning.group, task->tuning.group,
                           arguments, KI_COUNT(arguments));
    }
    return status;
}

void ki_spmv_add_rays(const struct spmv_task *task, struct spmv_product *product, kn_kernel *kernel,
                      const struct spmv_argument *vectors, size_t count, size_t items)
{
    const struct sparse_parallel *geometry = task->geometry;
    struct spmv_argument arguments[SPMV_ARGUMENTS];

    memcpy(arguments, vectors, count * sizeof *vectors);
    arguments[count++] = spmv_number(geometry->angles);
    arguments[count++] = spmv_number(geometry->detectors);
    arguments[count++] = spmv_number(geometry->size);
    ki_spmv_add_launch(product, kernel, items, task->tuning.group, arguments, count);
}

static kn_status add_forward(const struct spmv_task *task, kn_buffer *views, struct spmv_product *product,
                             kn_error *err)
{
    const struct sparse_parallel *geometry = task->geometry;
    size_t at_once = task->tuning.lanes, rays = task->tuning.group / at_once;
    size_t blocks = (geometry->detectors + rays - 1) / rays * ((geometry->angles + at_once - 1) / at_once);
    kn_buffer *pairs[2];
    kn_kernel *kernel;
    kn_status status = ki_spmv_add_turn(task, product, pairs, err);

    if (!status)
        status = get_kernel(task, "parallel_forward", &kernel, err);
    if (!status) {
        const struct spmv_argument vectors[] = {spmv_memory(views), spmv_memory(pairs[0]),
                                                spmv_memory(pairs[1]), spmv_y()};
        ki_spmv_add_rays(task, product, kernel, vectors, KI_COUNT(vectors), blocks * task->tuning.group);
    }
    return status;
}

static kn_status add_back(const struct spmv_task *task, kn_buffer *views, struct spmv_product *product,
                          kn_error *err)
{
    const struct sparse_parallel *geometry = task->geometry;
    size_t pairs = geometry->angles * pairs_of(geometry->detectors);
    kn_buffer *scaled;
    kn_kernel *scale, *kernel;
    kn_status status = ki_spmv_upload(task, product, NULL, pairs * 2 * sizeof(float), &scaled, err);

    if (!status)
        status = get_kernel(task, "parallel_scale", &scale, err);
    if (!status)
        status = get_kernel(task, "parallel_back", &kernel, err);
    if (!status) {
        const struct spmv_argument scaling[] = {spmv_memory(views), spmv_x(), spmv_memory(scaled),
                                                spmv_number(geometry->angles),
                                                spmv_number(geometry->detectors)};
        const struct spmv_argument vectors[] = {spmv_memory(views), spmv_memory(scaled), spmv_y()};
        ki_spmv_add_launch(product, scale, pairs, task->tuning.group, scaling, KI_COUNT(scaling));
        ki_spmv_add_rays(task, product, kernel, vectors, KI_COUNT(vectors),
                         ki_spmv_tiles(task) * task->tuning.group);
    }
    return status;
}

static kn_status add_local(const struct spmv_task *task, kn_buffer *views, struct spmv_product *product,
                           kn_error *err)
{
    const struct sparse_parallel *geometry = task->geometry;
    size_t group = task->tuning.group, a_view = (geometry->detectors + group - 1) / group;
    const struct spmv_argument vectors[] = {spmv_memory(views), spmv_x(), spmv_y()};
    kn_kernel *kernel;
    kn_status status =
        get_kernel(task, task->back ? "parallel_back_local" : "parallel_forward_local", &kernel, err);

    if (!status)
        ki_spmv_add_rays(task, product, kernel, vectors, KI_COUNT(vectors),
                         (task->back ? ki_spmv_tiles(task) : geometry->angles * a_view) * group);
    return status;
}

static kn_status prepare(const struct spmv_task *given, bool local, struct spmv_product *product,
                         kn_error *err)
{
    struct spmv_task settled = *given, *task = &settled;
    const struct sparse_parallel *geometry = task->geometry;
    kn_buffer *views;
    kn_status status;

    ki_spmv_settle_rays(task, local);
    // A group shares the elements of a band or a batch.
    status = ki_spmv_check_loops(
        task, product, at_least(task->back ? geometry->angles : geometry->size, task->tuning.chunk / 32),
        err);
    if (!status)
        status = upload_views(task, product, &views, err);
    if (status)
        return status;
    return local        ? add_local(task, views, product, err)
           : task->back ? add_back(task, views, product, err)
                        : add_forward(task, views, product, err);
}

kn_status ki_spmv_prepare_on_the_fly(const struct spmv_task *task, struct spmv_product *product,
                                     kn_error *err)
{
    return prepare(task, false, product, err);
}

kn_status ki_spmv_prepare_on_the_fly_local(const struct spmv_task *task, struct spmv_product *product,
                                           kn_error *err)
{
    return prepare(task, true, product, err);
}

size_t ki_spmv_estimate_parallel(const struct spmv_task *task, bool local)
{
    const struct sparse_parallel *geometry = task->geometry;
    size_t views = geometry->angles * sizeof(struct view);
    size_t pairs = task->back ? geometry->angles * pairs_of(geometry->detectors)
                              : 2 * geometry->size * pairs_of(geometry->size);

    return views + (local ? 0 : pairs * 2 * sizeof(float));
}
