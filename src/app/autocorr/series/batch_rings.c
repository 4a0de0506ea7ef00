// SPDX-License-Identifier: Apache-2.0
#include "batch_rings.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/engine.h"

#define TABLES_BYTES ((size_t)64 << 20) // of several frames

struct autocorr_rings {
    size_t width, height, max_offset;
    struct autocorr_device_radial *radial;
    struct autocorr_tables tables; // of some frames at a time, where they are not there already
    kn_buffer *part;               // the rings of those frames
};

bool ki_autocorr_rings_fit(const kn_device_info *device, size_t max_offset)
{
    return max_offset <= AUTOCORR_DEVICE_RADIAL_MAX &&
           ki_autocorr_tables_bytes(max_offset) <= device->max_alloc &&
           ki_autocorr_tables_bytes(max_offset) <= device->global_memory / 8;
}

void ki_autocorr_rings_free(struct autocorr_rings *rings)
{
    if (!rings)
        return;
    ki_autocorr_device_radial_free(rings->radial);
    ki_autocorr_tables_free(&rings->tables);
    kn_buffer_free(rings->part);
    free(rings);
}

kn_status ki_autocorr_rings_prepare(kn_queue *queue, const struct autocorr_frames *frames,
                                    struct autocorr_rings **rings, kn_error *err)
{
    struct autocorr_rings *made = *rings;
    kn_status status;

    if (made && made->width == frames->width && made->height == frames->height &&
        made->max_offset == frames->max_offset)
        return KN_OK;
    status = kn_queue_finish(queue, err);
    if (status)
        return status;
    ki_autocorr_rings_free(*rings);
    *rings = NULL;
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "preparing rings");
    *made = (struct autocorr_rings){
        .width = frames->width, .height = frames->height, .max_offset = frames->max_offset};
    status = ki_autocorr_device_radial_create(queue, frames->width, frames->height, frames->max_offset,
                                              &made->radial, err);
    if (status)
        ki_autocorr_rings_free(made);
    else
        *rings = made;
    return status;
}

size_t ki_autocorr_rings_bytes(const struct autocorr_rings *rings, size_t count)
{
    return ki_autocorr_device_radial_bytes(rings->radial, count);
}

// Tables for as many of `count` frames as are made at a time.
static kn_status make_tables(kn_queue *queue, struct autocorr_rings *rings, size_t count, kn_error *err)
{
    size_t most = TABLES_BYTES / ki_autocorr_tables_bytes(rings->max_offset) + 1,
           wanted = count < most ? count : most;
    kn_status status;

    if (rings->tables.count >= wanted)
        return KN_OK;
    status = kn_queue_finish(queue, err); // of the batch before, which uses them
    ki_autocorr_tables_free(&rings->tables);
    kn_buffer_free(rings->part);
    rings->part = NULL;
    if (!status)
        status = ki_autocorr_tables_create(kn_queue_get_context(queue), rings->max_offset, wanted,
                                           &rings->tables, err);
    return status ? status
                  : kn_buffer_create(kn_queue_get_context(queue), ki_autocorr_rings_bytes(rings, wanted),
                                     &rings->part, err);
}

kn_status ki_autocorr_rings_run(kn_queue *queue, struct autocorr_rings *rings,
                                const struct autocorr_frames *frames, kn_buffer *products,
                                const struct autocorr_tables *tables, kn_autocorr_normalization normalization,
                                kn_buffer *to, kn_error *err)
{
    kn_status status;

    if (tables)
        return ki_autocorr_radial_device(queue, rings->radial, products, 0, frames->count, tables,
                                         normalization, to, err);
    status = make_tables(queue, rings, frames->count, err);
    for (size_t first = 0, count; first < frames->count && !status; first += count) {
        count = frames->count - first < rings->tables.count ? frames->count - first : rings->tables.count;
        status = ki_autocorr_windows_device(queue, frames, first, count, &rings->tables, err);
        if (!status)
            status = ki_autocorr_radial_device(queue, rings->radial, products, first, count, &rings->tables,
                                               normalization, rings->part, err);
        if (!status)
            status = kn_buffer_copy(queue, rings->part, 0, to, ki_autocorr_rings_bytes(rings, first),
                                    ki_autocorr_rings_bytes(rings, count), NO_EVENT, err);
    }
    return status;
}

kn_status ki_autocorr_rings_read(kn_queue *queue, const struct autocorr_rings *rings, kn_buffer *from,
                                 size_t count, struct autocorr_ring *host, kn_error *err)
{
    return ki_autocorr_radial_read(queue, rings->radial, from, 0, count, host, err);
}
