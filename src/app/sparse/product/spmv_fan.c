// SPDX-License-Identifier: Apache-2.0
// Products on the fly of a fan's rays, which are stored, 20 bytes each.
#include <math.h>
#include <stdlib.h>

#include "shared/sparse.h"
#include "base/array.h"
#include "base/error.h"
#include "spmv_internal.h"

struct ray {
    int64_t first, drift; // as in struct view: where it crosses line (or column) 0, and from one to the next
};

struct fan_view {
    float cosine, sine;
};

// Whether a ray passes the picture, with the pixels around it that weigh nothing.
static bool passes(double first, double last, double size)
{
    return fmin(first, last) < size && fmax(first, last) > -1;
}

// Lengths of steps are negative where rays go from column to column. A ray beside the picture has none, and a
// position there.
static kn_status list_rays(const struct spmv_task *task, struct ray *rays, float *steps,
                           struct fan_view *views, kn_error *err)
{
    const struct sparse_parallel *geometry = task->geometry;
    const double size = (double)geometry->size;
    struct sparse_view *exact = ki_sparse_parallel_views(geometry, err);

    if (!exact)
        return KN_ERROR_MEMORY;
    for (size_t t = 0; t < geometry->angles; t++) {
        views[t] = (struct fan_view){(float)exact[t].cosine, (float)exact[t].sine};
        for (size_t k = 0; k < geometry->detectors; k++) {
            const struct sparse_ray *ray = &exact[t].rays[k];
            const double first = ray->start / ray->over, drift = -ray->drift / ray->over;
            const size_t i = t * geometry->detectors + k;

            rays[i] = (struct ray){ki_spmv_fixed(-2), 0};
            steps[i] = 0;
            if (!passes(first, first + (size - 1) * drift, size))
                continue;
            rays[i] = (struct ray){ki_spmv_fixed(first), ki_spmv_fixed(drift)};
            steps[i] = (float)(ray->steep ? 1 / ray->greatest : -1 / ray->greatest);
        }
    }
    free(exact);
    return KN_OK;
}

enum { RAYS, STEPS, VIEWS, TABLES };

static kn_status upload_rays(const struct spmv_task *task, struct spmv_product *product,
                             kn_buffer *tables[TABLES], kn_error *err)
{
    const size_t count = ki_sparse_parallel_rows(task->geometry), angles = task->geometry->angles;
    struct ray *rays = NULL;
    float *steps = NULL;
    struct fan_view *views = NULL;
    kn_status status = ki_spmv_allocate(&rays, count * sizeof *rays, err);

    if (!status)
        status = ki_spmv_allocate(&steps, count * sizeof *steps, err);
    if (!status)
        status = ki_spmv_allocate(&views, angles * sizeof *views, err);
    if (!status)
        status = list_rays(task, rays, steps, views, err);
    if (!status)
        status = ki_spmv_upload(task, product, rays, count * sizeof *rays, &tables[RAYS], err);
    if (!status)
        status = ki_spmv_upload(task, product, steps, count * sizeof *steps, &tables[STEPS], err);
    if (!status && task->back)
        status = ki_spmv_upload(task, product, views, angles * sizeof *views, &tables[VIEWS], err);
    free(rays);
    free(steps);
    free(views);
    return status;
}

static kn_status add_forward(const struct spmv_task *task, kn_buffer *const tables[TABLES],
                             struct spmv_product *product, kn_error *err)
{
    const struct sparse_parallel *geometry = task->geometry;
    const size_t at_once = task->tuning.lanes, rays = task->tuning.group / at_once,
                 blocks =
                     (geometry->detectors + rays - 1) / rays * ((geometry->angles + at_once - 1) / at_once);
    kn_buffer *pairs[2];
    kn_kernel *kernel;
    kn_status status = ki_spmv_add_turn(task, product, pairs, err);

    if (!status)
        status = ki_spmv_ray_kernel(task, "app/sparse/sparse_fan.cl", "fan_forward", &kernel, err);
    if (!status) {
        const struct spmv_argument vectors[] = {spmv_memory(tables[RAYS]), spmv_memory(tables[STEPS]),
                                                spmv_memory(pairs[0]), spmv_memory(pairs[1]), spmv_y()};
        ki_spmv_add_rays(task, product, kernel, vectors, KI_COUNT(vectors), blocks * task->tuning.group);
    }
    return status;
}

static kn_status upload_numbers(const struct spmv_task *task, struct spmv_product *product,
                                kn_buffer **buffer, kn_error *err)
{
    const struct sparse_parallel *geometry = task->geometry;
    const float numbers[] = {(float)geometry->source, (float)(geometry->source + geometry->detector),
                             (float)geometry->axis, geometry->beam == KN_TOMOGRAPHY_FAN_CURVED};

    return ki_spmv_upload(task, product, numbers, sizeof numbers, buffer, err);
}

