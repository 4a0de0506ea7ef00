// SPDX-License-Identifier: Apache-2.0
#include "plan_volume.h"

#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "volume_rings.h"

// What a call's volumes have in common, and the room for one after the other.
struct volumes {
    kn_autocorr_plan *plan;
    const struct autocorr_task *tasks;
    const struct autocorr_frames *frames; // where there are no tasks
    const kn_autocorr_results *results;
    size_t offsets;
    uint64_t *products;             // where the caller does not want them
    double *values;                 // likewise
    struct autocorr_cell *cells[2]; // of slices
    struct autocorr_window *windows;
    struct autocorr_ring *rings, *planes; // planes: on the way there
};

struct autocorr_volume ki_autocorr_plan_volume(const kn_autocorr_plan *plan)
{
    const size_t r = plan->max_offset;

    return (struct autocorr_volume){.size = {plan->width, plan->height / plan->depth, plan->depth},
                                    .reach = {r, r, r},
                                    .type = plan_level_type(plan),
                                    .periodic = plan->engine.periodic};
}

static struct autocorr_voxels voxels_of(const struct volumes *volumes, const struct autocorr_image *image)
{
    return (struct autocorr_voxels){image->pixels, image->stride,
                                    volumes->plan->height / volumes->plan->depth * image->stride};
}

// Where volume i begins on the device.
static uint64_t begin_of(const struct volumes *volumes, size_t i)
{
    return (uint64_t)i * volumes->plan->width * volumes->plan->height;
}

static kn_status find_sums(const struct volumes *volumes, size_t i, uint64_t *products, kn_error *err)
{
    struct autocorr_volume_engine *engine = &volumes->plan->engine.volumes;
    const struct autocorr_frames *frames = volumes->frames;

    if (volumes->tasks) {
        const struct autocorr_voxels first = voxels_of(volumes, &volumes->tasks[i].first),
                                     second = voxels_of(volumes, &volumes->tasks[i].second);

        return ki_autocorr_volume_sums(engine, &first, &second, &volumes->plan->kept, products, err);
    }
    return ki_autocorr_volume_device_sums(engine->queue, engine->device, frames->first, frames->second,
                                          begin_of(volumes, i), products, err);
}

static kn_status find_windows(const struct volumes *volumes, size_t i, struct autocorr_window *whole,
                              kn_error *err)
{
    struct autocorr_volume_engine *engine = &volumes->plan->engine.volumes;
    kn_status status = KN_OK;

    for (unsigned which = 0; which < 2 && volumes->cells[which] && !status; which++)
        if (volumes->tasks) {
            const struct autocorr_task *task = &volumes->tasks[i];
            const struct autocorr_voxels voxels = voxels_of(volumes, which ? &task->second : &task->first);

            ki_autocorr_volume_add_up(&engine->plan, &voxels, volumes->cells[which]);
        } else {
            status = ki_autocorr_volume_device_slices(
                engine->queue, engine->device, which ? volumes->frames->second : volumes->frames->first,
                begin_of(volumes, i), volumes->cells[which], err);
        }
    return status ? status
                  : ki_autocorr_volume_windows(&engine->plan, volumes->cells[0], volumes->cells[1],
                                               &volumes->plan->kept, volumes->windows, whole, err);
}

struct normalizing {
    kn_autocorr_normalization normalization;
    size_t count; // of offsets of one Z0
    const struct autocorr_window *whole, *windows;
    const uint64_t *products;
    double *values;
};

static void normalize_plane(void *context, size_t z0)
{
    const struct normalizing *all = context;
    const size_t begin = z0 * all->count;

    ki_autocorr_normalize_all(all->normalization, all->count, all->whole, all->products + begin,
                              all->windows + begin, all->values + begin);
}

