// SPDX-License-Identifier: Apache-2.0
#include "volume_engine.h"

#include <string.h>

#include "base/error.h"

static void forget(struct autocorr_volume_engine *engine)
{
    ki_autocorr_volume_device_free(engine->device);
    for (unsigned i = 0; i < 2; i++)
        kn_buffer_free(engine->voxels[i]);
    engine->device = NULL;
    engine->voxels[0] = engine->voxels[1] = NULL;
}

void ki_autocorr_volume_engine_end(struct autocorr_volume_engine *engine)
{
    forget(engine);
}

static bool is_alike(const struct autocorr_volume_plan *a, const struct autocorr_volume_plan *b)
{
    return memcmp(a->volume.size, b->volume.size, sizeof a->volume.size) == 0 &&
           memcmp(a->volume.reach, b->volume.reach, sizeof a->volume.reach) == 0 &&
           a->volume.type == b->volume.type && a->volume.periodic == b->volume.periodic &&
           a->cross == b->cross;
}

kn_status ki_autocorr_volume_begin(struct autocorr_volume_engine *engine,
                                   const struct autocorr_volume *volume, bool with_second, kn_error *err)
{
    struct autocorr_volume_plan plan;
    kn_status status = ki_autocorr_volume_plan(volume, with_second, &plan, err);

    if (status)
        return status;
    if (engine->device && is_alike(&plan, &engine->plan))
        return KN_OK;
    forget(engine);
    engine->plan = plan;
    return engine->queue ? ki_autocorr_volume_device_create(engine->queue, &plan, &engine->device, err)
                         : KN_OK;
}

// Row by row, where there are gaps between them.
static kn_status upload(struct autocorr_volume_engine *engine, unsigned which,
                        const struct autocorr_voxels *voxels, struct ki_kept *kept, kn_error *err)
{
    const size_t *size = engine->plan.volume.size, voxel = kn_type_size(engine->plan.volume.type);
    const size_t row = size[0] * voxel, bytes = row * size[1] * size[2];
    const bool dense = voxels->row == size[0] && voxels->slice == size[0] * size[1];
    unsigned char *packed = dense ? NULL : ki_kept_take(kept, bytes);
    kn_status status = KN_OK;

    if (!dense && !packed)
        return ki_fail_memory(err, bytes, "a volume");
    for (size_t line = 0; !dense && line < size[1] * size[2]; line++)
        memcpy(packed + line * row,
               (const unsigned char *)voxels->at +
                   (line / size[1] * voxels->slice + line % size[1] * voxels->row) * voxel,
               row);
    if (!engine->voxels[which])
        status = kn_buffer_create(kn_queue_get_context(engine->queue), bytes, &engine->voxels[which], err);
    if (!status)
        status =
            kn_buffer_write(engine->queue, engine->voxels[which], 0, dense ? voxels->at : packed, bytes, err);
    ki_kept_give(kept, packed);
    return status;
}

kn_status ki_autocorr_volume_sums(struct autocorr_volume_engine *engine, const struct autocorr_voxels *first,
                                  const struct autocorr_voxels *second, struct ki_kept *kept,
                                  uint64_t *products, kn_error *err)
{
    kn_status status;

    if (!engine->queue)
        return ki_autocorr_volume_host(&engine->plan, first, second, kept, products, err);
    status = upload(engine, 0, first, kept, err);
    if (!status && second->at)
        status = upload(engine, 1, second, kept, err);
    return status ? status
                  : ki_autocorr_volume_device_sums(engine->queue, engine->device, engine->voxels[0],
                                                   second->at ? engine->voxels[1] : NULL, 0, products, err);
}