static kn_status add_back(const struct spmv_task *task, kn_buffer *const tables[TABLES],
                          struct spmv_product *product, kn_error *err)
{
    kn_buffer *numbers;
    kn_kernel *kernel;
    kn_status status = upload_numbers(task, product, &numbers, err);

    if (!status)
        status = ki_spmv_ray_kernel(task, "app/sparse/sparse_fan.cl", "fan_back", &kernel, err);
    if (!status) {
        const struct spmv_argument vectors[] = {spmv_memory(tables[RAYS]),
                                                spmv_memory(tables[STEPS]),
                                                spmv_memory(tables[VIEWS]),
                                                spmv_memory(numbers),
                                                spmv_x(),
                                                spmv_y()};
        ki_spmv_add_rays(task, product, kernel, vectors, KI_COUNT(vectors),
                         ki_spmv_tiles(task) * task->tuning.group);
    }
    return status;
}

// ---- filtered back-projection ----

static kn_status upload_turns(const struct spmv_task *task, struct spmv_product *product,
                              kn_buffer *tables[2], kn_error *err)
{
    const size_t angles = task->geometry->angles;
    struct sparse_view *exact = ki_sparse_parallel_turns(task->geometry, err);
    struct fan_view *views = NULL;
    float *factors = NULL;
    kn_status status = exact ? ki_spmv_allocate(&views, angles * sizeof *views, err) : KN_ERROR_MEMORY;

    if (!status)
        status = ki_spmv_allocate(&factors, angles * sizeof *factors, err);
    for (size_t t = 0; t < angles && !status; t++) {
        views[t] = (struct fan_view){(float)exact[t].cosine, (float)exact[t].sine};
        factors[t] = (float)task->interpolated[t];
    }
    if (!status)
        status = ki_spmv_upload(task, product, views, angles * sizeof *views, &tables[0], err);
    if (!status)
        status = ki_spmv_upload(task, product, factors, angles * sizeof *factors, &tables[1], err);
    free(exact);
    free(views);
    free(factors);
    return status;
}

static kn_status add_interpolated(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    kn_buffer *tables[2], *numbers;
    kn_kernel *kernel;
    kn_status status = upload_turns(task, product, tables, err);

    if (!status)
        status = upload_numbers(task, product, &numbers, err);
    if (!status)
        status = ki_spmv_ray_kernel(task, "app/sparse/sparse_fan.cl", "fan_back_filtered", &kernel, err);
    if (!status) {
        const struct spmv_argument vectors[] = {spmv_memory(tables[0]), spmv_memory(tables[1]),
                                                spmv_memory(numbers), spmv_x(), spmv_y()};
        ki_spmv_add_rays(task, product, kernel, vectors, KI_COUNT(vectors),
                         ki_spmv_tiles(task) * task->tuning.group);
    }
    return status;
}

size_t ki_spmv_estimate_fan_interpolated(const struct spmv_task *task)
{
    return task->geometry->angles * (sizeof(struct fan_view) + sizeof(float)) + 4 * sizeof(float);
}

// ---- products ----

kn_status ki_spmv_prepare_fan(const struct spmv_task *given, struct spmv_product *product, kn_error *err)
{
    struct spmv_task settled = *given, *task = &settled;
    const struct sparse_parallel *geometry = task->geometry;
    const size_t seen = task->interpolated ? 1 : (size_t)ki_sparse_parallel_seen(geometry);
    kn_buffer *tables[TABLES];
    kn_status status;

    if (!task->tuning.items) // pixels of a work-item are summed one after the other
        task->tuning.items = 1;
    ki_spmv_settle_rays(task, false);
    status = ki_spmv_check_loops(
        task, product, task->back ? task->tuning.items * geometry->angles * seen : geometry->size, err);
    if (!status && task->interpolated)
        return add_interpolated(task, product, err);
    if (!status)
        status = upload_rays(task, product, tables, err);
    if (status)
        return status;
    return task->back ? add_back(task, tables, product, err) : add_forward(task, tables, product, err);
}

size_t ki_spmv_estimate_fan(const struct spmv_task *task)
{
    const struct sparse_parallel *geometry = task->geometry;
    const size_t rays = ki_sparse_parallel_rows(geometry) * (sizeof(struct ray) + sizeof(float));

    return rays + (task->back ? geometry->angles * sizeof(struct fan_view) + 4 * sizeof(float)
                              : 2 * geometry->size * (geometry->size + 2) * 2 * sizeof(float));
}
