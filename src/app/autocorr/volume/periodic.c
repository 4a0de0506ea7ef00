// SPDX-License-Identifier: Apache-2.0
#include "periodic.h"

#include "base/error.h"

static struct autocorr_voxels voxels_of(const struct autocorr_image *image)
{
    return (struct autocorr_voxels){image->pixels, image->stride, image->stride};
}

kn_status ki_autocorr_periodic_tasks(struct autocorr_volume_engine *engine, const struct autocorr_task *tasks,
                                     size_t count, uint64_t *products, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++) {
        const struct autocorr_task *task = &tasks[i];
        const struct autocorr_volume volume = autocorr_volume_of_image(task);
        const struct autocorr_voxels first = voxels_of(&task->first), second = voxels_of(&task->second);

        if (task->mask)
            return ki_fail(err, KN_ERROR_UNSUPPORTED, "periodic images are correlated without a mask");
        status = ki_autocorr_check(task, err);
        if (!status)
            status = ki_autocorr_volume_begin(engine, &volume, second.at != NULL, err);
        if (!status)
            status = ki_autocorr_volume_sums(engine, &first, &second, task->kept,
                                             products + i * autocorr_offsets(task->max_offset), err);
    }
    return status;
}

kn_status ki_autocorr_periodic_frames(struct autocorr_volume_engine *engine,
                                      const struct autocorr_frames *frames, uint64_t *products, kn_error *err)
{
    const struct autocorr_volume volume = {.size = {frames->width, 1, frames->height},
                                           .reach = {frames->max_offset, 0, frames->max_offset},
                                           .type = frames->type,
                                           .periodic = true};
    kn_status status = ki_autocorr_volume_begin(engine, &volume, frames->second != NULL, err);

    for (size_t i = 0; i < frames->count && !status; i++)
        status = ki_autocorr_volume_device_sums(engine->queue, engine->device, frames->first, frames->second,
                                                (uint64_t)i * frames->width * frames->height,
                                                products + i * autocorr_offsets(frames->max_offset), err);
    return status;
}
