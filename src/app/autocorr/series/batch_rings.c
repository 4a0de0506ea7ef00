// SPDX-License-Identifier: Apache-2.0
#include "batch_rings.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/engine.h"
#include "app/autocorr/device/device_masked.h"

#define TABLES_BYTES ((size_t)64 << 20) // of several frames

struct autocorr_rings {
    size_t width, height, max_offset;
    struct autocorr_device_radial *radial;
    struct autocorr_tables tables;  // of some frames at a time, where they are not there already
    struct autocorr_masked *masked; // the same with a mask; NULL: there was none yet
    struct autocorr_frames like;    // of which `masked` is
    bool is_masked;                 // the frames are
    kn_buffer *part;                // the rings of those frames
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
    ki_autocorr_masked_free(rings->masked);
    kn_buffer_free(rings->part);
    free(rings);
}

// How many frames have tables at a time.
static size_t frames_at_once(const struct autocorr_rings *rings, size_t count)
{
    size_t most = TABLES_BYTES / ki_autocorr_tables_bytes(rings->max_offset) + 1;

    return count < most ? count : most;
}

// Room for the rings of so many frames.
static kn_status make_part(kn_queue *queue, struct autocorr_rings *rings, size_t count, kn_error *err)
{
    size_t bytes = ki_autocorr_rings_bytes(rings, count);
    kn_status status;

    if (rings->part && kn_buffer_get_size(rings->part) >= bytes)
        return KN_OK;
    status = kn_queue_finish(queue, err); // of the batch before, which uses it
    kn_buffer_free(rings->part);
    rings->part = NULL;
    return status ? status : kn_buffer_create(kn_queue_get_context(queue), bytes, &rings->part, err);
}

static kn_status make_masked(kn_queue *queue, struct autocorr_rings *rings,
                             const struct autocorr_frames *frames, kn_error *err)
{
    struct autocorr_frames like = *frames;
    kn_status status;

    like.count = frames_at_once(rings, frames->count);
    if (rings->masked && rings->like.count >= like.count && rings->like.type == like.type &&
        !rings->like.second == !like.second)
        return KN_OK;
    status = kn_queue_finish(queue, err); // of the batch before, which uses them
    ki_autocorr_masked_free(rings->masked);
    rings->masked = NULL;
    if (!status)
        status = ki_autocorr_masked_create(queue, &like, &rings->masked, err);
    rings->like = like;
    return status;
}

// For this size and R.
static kn_status prepare(kn_queue *queue, const struct autocorr_frames *frames, struct autocorr_rings **rings,
                         kn_error *err)
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

kn_status ki_autocorr_rings_prepare(kn_queue *queue, const struct autocorr_frames *frames,
                                    const struct autocorr_mask *mask, struct autocorr_rings **rings,
                                    kn_error *err)
{
    kn_status status = prepare(queue, frames, rings, err);

    if (!status)
        (*rings)->is_masked = mask->bytes != NULL;
    if (status || !mask->bytes)
        return status;
    status = make_masked(queue, *rings, frames, err);
    return status ? status : ki_autocorr_masked_set(queue, (*rings)->masked, mask->bytes, mask->stride, err);
}

size_t ki_autocorr_rings_bytes(const struct autocorr_rings *rings, size_t count)
{
    return ki_autocorr_device_radial_bytes(rings->radial, count);
}

// Tables for as many of `count` frames as are made at a time.
static kn_status make_tables(kn_queue *queue, struct autocorr_rings *rings, size_t count, kn_error *err)
{
    size_t wanted = frames_at_once(rings, count);
    kn_status status;

    if (rings->tables.count >= wanted)
        return KN_OK;
    status = kn_queue_finish(queue, err); // of the batch before, which uses them
    ki_autocorr_tables_free(&rings->tables);
    if (!status)
        status = ki_autocorr_tables_create(kn_queue_get_context(queue), rings->max_offset, wanted,
                                           &rings->tables, err);
    return status;
}

// The tables of `count` frames from `first` on.
static kn_status fill_tables(kn_queue *queue, struct autocorr_rings *rings,
                             const struct autocorr_frames *frames, size_t first, size_t count, kn_error *err)
{
    return rings->is_masked
               ? ki_autocorr_masked_windows_device(queue, rings->masked, frames, first, count, err)
               : ki_autocorr_windows_device(queue, frames, first, count, &rings->tables, err);
}

// Some frames at a time.
static kn_status run_parts(kn_queue *queue, struct autocorr_rings *rings,
                           const struct autocorr_frames *frames, kn_buffer *products,
                           kn_autocorr_normalization normalization, kn_buffer *to, kn_error *err)
{
    const struct autocorr_tables *tables =
        rings->is_masked ? ki_autocorr_masked_tables(rings->masked) : &rings->tables;
    kn_status status = make_part(queue, rings, tables->count, err);

    for (size_t first = 0, count; first < frames->count && !status; first += count) {
        count = frames->count - first < tables->count ? frames->count - first : tables->count;
        status = fill_tables(queue, rings, frames, first, count, err);
        if (!status)
            status = ki_autocorr_radial_device(queue, rings->radial, products, first, count, tables,
                                               normalization, rings->part, err);
        if (!status)
            status = kn_buffer_copy(queue, rings->part, 0, to, ki_autocorr_rings_bytes(rings, first),
                                    ki_autocorr_rings_bytes(rings, count), NO_EVENT, err);
    }
    return status;
}

kn_status ki_autocorr_rings_run(kn_queue *queue, struct autocorr_rings *rings,
                                const struct autocorr_frames *frames, kn_buffer *products,
                                const struct autocorr_tables *tables, kn_autocorr_normalization normalization,
                                kn_buffer *to, kn_error *err)
{
    kn_status status = KN_OK;

    if (tables)
        return ki_autocorr_radial_device(queue, rings->radial, products, 0, frames->count, tables,
                                         normalization, to, err);
    if (!rings->is_masked)
        status = make_tables(queue, rings, frames->count, err);
    return status ? status : run_parts(queue, rings, frames, products, normalization, to, err);
}

kn_status ki_autocorr_rings_read(kn_queue *queue, const struct autocorr_rings *rings, kn_buffer *from,
                                 size_t count, struct autocorr_ring *host, kn_error *err)
{
    return ki_autocorr_radial_read(queue, rings->radial, from, 0, count, host, err);
}
