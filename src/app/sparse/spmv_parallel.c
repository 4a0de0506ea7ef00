// SPDX-License-Identifier: Apache-2.0
// Products on the fly: rows and columns computed from a geometry of parallel rays.
#include <math.h>
#include <stdlib.h>

#include "../../base/array.h"
#include "../../base/error.h"
#include "spmv_own.h"

// As cl/sparse_parallel.cl has them.
enum { FRACTION = 44, TURN = 32 };

struct view {
    int64_t cosine, sine, origin, first, next, drift;
    float weight;
    uint32_t steep;
};

// Of a tile of pixels; a group is a multiple of it.
static unsigned side_of(unsigned group)
{
    return group < 32 ? group : 32;
}

struct spmv_task spmv_task_of_geometry(kn_queue *queue, const struct sparse_parallel *geometry, bool back,
                                       const struct sparse_tuning *tuning)
{
    const kn_device_info *info = kn_context_device(kn_queue_context(queue));
    struct spmv_task task = {.queue = queue, .info = info, .geometry = geometry, .back = back};
    struct sparse_tuning *to = &task.tuning;
    size_t pixels = sparse_parallel_columns(geometry);

    if (tuning)
        *to = *tuning;
    if (!to->group)
        to->group = info->type == KN_DEVICE_CPU ? 32 : 128;
    while (to->group > info->max_work_group)
        to->group /= 2;
    to->group -= to->group % side_of(to->group);
    if (!to->items) // small pictures have few pixels for many work-items
        for (to->items = 4; to->items > 1 && pixels / to->items < (size_t)info->compute_units * 1024;)
            to->items /= 2;
    if (!to->chunk)
        to->chunk = 4096;
    return task;
}

// ---- the kernels' tunables ----

static size_t at_least(size_t count, size_t least)
{
    return count > least ? count : least;
}

// Lines of a band that local memory is for; a line is as long as the kernel has it.
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

static kn_status get_kernel(const struct spmv_task *task, const char *name, kn_kernel **kernel, kn_error *err)
{
    const struct sparse_tuning *tuning = &task->tuning;
    unsigned side = side_of(tuning->group), seen = side + tile_height(tuning) + 2;
    struct column_defines defines = {.count = 0};

    column_define(&defines, "GROUP", tuning->group);
    column_define(&defines, "ROWS", band_rows(tuning));
    column_define(&defines, "SIDE", side);
    column_define(&defines, "PIXELS", tuning->items);
    column_define(&defines, "BATCH", (unsigned)at_least(tuning->chunk / seen, 1));
    return engine_builtin_kernel(kn_queue_context(task->queue), "sparse_parallel.cl", defines.items,
                                 defines.count, KN_POLICY_DEFAULT, name, kernel, err);
}

// ---- memory ----

static int64_t fixed(double x)
{
    return (int64_t)llround(ldexp(x, FRACTION));
}

static kn_status upload_views(const struct spmv_task *task, struct spmv_product *product, kn_buffer **buffer,
                              kn_error *err)
{
    size_t angles = task->geometry->angles;
    struct sparse_view *views = sparse_parallel_views(task->geometry, err);
    struct view *table = NULL;
    kn_status status = views ? spmv_allocate(&table, angles * sizeof *table, err) : KN_ERROR_MEMORY;

    for (size_t t = 0; t < angles && !status; t++) {
        const struct sparse_view *view = &views[t];
        double over = view->steep ? view->cosine : view->sine;
        double drift = view->steep ? view->sine : view->cosine;

        table[t] = (struct view){.cosine = fixed(view->cosine),
                                 .sine = fixed(view->sine),
                                 .origin = fixed(view->origin),
                                 .first = fixed(-view->origin / over),
                                 .next = fixed(1 / over),
                                 .drift = fixed(-drift / over),
                                 .weight = (float)(1 / view->greatest),
                                 .steep = view->steep};
    }
    if (!status)
        status = spmv_upload(task, product, table, angles * sizeof *table, buffer, err);
    free(views);
    free(table);
    return status;
}

// ---- launches ----