// What is wanted of volume i beside its sums.
static kn_status conclude(const struct volumes *volumes, size_t i, const uint64_t *products, kn_error *err)
{
    const kn_autocorr_results *results = volumes->results;
    const size_t r = volumes->plan->max_offset;
    double *values = results->values ? results->values + i * volumes->offsets : volumes->values;
    struct autocorr_window whole;
    struct normalizing normalizing;
    kn_status status = find_windows(volumes, i, &whole, err);

    if (status)
        return status;
    normalizing = (struct normalizing){
        volumes->plan->normalization, volumes->offsets / (r + 1), &whole, volumes->windows, products, values};
    ki_parallel(ki_threads(0), r + 1, KI_STATIC, normalize_plane, &normalizing);
    if (!results->rings && !results->lengths)
        return KN_OK;
    ki_autocorr_spherical(values, r, volumes->planes, volumes->rings);
    for (size_t k = 0; results->rings && k <= r; k++)
        results->rings[i * (r + 1) + k] = autocorr_public_ring(&volumes->rings[k]);
    if (results->lengths)
        ki_autocorr_find_lengths(volumes->rings, r, AUTOCORR_PROMINENCE, &results->lengths[i]);
    return KN_OK;
}

static bool wants_more(const kn_autocorr_results *results)
{
    return results->values || results->rings || results->lengths;
}

static kn_status make_room(struct volumes *volumes, kn_error *err)
{
    struct ki_kept *kept = &volumes->plan->kept;
    const size_t offsets = volumes->offsets, r = volumes->plan->max_offset;
    const struct autocorr_volume_plan *plan = &volumes->plan->engine.volumes.plan;
    const size_t cells = ki_autocorr_volume_slices(plan);
    const bool has_second =
        volumes->tasks ? volumes->tasks->second.pixels != NULL : volumes->frames->second != NULL;
    bool there = true;

    if (!volumes->results->sums)
        there = (volumes->products = ki_kept_take_array(kept, offsets, sizeof *volumes->products)) != NULL;
    if (there && wants_more(volumes->results)) {
        volumes->values = ki_kept_take_array(kept, offsets, sizeof *volumes->values);
        volumes->windows = ki_kept_take_array(kept, offsets, sizeof *volumes->windows);
        volumes->rings = ki_kept_take_array(kept, r + 1, sizeof *volumes->rings);
        volumes->planes = ki_kept_take_array(kept, (r + 1) * (r + 1), sizeof *volumes->planes);
        volumes->cells[0] = ki_kept_take_array(kept, cells, sizeof *volumes->cells[0]);
        volumes->cells[1] = has_second ? ki_kept_take_array(kept, cells, sizeof *volumes->cells[1]) : NULL;
        there = volumes->values && volumes->windows && volumes->rings && volumes->planes &&
                volumes->cells[0] && (volumes->cells[1] || !has_second);
    }
    return there ? KN_OK
                 : ki_fail_memory(err, offsets * (sizeof *volumes->windows + sizeof *volumes->values),
                                  "a volume's correlation");
}

static void free_room(struct volumes *volumes)
{
    struct ki_kept *kept = &volumes->plan->kept;

    ki_kept_give(kept, volumes->products);
    ki_kept_give(kept, volumes->values);
    ki_kept_give(kept, volumes->windows);
    ki_kept_give(kept, volumes->rings);
    ki_kept_give(kept, volumes->planes);
    ki_kept_give(kept, volumes->cells[0]);
    ki_kept_give(kept, volumes->cells[1]);
}

kn_status ki_autocorr_execute_volumes(kn_autocorr_plan *plan, const struct autocorr_task *tasks,
                                      const struct autocorr_frames *frames, size_t count,
                                      const kn_autocorr_results *results, kn_error *err)
{
    const struct autocorr_volume volume = ki_autocorr_plan_volume(plan);
    struct volumes volumes = {.plan = plan,
                              .tasks = tasks,
                              .frames = frames,
                              .results = results,
                              .offsets = autocorr_volume_offsets(&volume)};
    kn_status status;

    if (tasks && tasks->mask)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "volumes are correlated without a mask");
    plan->bound = 0;
    status = ki_autocorr_volume_begin(&plan->engine.volumes, &volume,
                                      tasks ? tasks->second.pixels != NULL : frames->second != NULL, err);
    if (!status)
        status = make_room(&volumes, err);
    for (size_t i = 0; i < count && !status; i++) {
        uint64_t *products = results->sums ? results->sums + i * volumes.offsets : volumes.products;

        status = find_sums(&volumes, i, products, err);
        if (!status && wants_more(results))
            status = conclude(&volumes, i, products, err);
    }
    free_room(&volumes);
    if (!status)
        ki_autocorr_engine_took_transforms(&plan->engine);
    return status;
}