// The picture turned, in memory of its own, for views that go from column to column.
static kn_status add_turn(const struct spmv_task *task, struct spmv_product *product, kn_buffer **turned,
                          kn_error *err)
{
    size_t size = task->geometry->size, across = (size + TURN - 1) / TURN;
    kn_kernel *kernel;
    kn_status status = spmv_upload(task, product, NULL,
                                   sparse_parallel_columns(task->geometry) * sizeof(float), turned, err);

    if (!status)
        status = get_kernel(task, "parallel_turn", &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {spmv_x(), spmv_memory(*turned), spmv_number(size)};
        spmv_add_launch(product, kernel, across * across * task->tuning.group, task->tuning.group, arguments,
                        KN_COUNT(arguments));
    }
    return status;
}

static kn_status add_forward(const struct spmv_task *task, bool local, struct spmv_product *product,
                             kn_error *err)
{
    const struct sparse_parallel *geometry = task->geometry;
    size_t group = task->tuning.group, a_view = (geometry->detectors + group - 1) / group;
    kn_buffer *views, *turned = NULL;
    kn_kernel *kernel;
    kn_status status = upload_views(task, product, &views, err);

    if (!status && !local)
        status = add_turn(task, product, &turned, err);
    if (!status)
        status = get_kernel(task, local ? "parallel_forward_local" : "parallel_forward", &kernel, err);
    if (!status && local) {
        const struct spmv_argument arguments[] = {spmv_memory(views),
                                                  spmv_x(),
                                                  spmv_y(),
                                                  spmv_number(geometry->angles),
                                                  spmv_number(geometry->detectors),
                                                  spmv_number(geometry->size)};
        spmv_add_launch(product, kernel, geometry->angles * a_view * group, group, arguments,
                        KN_COUNT(arguments));
    } else if (!status) {
        const struct spmv_argument arguments[] = {spmv_memory(views),
                                                  spmv_x(),
                                                  spmv_memory(turned),
                                                  spmv_y(),
                                                  spmv_number(geometry->angles),
                                                  spmv_number(geometry->detectors),
                                                  spmv_number(geometry->size)};
        spmv_add_launch(product, kernel, product->rows, group, arguments, KN_COUNT(arguments));
    }
    return status;
}

static kn_status add_back(const struct spmv_task *task, bool local, struct spmv_product *product,
                          kn_error *err)
{
    const struct sparse_parallel *geometry = task->geometry;
    size_t size = geometry->size, group = task->tuning.group, pixels = task->tuning.items;
    size_t height = tile_height(&task->tuning), side = side_of(task->tuning.group);
    size_t tiles = (size + side - 1) / side * ((size + height - 1) / height);
    kn_buffer *views;
    kn_kernel *kernel;
    kn_status status = upload_views(task, product, &views, err);

    if (!status)
        status = get_kernel(task, local ? "parallel_back_local" : "parallel_back", &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {spmv_memory(views),
                                                  spmv_x(),
                                                  spmv_y(),
                                                  spmv_number(geometry->angles),
                                                  spmv_number(geometry->detectors),
                                                  spmv_number(size)};
        spmv_add_launch(product, kernel, local ? tiles * group : size * ((size + pixels - 1) / pixels), group,
                        arguments, KN_COUNT(arguments));
    }
    return status;
}

static kn_status prepare(const struct spmv_task *task, bool local, struct spmv_product *product,
                         kn_error *err)
{
    const struct sparse_parallel *geometry = task->geometry;
    // A band's or a batch's places are shared by a group.
    size_t loops = at_least(task->back ? geometry->angles : geometry->size, task->tuning.chunk / 32);
    kn_status status = spmv_check_loops(task, product, loops, err);

    if (status)
        return status;
    return task->back ? add_back(task, local, product, err) : add_forward(task, local, product, err);
}

kn_status spmv_prepare_on_the_fly(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    return prepare(task, false, product, err);
}

kn_status spmv_prepare_on_the_fly_local(const struct spmv_task *task, struct spmv_product *product,
                                        kn_error *err)
{
    return prepare(task, true, product, err);
}
